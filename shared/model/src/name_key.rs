//! A [`NameKey`] is equal for two spellings of one name and differs for two names: compatibility
//! forms, case, white space, zero-width characters and light punctuation carry no identity, but
//! what stands between digits is part of the number.

use std::fmt;

use caseless::Caseless;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::text::is_zero_width;

/// The identity key of a name (see the module). Never shown; the display name keeps the original.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NameKey(String);

impl NameKey {
    /// The key of a name.
    pub fn of(name: &str) -> Self {
        Self(key_text(name))
    }

    /// The key as text; empty when the name holds nothing that identifies.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The words of the key.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.split(' ').filter(|token| !token.is_empty())
    }
}

impl fmt::Debug for NameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// The words of any text in the key's folding: for comparing words of a query with names.
pub fn folded_tokens(text: &str) -> Vec<String> {
    key_text(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(str::to_owned)
        .collect()
}

fn key_text(name: &str) -> String {
    // In ASCII the forms are one and folding is lower case; most names are.
    let folded: Vec<char> = if name.is_ascii() {
        let kept = name.chars().filter(|&c| !is_zero_width(c));
        kept.map(|c| c.to_ascii_lowercase()).collect()
    } else {
        folded(name)
    };
    let mut key = String::with_capacity(name.len());
    let mut pending_space = false;
    for (index, &c) in folded.iter().enumerate() {
        let between_digits = || {
            let before = index.checked_sub(1).and_then(|i| folded.get(i));
            let after = folded.get(index + 1);
            before.is_some_and(|c| c.is_numeric()) && after.is_some_and(|c| c.is_numeric())
        };
        if is_light(c) && between_digits() {
            push(
                &mut key,
                &mut pending_space,
                if is_hyphen(c) { '-' } else { c },
            );
        } else if is_ignored(c) {
            continue;
        } else if c.is_whitespace() || c.is_control() || is_hyphen(c) {
            pending_space = true;
        } else {
            push(&mut key, &mut pending_space, c);
        }
    }
    // Marks that what is ignored kept apart now stand together, and have an order of their own.
    if key.is_ascii() {
        return key;
    }
    key.nfkc().collect()
}

fn folded(name: &str) -> Vec<char> {
    name.nfkc()
        .filter(|&c| !is_zero_width(c))
        .default_case_fold()
        .nfkc()
        .filter(|&c| !is_zero_width(c))
        .collect()
}

/// Appends a character, with the space before it unless it stands between two characters of a
/// script that writes no spaces.
fn push(key: &mut String, pending_space: &mut bool, c: char) {
    if std::mem::take(pending_space)
        && let Some(last) = key.chars().next_back()
        && !(is_spaceless(last) && is_spaceless(c))
    {
        key.push(' ');
    }
    key.push(c);
}

fn is_light(c: char) -> bool {
    matches!(c, '.' | ',') || is_hyphen(c)
}

fn is_ignored(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | '。'
            | '、'
            | '،'
            | '\''
            | '`'
            | '´'
            | '‘'
            | '’'
            | '‚'
            | '‛'
            | 'ʼ'
            | 'ʻ'
            | 'ʹ'
            | '′'
            | '＇'
    )
}

fn is_hyphen(c: char) -> bool {
    matches!(
        c,
        '-' | '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹘' | '﹣' | '－'
    )
}

/// Han, kana and Hangul: white space between two of these carries no identity.
fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}'
        | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) {
        assert_eq!(NameKey::of(a), NameKey::of(b));
    }

    fn differ(a: &str, b: &str) {
        assert_ne!(NameKey::of(a), NameKey::of(b));
    }

    #[test]
    fn spellings_of_one_name() {
        same("Rina D'Amico", "Rina DAmico");
        same("Velmar, Ltd.", "VELMAR  Ltd");
        same("GROSSE STRASSE BAU", "Große Straße Bau");
        same("ΝΙΚΟΛΑΟΣ", "Νικολαος");
        same("한빛 물산", "한빛물산");
        same("南开 大学", "南开大学");
        same("ＮＯＲＩＭＡ\u{3000}Ｔｅｃｈ", "Norima Tech");
        same("\u{200b}Linus Berg", "Linus\u{200b} Berg");
        same("-Maro-", "Maro");
        same("Team №5", "team no5");
    }

    #[test]
    fn names_that_differ() {
        differ("Draft 1.5", "Draft 15");
        differ("Form 12-3", "Form 1-23");
        differ("Íñigo", "Inigo");
        differ("New York", "Newyork");
    }

    proptest::proptest! {
        #[test]
        fn a_key_is_its_own_key(name in "\\PC{0,40}") {
            let key = NameKey::of(&name);
            assert_eq!(NameKey::of(key.as_str()), key);
        }
    }
}
