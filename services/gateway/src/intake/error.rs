//! What can be wrong with a file of mappings and with a record. No text holds a record's content.

/// Why a file of mappings was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// It is no TOML, or a key is unknown, missing or of the wrong type.
    #[error("{0}")]
    Shape(String),
    /// A mapping breaks a rule.
    #[error("mapping '{mapping}', {key}: {reason}")]
    Rule {
        /// The name of the mapping.
        mapping: String,
        /// The key of the mapping.
        key: String,
        /// The rule.
        reason: String,
    },
}

/// Why a record gives no episode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntakeError {
    /// Nothing is where a needed key looks.
    #[error("{0}: the record has nothing there")]
    Missing(String),
    /// What is there is of no use to the key.
    #[error("{key}: {reason}")]
    Unfit {
        /// The key of the mapping.
        key: String,
        /// What is wrong.
        reason: String,
    },
}

impl IntakeError {
    pub(super) fn unfit(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Unfit {
            key: key.into(),
            reason: reason.into(),
        }
    }
}
