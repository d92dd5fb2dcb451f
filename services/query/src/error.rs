//! What can go wrong with a read, by what the caller does next.

use mneme_api::Problem;
use mneme_model::InvalidValue;
use mneme_stores::StoreError;

/// Why a read was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Mend the request: the field breaks a rule.
    #[error("{field}: {text}")]
    Invalid {
        /// The field, as a path.
        field: &'static str,
        /// The rule and the fix.
        text: String,
    },
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// Retry: a store that the read can't do without is away.
    #[error("the store '{0}' is away")]
    Away(&'static str),
    /// Die: a store is broken; its own error is in the log.
    #[error("the store '{0}' is broken")]
    Broken(&'static str),
}

/// Seconds after which a client tries again.
const RETRY_AFTER: u64 = 1;

impl QueryError {
    /// A field that breaks a rule.
    pub fn invalid(field: &'static str, text: impl Into<String>) -> Self {
        Self::Invalid {
            field,
            text: text.into(),
        }
    }

    /// What a store's failure means for a read that can't do without it.
    pub(crate) fn of_store(store: &'static str, error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(reason) => {
                tracing::warn!(store, reason, "a store did not answer");
                Self::Away(store)
            }
            StoreError::Broken(reason) => {
                tracing::error!(store, reason, "a store is broken");
                Self::Broken(store)
            }
            StoreError::Refused(text) => Self::invalid("query", text),
        }
    }

    /// A value that a constructor refused.
    pub(crate) fn refused(field: &'static str) -> impl Fn(InvalidValue) -> Self {
        move |error| Self::invalid(field, error.0)
    }
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Invalid { field, text } => {
                // A nested rule names its own place: `filter.and[0]: …`.
                let nested = text
                    .split_once(": ")
                    .filter(|(place, _)| place.starts_with(field));
                match nested {
                    Some((place, rest)) => Self::invalid_field(place, rest),
                    None => Self::invalid_field(field, text),
                }
            }
            QueryError::NotFound(text) => Self::not_found(text),
            QueryError::Away(_) => Self::unavailable(RETRY_AFTER),
            QueryError::Broken(_) => Self::internal(),
        }
    }
}
