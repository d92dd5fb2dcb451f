//! When calls may start.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

pub(super) struct Pace {
    /// The least time between the starts of two calls.
    spacing: Duration,
    /// The earliest start of the next call.
    next: Mutex<Option<Instant>>,
}

impl Pace {
    pub fn new(calls_per_minute: Option<NonZeroU32>) -> Self {
        let spacing = calls_per_minute.map_or(Duration::ZERO, |calls| {
            Duration::from_secs(60) / calls.get()
        });
        Self {
            spacing,
            next: Mutex::default(),
        }
    }

    /// Starts a call, or tells when to ask again.
    pub fn start(&self, now: Instant) -> Result<(), Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        match *next {
            Some(at) if at > now => Err(at),
            _ => {
                *next = Some(now + self.spacing);
                Ok(())
            }
        }
    }

    /// Lets no call start before an instant.
    pub fn put_off(&self, until: Instant) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(Some(until));
    }
}
