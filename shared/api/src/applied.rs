//! Read your own write: wait until every projection has what follows from a record.

use std::time::Duration;

use async_trait::async_trait;
use mneme_model::GroupId;
use serde::{Deserialize, Serialize};

/// How much of what follows from a record is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpTo {
    /// Episodes, entities and facts; of what was held only that it was.
    Facts,
    /// The same, and of what was held and had gone on before this was asked.
    FactsAnew,
    /// Summaries and communities too, which are the most costly and so the last.
    Communities,
}

/// Why the wait ended early. What was waited for may still be applied later.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotApplied {
    /// It takes longer than the time given.
    #[error("not applied within the time given")]
    TimedOut,
    /// How far the projections are can't be told now; retry.
    #[error("the progress of the projections is not known: {0}")]
    Unavailable(String),
}

/// Tells when a record of the `episodes` topic is applied everywhere.
#[async_trait]
pub trait Applied: Send + Sync {
    /// Returns when every projection has passed what follows, `up_to` there, from the record at
    /// `position` in the group's partition of the `episodes` topic. At once where it has already.
    /// Cancel safe.
    async fn wait(
        &self,
        group: &GroupId,
        position: u64,
        up_to: UpTo,
        timeout: Duration,
    ) -> Result<(), NotApplied>;
}
