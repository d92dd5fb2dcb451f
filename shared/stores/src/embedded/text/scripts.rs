//! Scripts that are written without spaces between words.

/// Whether the character is of such a script: Han, kana, Hangul, Thai, Lao, Burmese, Khmer. Korean
/// has spaces, but its particles stick to the words.
pub(super) fn is_dense(c: char) -> bool {
    if c < '\u{0e00}' {
        return false;
    }
    matches!(c,
        '\u{0e01}'..='\u{0e3e}' | '\u{0e40}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{3105}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}
