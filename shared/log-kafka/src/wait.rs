//! Waits that go on until the broker has answered. Nobody is told of a short one; one that lasts is a
//! warning, time after time, for a process that is held up says so.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// How long it lasts until it is told, and until it is told again.
const QUIET: Duration = Duration::from_secs(10);

/// A wait.
#[derive(Debug)]
pub(crate) struct Wait<'w> {
    who: &'w str,
    what: &'static str,
    since: Instant,
    told: Instant,
}

impl<'w> Wait<'w> {
    /// It begins now. `who` is a stage or a transactional id.
    pub fn of(who: &'w str, what: &'static str) -> Self {
        let now = Instant::now();
        Self {
            who,
            what,
            since: now,
            told: now,
        }
    }

    /// It goes on, for this reason.
    pub fn goes_on(&mut self, reason: &dyn Display) {
        if self.told.elapsed() < QUIET {
            return;
        }
        self.told = Instant::now();
        let (who, what, seconds) = (self.who, self.what, self.since.elapsed().as_secs());
        tracing::warn!(who, what, %reason, seconds, "the broker is still waited for");
    }
}
