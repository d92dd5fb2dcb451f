//! A text to the words that it is found by; the same for what is indexed and what is asked.
//!
//! - NFKC, lower case, without characters that have no width: کتاب‌فروشی is one word with or without
//!   its joiner.
//! - Words are those of Unicode (UAX #29), English ones by their stem. Nothing is left out; what
//!   says nothing of the subject is told apart (see [`super::stop_words`]).
//! - Scripts without spaces (see [`super::scripts`]) give each character and each pair of
//!   neighbours, so any part of a sentence is found and a longer match weighs more.
//! - A code such as `QF-7730-RB`, an address, a name such as `G++` is a word as a whole too, beside
//!   its parts: who asks for it finds it ahead of its like.
//! - A word has 64 characters at the most; what is longer counts by its beginning.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::scripts::is_dense;
use super::stop_words::is_stop_word;

const MAX_CHARACTERS: usize = 64;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Whether a word says something of what a text is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Something,
    Nothing,
}

/// Gives the words of a text in order, with repeats.
pub(super) fn for_each_word(text: &str, mut each: impl FnMut(&str, Says)) {
    let folded = fold(text);
    for chunk in folded.split_whitespace() {
        let whole = trim(chunk);
        let mut only_whole = true;
        for (run, dense) in runs(chunk) {
            if dense {
                only_whole = false;
                pairs(run, &mut each);
                continue;
            }
            for word in run.unicode_words().flat_map(|word| word.split('_')) {
                only_whole &= word == whole;
                give(word, &mut each);
            }
        }
        if !only_whole && is_whole(whole) {
            each(whole, Says::Something);
        }
    }
}

fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkc()
        .filter(|&c| !mneme_model::is_zero_width(c))
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            '\u{2019}' | '\u{02bc}' => '\'',
            c => c,
        })
        .collect()
}

/// The chunk without the punctuation around it, except `+` and `#` at its end (`C++`, `C#`).
fn trim(chunk: &str) -> &str {
    chunk
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .trim_end_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '#')
}

/// Whether the chunk is a word as a whole: a code (letters or digits, connected, at least one
/// digit), an address, or letters with `+` or `#` after them.
fn is_whole(chunk: &str) -> bool {
    let length = chunk.chars().take(MAX_CHARACTERS + 1).count();
    if !(2..=MAX_CHARACTERS).contains(&length) {
        return false;
    }
    let name = chunk.trim_end_matches(['+', '#']);
    if name.len() < chunk.len() {
        return chunk.len() - name.len() <= 2 && name.chars().all(char::is_alphanumeric);
    }
    let connected = chunk.contains(['-', '_', '.', '/', ':', '@', '#']);
    connected && (chunk.contains('@') || chunk.chars().any(char::is_numeric))
}

/// The parts of a chunk by whether their script has spaces.
fn runs(chunk: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = chunk;
    std::iter::from_fn(move || {
        let dense = is_dense(rest.chars().next()?);
        let end = rest.find(|c| is_dense(c) != dense).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some((run, dense))
    })
}

fn pairs(run: &str, each: &mut impl FnMut(&str, Says)) {
    let mut former = None;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        each(&run[at..end], Says::Something);
        if let Some(former) = former {
            each(&run[former..end], Says::Something);
        }
        former = Some(at);
    }
}

fn give(word: &str, each: &mut impl FnMut(&str, Says)) {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let word = word.trim_matches('\'');
    if word.is_empty() {
        return;
    }
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) && word.len() <= MAX_CHARACTERS {
        let says = if is_stop_word(word) {
            Says::Nothing
        } else {
            Says::Something
        };
        each(&STEMMER.stem(word), says);
        return;
    }
    let end = word
        .char_indices()
        .nth(MAX_CHARACTERS)
        .map_or(word.len(), |(at, _)| at);
    each(&word[..end], Says::Something);
}

/// The distinct words of what was asked, in order, at most `limit`. Those that say nothing are left
/// out where there are others.
pub(super) fn distinct_words(text: &str, limit: usize) -> Vec<String> {
    let mut seen = HashSet::new();
    let (mut saying, mut silent) = (Vec::new(), Vec::new());
    for_each_word(text, |word, says| {
        let words = match says {
            Says::Something => &mut saying,
            Says::Nothing => &mut silent,
        };
        if words.len() < limit && !seen.contains(word) {
            seen.insert(word.to_owned());
            words.push(word.to_owned());
        }
    });
    if saying.is_empty() { silent } else { saying }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word, _| words.push(word.to_owned()));
        words
    }

    #[test]
    fn english_by_its_stem() {
        assert_eq!(
            words("The owners' services were running!"),
            words("the owner service were run")
        );
        assert_eq!(words("Ann’s dog, Ann's"), ["ann", "dog", "ann"]);
        assert_eq!(words("WORKS_AT"), words("works at"));
        assert_eq!(words("don't"), ["don't"]);
    }

    #[test]
    fn a_code_is_a_word_beside_its_parts() {
        assert_eq!(words("(QF-7730-RB),"), ["qf", "7730", "rb", "qf-7730-rb"]);
        assert_eq!(words("ann@acme.org"), ["ann", "acme.org", "ann@acme.org"]);
        assert_eq!(words("3.14"), ["3.14"]);
        assert_eq!(words("left/right"), ["left", "right"]);
        assert_eq!(words("G++ C# #1 a++++"), ["g", "g++", "c", "c#", "1", "a"]);
    }

    #[test]
    fn scripts_without_spaces_give_characters_and_pairs() {
        assert_eq!(words("太极拳"), ["太", "极", "太极", "拳", "极拳"]);
        assert_eq!(words("买iPhone了"), ["买", "iphon", "了"]);
        assert!(words("บ้าน").contains(&"บ้".to_owned()));
        assert_eq!(words("서울"), ["서", "울", "서울"]);
    }

    #[test]
    fn what_has_no_width_does_not_part_words() {
        assert_eq!(words("کتاب\u{200c}فروشی"), words("کتابفروشی"));
        assert_eq!(words("ex\u{ad}ample"), words("example"));
        assert_eq!(words("ＡＢＣ"), ["abc"]);
    }

    #[test]
    fn any_text_is_taken() {
        for text in [
            "", " ", "?!", "\"", "**", "__", "🦦", "{1 TO 5}", "+", "#", "'", "\u{0}",
        ] {
            let words = words(text);
            assert!(words.iter().all(|word| !word.is_empty()), "{text:?}");
        }
        let long = "ä".repeat(100_000);
        assert_eq!(words(&long), ["ä".repeat(MAX_CHARACTERS)]);
        let long = "ab-1".repeat(100_000);
        assert!(words(&long).iter().all(|word| word.len() <= MAX_CHARACTERS));
    }

    #[test]
    fn what_is_asked_counts_each_word_once() {
        assert_eq!(distinct_words("tea or coffee or tea", 9), ["tea", "coffe"]);
        assert_eq!(distinct_words("tea or coffee or tea", 1), ["tea"]);
        assert_eq!(
            distinct_words("to be or not to be", 9),
            ["to", "be", "or", "not"]
        );
        assert_eq!(distinct_words("who was Will", 9), ["will"]);
    }
}
