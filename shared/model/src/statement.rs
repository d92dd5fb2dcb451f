//! The closed words of an episode and of a statement.

use serde::{Deserialize, Serialize};

/// What kind of input an episode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// One message of a chat or ticket; it has an author.
    Message,
    /// A document or a part of one.
    Text,
    /// A record of another system, any JSON value.
    Json,
    /// Statements given as such.
    Facts,
}

impl Source {
    /// The word that the API uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Text => "text",
            Self::Json => "json",
            Self::Facts => "facts",
        }
    }
}

/// Whether a statement says that something holds, or that it holds no longer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Polarity {
    /// It holds from its start.
    #[default]
    Holds,
    /// It stopped to hold at its end.
    Ended,
}
