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

/// Characters without width, which carry no identity: spaces, joiners, marks of direction.
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{180e}')
}
