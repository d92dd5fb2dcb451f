//! What is stored of a text is what was sent, less NUL, which no store can keep.

/// The text without NUL characters.
pub fn clean_text(text: &str) -> String {
    text.chars().filter(|&c| c != '\0').collect()
}

/// Whether nothing of the text would be seen: only white space, control and zero-width characters.
pub fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || c.is_control() || is_zero_width(c))
}

/// Whether a text can be a name: it holds more than punctuation and what is not seen.
pub fn is_name(text: &str) -> bool {
    !text
        .chars()
        .all(|c| c.is_whitespace() || c.is_control() || is_zero_width(c) || is_punctuation(c))
}

/// The marks of sentences in the scripts of the world, and of ASCII those of programs too.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c,
            '¡' | '§' | '«' | '´' | '¶' | '·' | '¸' | '»' | '¿' | '¨' | '¯'
            | '\u{37e}' | '\u{387}' | '\u{55a}'..='\u{55f}' | '\u{589}' | '\u{58a}'
            | '\u{5be}' | '\u{5c0}' | '\u{5c3}' | '\u{5c6}' | '\u{5f3}' | '\u{5f4}'
            | '\u{60c}' | '\u{60d}' | '\u{61b}' | '\u{61d}'..='\u{61f}' | '\u{66a}'..='\u{66d}'
            | '\u{6d4}' | '\u{964}' | '\u{965}' | '\u{e4f}' | '\u{e5a}' | '\u{e5b}'
            | '\u{104a}'..='\u{104f}' | '\u{1361}'..='\u{1368}' | '\u{17d4}'..='\u{17da}'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{2e00}'..='\u{2e5d}'
            | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}'
            | '\u{3030}' | '\u{303d}' | '\u{30a0}' | '\u{30fb}' | '\u{fe10}'..='\u{fe19}'
            | '\u{fe30}'..='\u{fe6b}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
            | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
}

/// Characters without width, which carry no identity: spaces, joiners, marks of direction.
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{180e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_more_than_punctuation() {
        for name in [
            "Ann",
            "№ 5",
            "南开",
            "🦦",
            "C++",
            "?x",
            "€",
            "7",
            "नेहा",
            "_a_",
        ] {
            assert!(is_name(name), "{name}");
        }
        for none in [
            "",
            " ",
            "!!",
            "?",
            "...",
            "--",
            "…",
            "。",
            "「」",
            "؟",
            "।",
            "\u{200b}!",
            "\0",
            "***",
            "¿?",
        ] {
            assert!(!is_name(none), "{none:?}");
        }
    }
}
