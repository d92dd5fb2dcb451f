//! Waiting for something that is away: longer from time to time, told once, and known to `/readyz`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// What is waited for, if something is.
#[derive(Debug, Clone, Default)]
pub struct Waiting(Arc<Mutex<Option<String>>>);

/// The process is to end.
#[derive(Debug)]
pub struct Stopped;

impl Waiting {
    /// The reason, where something is waited for.
    pub fn told(&self) -> Result<(), String> {
        let reason = self.reason().clone();
        reason.map_or(Ok(()), |reason| Err(format!("records wait: {reason}")))
    }

    /// Begins a series of attempts.
    pub fn attempts(&self) -> Attempts<'_> {
        Attempts {
            waiting: self,
            pause: FIRST,
            failed: false,
        }
    }

    fn reason(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A series of attempts at one thing. When it ends, nothing is waited for any more.
pub struct Attempts<'w> {
    waiting: &'w Waiting,
    pause: Duration,
    failed: bool,
}

impl Attempts<'_> {
    /// Waits after an attempt that failed.
    pub async fn pause(&mut self, why: &str, stop: &CancellationToken) -> Result<(), Stopped> {
        let before = self.waiting.reason().replace(why.to_owned());
        if before.is_none() {
            tracing::warn!(reason = why, "records of producers wait");
        }
        // Where it ends here, nothing was taken after all.
        self.failed = false;
        tokio::select! {
            () = stop.cancelled() => return Err(Stopped),
            () = tokio::time::sleep(self.pause) => {}
        }
        self.pause = (self.pause * 2).min(LONGEST);
        self.failed = true;
        Ok(())
    }
}

impl Drop for Attempts<'_> {
    fn drop(&mut self) {
        if self.failed && self.waiting.reason().take().is_some() {
            tracing::info!("records of producers are taken again");
        }
    }
}
