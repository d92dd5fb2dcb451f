//! A [`Literal`] is a value and no entity: a number, a status, an address.

use serde::{Deserialize, Serialize};

/// The kind of a literal value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LiteralKind {
    /// Text.
    String,
    /// A number, kept as it was written.
    Number,
    /// `true` or `false`.
    Boolean,
}

/// A literal value: its text as shown and compared, and its kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Literal {
    /// The value as text.
    pub text: String,
    /// What it is.
    pub kind: LiteralKind,
}

impl Literal {
    /// A literal of text.
    pub fn string(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            kind: LiteralKind::String,
        }
    }
}
