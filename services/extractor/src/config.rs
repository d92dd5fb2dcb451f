//! Which reader reads what.

use mneme_model::Source;

/// Settings of the extractor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractorConfig {
    /// The model that reads prose and records; none: the rules do.
    pub model: Option<ModelReader>,
    /// How many earlier messages of the thread a reader sees, at most
    /// [`Self::MAX_CONTEXT_MESSAGES`].
    pub context_messages: usize,
}

/// A model as a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReader {
    /// The model's name, recorded with what it read.
    pub name: String,
    /// The version of the prompt, recorded too; another version asks again.
    pub prompt_version: String,
    /// What the model reads; other sources are read by the rules.
    pub sources: Vec<Source>,
}

impl ExtractorConfig {
    /// The most messages of context that a reader may see.
    pub const MAX_CONTEXT_MESSAGES: usize = 10;
}

impl Default for ExtractorConfig {
    fn default() -> Self {
        Self {
            model: None,
            context_messages: 4,
        }
    }
}

impl ModelReader {
    /// A model that reads messages, texts and records.
    pub fn new(name: impl Into<String>, prompt_version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            prompt_version: prompt_version.into(),
            sources: vec![Source::Message, Source::Text, Source::Json],
        }
    }
}
