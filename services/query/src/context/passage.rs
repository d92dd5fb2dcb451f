//! The best passage of a text that is too long: the run of its sentences that holds most of the
//! question's words and fits.

use std::collections::HashSet;

use mneme_model::folded_tokens;

use super::tokens::estimate;

/// What is put where text was left out.
const CUT: &str = "…";

/// A passage of at most `budget` tokens; `None` when nothing of it fits.
pub(super) fn best_passage(text: &str, question: &[String], budget: f64) -> Option<String> {
    let sentences = sentences(text);
    let words: HashSet<&str> = question.iter().map(String::as_str).collect();
    let room = budget - 2.0 * estimate(CUT);
    let mut best: Option<(usize, usize, usize)> = None;
    let costs: Vec<f64> = sentences
        .iter()
        .map(|sentence| estimate(sentence))
        .collect();
    let held: Vec<HashSet<String>> = sentences
        .iter()
        .map(|sentence| {
            let tokens = folded_tokens(sentence).into_iter();
            tokens
                .filter(|token| words.contains(token.as_str()))
                .collect()
        })
        .collect();
    for start in 0..sentences.len() {
        let (mut cost, mut end) = (0.0, start);
        let mut found: HashSet<&String> = HashSet::new();
        while end < sentences.len() && cost + costs[end] <= room {
            cost += costs[end];
            found.extend(&held[end]);
            end += 1;
        }
        if end > start && best.is_none_or(|(_, _, most)| found.len() > most) {
            best = Some((start, end, found.len()));
        }
    }
    let (start, end, _) = best?;
    let passage = sentences[start..end].concat();
    let before = if start > 0 { CUT } else { "" };
    let after = if end < sentences.len() { CUT } else { "" };
    Some(format!("{before}{}{after}", passage.trim()))
}

/// The sentences and lines, with what ends them; one that is too long to be a sentence is cut at
/// spaces.
fn sentences(text: &str) -> Vec<&str> {
    const LONGEST: usize = 400;
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut last = '\0';
    for (index, c) in text.char_indices() {
        let ends = matches!(last, '\n' | '。' | '！' | '？')
            || (c.is_whitespace() && matches!(last, '.' | '!' | '?'))
            || (last.is_whitespace() && index - start > LONGEST);
        if ends && index > start {
            sentences.push(&text[start..index]);
            start = index;
        }
        last = c;
    }
    sentences.push(&text[start..]);
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_that_hold_the_words() {
        let text = "It rained all day. The kiln fuse hangs behind the hook. We left at noon.";
        let question = folded_tokens("where is the kiln fuse");
        let passage = best_passage(text, &question, 14.0).unwrap();
        assert_eq!(
            passage,
            "… The kiln fuse hangs behind the hook.…".replace("… ", "…")
        );
        assert_eq!(best_passage(text, &question, 2.0), None);
        assert_eq!(best_passage(text, &question, 100.0).unwrap(), text);
    }

    #[test]
    fn nothing_of_the_text_is_lost_in_sentences() {
        let text = format!("One. Two!\nThree 日本。四 {}", "word ".repeat(300));
        assert_eq!(sentences(&text).concat(), text);
        assert!(sentences(&text).len() > 5);
    }
}
