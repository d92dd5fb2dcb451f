//! Splits a text into words as the uncased BERT models do.
//!
//! Guarantees: words are lower case and without accents; each mark of punctuation and each
//! ideograph is a word of its own; control characters vanish; one buffer serves all words of a
//! text, so a word costs no allocation.
//!
//! Source: `BasicTokenizer` of google-research/bert and the `BertNormalizer` of Hugging Face's
//! tokenizers, with which the words agree.

use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Words of more characters than this are no words; they are left out.
pub(crate) const LONGEST_WORD: usize = 100;

/// Calls `visit` with each word of `text`, in order.
pub(crate) fn for_each_word(text: &str, visit: impl FnMut(&str)) {
    let mut words = Words {
        word: String::with_capacity(LONGEST_WORD),
        characters: 0,
        visit,
    };
    for character in text.chars() {
        if character.is_ascii() {
            words.take_ascii(character);
        } else {
            words.take_other(character);
        }
    }
    words.end_word();
}

/// The word being read.
struct Words<Visit> {
    word: String,
    characters: usize,
    visit: Visit,
}

impl<Visit: FnMut(&str)> Words<Visit> {
    fn take_ascii(&mut self, character: char) {
        match character {
            'a'..='z' | '0'..='9' => self.push(character),
            'A'..='Z' => self.push(character.to_ascii_lowercase()),
            ' ' | '\t' | '\n' | '\r' => self.end_word(),
            '!'..='~' => self.alone(character),
            _ => {}
        }
    }

    fn take_other(&mut self, character: char) {
        if character.is_whitespace() && character != '\u{85}' {
            self.end_word();
        } else if is_ideograph(character) {
            self.end_word();
            decompose_canonical(character, |part| self.push(part));
            self.end_word();
        } else if character != char::REPLACEMENT_CHARACTER
            && character.general_category_group() != GeneralCategoryGroup::Other
        {
            decompose_canonical(character, |part| self.take_part(part));
        }
    }

    /// Takes a character that has no decomposition.
    fn take_part(&mut self, part: char) {
        if part.is_ascii() {
            self.take_ascii(part);
        } else if part.general_category_group() == GeneralCategoryGroup::Punctuation {
            self.alone(part);
        } else if part.general_category() != GeneralCategory::NonspacingMark {
            part.to_lowercase().for_each(|lower| self.push(lower));
        }
    }

    fn push(&mut self, character: char) {
        self.characters += 1;
        // A blob without a space must not fill the buffer.
        if self.characters <= LONGEST_WORD {
            self.word.push(character);
        }
    }

    fn alone(&mut self, character: char) {
        self.end_word();
        self.push(character);
        self.end_word();
    }

    fn end_word(&mut self) {
        if (1..=LONGEST_WORD).contains(&self.characters) {
            (self.visit)(&self.word);
        }
        self.word.clear();
        self.characters = 0;
    }
}

/// Chinese characters, which are written without spaces; kana and hangul aren't among them.
fn is_ideograph(character: char) -> bool {
    matches!(character,
        '\u{4e00}'..='\u{9fff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2ceaf}'
        | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_word(text, |word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn splits_at_spaces_and_around_punctuation() {
        assert_eq!(words("Hello,  World!"), ["hello", ",", "world", "!"]);
        assert_eq!(words("it's\ta_b\n"), ["it", "'", "s", "a", "_", "b"]);
        assert_eq!(words("ann@acme.org"), ["ann", "@", "acme", ".", "org"]);
        assert_eq!(words("“quoted” – so"), ["“", "quoted", "”", "–", "so"]);
        assert_eq!(words("a\u{a0}b\u{2003}c"), ["a", "b", "c"]);
        assert!(words("").is_empty());
        assert!(words(" \r\n\t ").is_empty());
    }

    #[test]
    fn accents_and_case_go() {
        assert_eq!(words("Café ÀÉÎõÜ naı̈ve"), ["cafe", "aeiou", "naıve"]);
        assert_eq!(
            words("İstanbul Straße ΣΟΦΟΣ"),
            ["istanbul", "straße", "σοφοσ"]
        );
        assert_eq!(words("cafe\u{301}"), words("caf\u{e9}"));
        assert_eq!(words("Привет, Ёлка"), ["привет", ",", "елка"]);
    }

    #[test]
    fn ideographs_stand_alone_and_hangul_becomes_letters() {
        assert_eq!(words("ab北京cd"), ["ab", "北", "京", "cd"]);
        assert_eq!(words("カナ、かな"), ["カナ", "、", "かな"]);
        assert_eq!(words("한"), ["\u{1112}\u{1161}\u{11ab}"]);
    }

    #[test]
    fn what_can_not_be_seen_vanishes() {
        assert_eq!(
            words("a\0b\u{200b}c\u{ad}d\u{fffd}e\u{7f}\u{85}f"),
            ["abcdef"]
        );
    }

    #[test]
    fn symbols_stay_in_words_but_ascii_symbols_do_not() {
        assert_eq!(words("€100 $100 ≠"), ["€100", "$", "100", "="]);
    }

    #[test]
    fn blobs_are_left_out() {
        let blob = "x".repeat(LONGEST_WORD);
        assert_eq!(words(&blob), [blob.as_str()]);
        assert_eq!(words(&format!("a {blob}x b")), ["a", "b"]);
    }
}
