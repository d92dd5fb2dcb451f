//! How words that were analysed before come into the index: as lines behind the scope that they are
//! indexed under.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The first line is the scope; each other line is a word, which is given with the scope before it.
#[derive(Clone, Default)]
pub(super) struct Lines {
    token: Token,
}

pub(super) struct LinesStream<'a> {
    scope: &'a str,
    lines: std::str::Lines<'a>,
    token: &'a mut Token,
}

impl Tokenizer for Lines {
    type TokenStream<'a> = LinesStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LinesStream<'a> {
        self.token.reset();
        let mut lines = text.lines();
        LinesStream {
            scope: lines.next().unwrap_or_default(),
            lines,
            token: &mut self.token,
        }
    }
}

impl TokenStream for LinesStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(line) = self.lines.next() else {
            return false;
        };
        self.token.position = self.token.position.wrapping_add(1);
        self.token.text.clear();
        self.token.text.push_str(self.scope);
        self.token.text.push_str(line);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
