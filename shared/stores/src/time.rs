//! The two instants of a read. By default it sees what is valid now, as known now.

use mneme_model::{Instant, Interval};
use serde::{Deserialize, Serialize};

use crate::FactVersionRow;

/// Which versions of facts a read sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeView {
    /// The instant in the world; ignored where `include_past` is set.
    pub as_of: Instant,
    /// The instant of the system's knowledge.
    pub known_at: Instant,
    /// Whether intervals that have ended, or have not begun, are seen too.
    pub include_past: bool,
}

impl TimeView {
    /// What is valid at `now`, as known at `now`.
    pub fn now(now: Instant) -> Self {
        Self {
            as_of: now,
            known_at: now,
            include_past: false,
        }
    }

    /// Whether a version of a fact is seen.
    pub fn sees(&self, version: &FactVersionRow) -> bool {
        self.sees_interval(
            Interval::new(version.valid_at.at, version.invalid_at.map(|end| end.at)),
            version.created_at,
            version.expired_at,
        )
    }

    /// The same for what is left of a version in an index.
    pub fn sees_interval(
        &self,
        valid: Interval,
        created_at: Instant,
        expired_at: Option<Instant>,
    ) -> bool {
        Interval::new(created_at, expired_at).contains(self.known_at)
            && (self.include_past || valid.contains(self.as_of))
    }
}
