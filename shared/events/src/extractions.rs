//! What the extractor found.

use serde::{Deserialize, Serialize};

use crate::{Episode, EventHeader, ExtractedStatement, Mention};

/// What was found in an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeExtracted {
    /// What every event begins with.
    pub header: EventHeader,
    /// The episode itself.
    pub episode: Episode,
    /// The mentions, by ordinal.
    pub mentions: Vec<Mention>,
    /// The statements, by ordinal.
    pub statements: Vec<ExtractedStatement>,
    /// What read it, such as `rules` or `model`.
    pub extractor: String,
    /// The model, where one was asked.
    pub model: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// Tokens spent.
    pub tokens: i64,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// An episode could not be read; it stays searchable as it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtractionFailed {
    /// What every event begins with.
    pub header: EventHeader,
    /// The episode itself.
    pub episode: Episode,
    /// Why.
    pub reason: String,
}
