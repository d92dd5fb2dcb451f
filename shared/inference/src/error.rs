//! What can go wrong with a model, and what to do about it.
//!
//! Guarantees: every kind names its [`Reaction`], so a caller never guesses from a message; no
//! message carries the text that was being embedded.

use crate::EmbeddingModel;

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InferenceError {
    /// The model can't be reached or is overloaded.
    #[error("model {model} is unavailable: {reason}")]
    Unavailable {
        /// Name of the model.
        model: String,
        /// What the transport or server said.
        reason: String,
    },
    /// The model won't take this input, now or later.
    #[error("model {model} refused the input: {reason}")]
    Refused {
        /// Name of the model.
        model: String,
        /// What the server said.
        reason: String,
    },
    /// The model answered with something other than one vector of its dimension for each text.
    #[error("model {model} gave a malformed answer: {reason}")]
    Malformed {
        /// Name of the model.
        model: String,
        /// What was expected and what came.
        reason: String,
    },
    /// Vectors made by one model would be compared with those of another.
    #[error(
        "the vectors stored here were made by {stored}, but {configured} is configured; configure \
         {stored} again, or build a new generation of the projections with {configured} \
         (`mneme replay`)"
    )]
    ModelMismatch {
        /// The model that made the stored vectors.
        stored: EmbeddingModel,
        /// The model that is configured now.
        configured: EmbeddingModel,
    },
    /// A model file isn't what it should be.
    #[error("broken model file: {reason}")]
    BrokenModel {
        /// Which rule of the layout it breaks.
        reason: String,
    },
}

/// What the caller of a failed call does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// The same call may succeed later: back off and try again.
    Retry,
    /// This input will never succeed, others will: record it and go on.
    Skip,
    /// No input will succeed until a person changes something: stop.
    Die,
}

impl InferenceError {
    /// What the caller does next.
    pub fn reaction(&self) -> Reaction {
        match self {
            Self::Unavailable { .. } => Reaction::Retry,
            Self::Refused { .. } => Reaction::Skip,
            // A server that speaks another format, or serves another model under this name, does
            // so for every input.
            Self::Malformed { .. } | Self::ModelMismatch { .. } | Self::BrokenModel { .. } => {
                Reaction::Die
            }
        }
    }
}
