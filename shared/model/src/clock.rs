//! Time is passed in: what decides never reads a clock, and tests set their own.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::Instant;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The instant now.
    fn now(&self) -> Instant;
}

/// The machine's clock, which never goes back within the process: two readings in order are in
/// order, and no two are equal.
#[derive(Debug, Default)]
pub struct SystemClock {
    last: AtomicI64,
}

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        let now = jiff::Timestamp::now().as_microsecond();
        let later = |last: i64| Some(now.max(last + 1));
        let last = self
            .last
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, later)
            .unwrap_or(now);
        Instant::from_micros(now.max(last + 1))
    }
}
