//! Words and marks of a sentence. Contractions are two words ("I'm" is "I" and "am"), so that the
//! reader sees one grammar.

/// A word or a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// As written.
    pub text: &'t str,
    /// In lower case; of a contraction the word it stands for.
    pub word: String,
    /// Where it stands in the body, in bytes.
    pub start: usize,
    pub end: usize,
}

impl Token<'_> {
    /// Whether it is a word or a number, not a mark.
    pub fn is_word(&self) -> bool {
        self.text
            .starts_with(|c: char| c.is_alphanumeric() || is_apostrophe(c))
    }

    /// Whether it is written like a name: with a capital, or one inside ("iPhone").
    pub fn is_capital(&self) -> bool {
        let mut characters = self.text.chars();
        let first = characters.next();
        first.is_some_and(char::is_uppercase)
            || (first.is_some_and(char::is_lowercase)
                && characters.next().is_some_and(char::is_uppercase))
    }

    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether it is one of these words.
    pub fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.word.as_str())
    }
}

/// The words and marks of `body[start..end]`.
pub(super) fn tokens(body: &str, start: usize, end: usize) -> Vec<Token<'_>> {
    let text = &body[start..end];
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut characters = text.char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut until = offset + c.len_utf8();
        if c.is_alphanumeric() {
            while let Some(&(at, next)) = characters.peek() {
                let after = text[at + next.len_utf8()..].chars().next();
                let joins =
                    matches!(next, '-' | '.' | '@' | '_' | '/' | ':' | ',') || is_apostrophe(next);
                let fits = match next {
                    ',' | ':' | '/' => {
                        after.is_some_and(|c| c.is_ascii_digit())
                            && text[..at].ends_with(|c: char| c.is_ascii_digit())
                    }
                    _ => joins && after.is_some_and(char::is_alphanumeric),
                };
                if !next.is_alphanumeric() && !fits {
                    break;
                }
                until = at + next.len_utf8();
                characters.next();
            }
        }
        push_word(body, start + offset, start + until, &mut tokens);
    }
    tokens
}

/// Pushes a word, in two where it is a contraction.
fn push_word<'t>(body: &'t str, start: usize, end: usize, tokens: &mut Vec<Token<'t>>) {
    let text = &body[start..end];
    let apostrophe = text
        .char_indices()
        .rfind(|&(at, c)| at > 0 && is_apostrophe(c));
    if let Some((at, mark)) = apostrophe {
        let suffix = text[at + mark.len_utf8()..].to_lowercase();
        let (cut, word) = match suffix.as_str() {
            "m" => (at, "am"),
            "re" => (at, "are"),
            "ve" => (at, "have"),
            "ll" => (at, "will"),
            "d" => (at, "would"),
            "s" => (at, "'s"),
            "t" if text[..at].ends_with(['n', 'N']) => (at - 1, "not"),
            _ => (0, ""),
        };
        if cut > 0 {
            push(body, start, start + cut, None, tokens);
            push(body, start + cut, end, Some(word), tokens);
            return;
        }
    }
    push(body, start, end, None, tokens);
}

fn push<'t>(
    body: &'t str,
    start: usize,
    end: usize,
    word: Option<&str>,
    tokens: &mut Vec<Token<'t>>,
) {
    let text = &body[start..end];
    let word = match word {
        Some(word) => word.to_owned(),
        None => match text.to_lowercase().as_str() {
            "ca" if body[end..].starts_with('n') => "can".to_owned(),
            "wo" if body[end..].starts_with('n') => "will".to_owned(),
            "im" => "im".to_owned(),
            lower => lower.to_owned(),
        },
    };
    tokens.push(Token {
        text,
        word,
        start,
        end,
    });
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let words: Vec<_> = tokens(text, 0, text.len())
            .into_iter()
            .map(|t| t.word)
            .collect();
        words.join(" ")
    }

    #[test]
    fn contractions_are_two_words() {
        assert_eq!(words("I'm here, don’t go"), "i am here , do not go");
        assert_eq!(
            words("She's can't won't I've"),
            "she 's can not will not i have"
        );
        assert_eq!(words("O'Brien's boat"), "o'brien 's boat");
    }

    #[test]
    fn numbers_names_and_marks() {
        assert_eq!(
            words("At 9:30 on 3/4/2021 (4.2)."),
            "at 9:30 on 3/4/2021 ( 4.2 ) ."
        );
        assert_eq!(
            words("Jean-Luc, 1,000 e.g. a@b.example"),
            "jean-luc , 1,000 e.g . a@b.example"
        );
    }

    #[test]
    fn names_begin_with_a_capital() {
        let capital = |text: &str| tokens(text, 0, text.len())[0].is_capital();
        assert!(capital("Ann") && capital("iPhone") && capital("Ål"));
        assert!(!capital("ann") && !capital("4") && !capital("—"));
    }
}
