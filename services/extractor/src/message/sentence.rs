//! Sentences of a text, each with its place. Lines quoted from another message and blocks of code
//! hold nothing that the author states.

use std::ops::Range;

/// A sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Where it stands, in bytes, without the white space around it.
    pub span: Range<usize>,
    /// Whether it ends with a question mark.
    pub asks: bool,
}

/// The sentences of a text, in order.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut in_code = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if content.starts_with("```") {
            in_code = !in_code;
        } else if !in_code && !content.starts_with('>') {
            split_line(text, start..start + line.len(), &mut sentences);
        }
        start += line.len();
    }
    sentences
}

fn split_line(text: &str, line: Range<usize>, sentences: &mut Vec<Sentence>) {
    let mut start = line.start;
    let mut characters = text[line.clone()].char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        if !matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？') {
            continue;
        }
        let mut end = line.start + offset + c.len_utf8();
        let mut asks = matches!(c, '?' | '？');
        while let Some(&(_, next)) = characters.peek() {
            if !matches!(
                next,
                '.' | '!' | '?' | '…' | ')' | '"' | '”' | '’' | '\'' | ']'
            ) {
                break;
            }
            asks |= next == '?';
            end += next.len_utf8();
            characters.next();
        }
        let rest = &text[end..line.end];
        let before = &text[start..line.start + offset];
        if rest.starts_with(char::is_whitespace) && !(c == '.' && is_abbreviation(before, rest)) {
            push(text, start..end, asks, sentences);
            start = end;
        }
    }
    let ending = |c: char| c.is_whitespace() || c.is_ascii_punctuation() || c == '？';
    let rest = &text[start..line.end];
    let asks = rest[rest.trim_end_matches(ending).len()..].contains(['?', '？']);
    push(text, start..line.end, asks, sentences);
}

fn push(text: &str, span: Range<usize>, asks: bool, sentences: &mut Vec<Sentence>) {
    let part = &text[span.clone()];
    let start = span.start + (part.len() - part.trim_start().len());
    let end = span.end - (part.len() - part.trim_end().len());
    if start < end {
        sentences.push(Sentence {
            span: start..end,
            asks,
        });
    }
}

/// Whether a full stop ends an abbreviation and no sentence.
fn is_abbreviation(before: &str, rest: &str) -> bool {
    const ALWAYS: &[&str] = &[
        "dr", "e.g", "i.e", "mr", "mrs", "ms", "mx", "prof", "st", "vs", "a.k.a",
    ];
    const BEFORE_LOWER_CASE: &[&str] = &["approx", "co", "dept", "etc", "inc", "jr", "ltd", "sr"];
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    let is_initial =
        word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    let is_any = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    let goes_on = rest.trim_start().starts_with(char::is_lowercase);
    is_initial || is_any(ALWAYS) || (goes_on && is_any(BEFORE_LOWER_CASE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text)
            .into_iter()
            .map(|sentence| &text[sentence.span])
            .collect()
    }

    #[test]
    fn ends_of_sentences() {
        assert_eq!(
            split("No. I use 4.2 now! Do you? “Yes.” J. K. Rowling met Dr. Who.\nNew line"),
            [
                "No.",
                "I use 4.2 now!",
                "Do you?",
                "“Yes.”",
                "J. K. Rowling met Dr. Who.",
                "New line"
            ]
        );
        assert_eq!(
            split("I eat e.g. Figs. We left…"),
            ["I eat e.g. Figs.", "We left…"]
        );
        assert_eq!(split(" \n "), Vec::<&str>::new());
    }

    #[test]
    fn quotes_and_code_are_left_out() {
        assert_eq!(
            split("> I live in Porto.\nI do not.\n```\nI use Rust.\n```\nBye"),
            ["I do not.", "Bye"]
        );
    }

    #[test]
    fn questions() {
        let asks: Vec<_> = sentences("You live here? Yes. Really?!")
            .iter()
            .map(|s| s.asks)
            .collect();
        assert_eq!(asks, [true, false, true]);
    }
}
