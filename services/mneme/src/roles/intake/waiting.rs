//! Waiting for something that is away: longer from time to time, told once, and known to `/readyz`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// What is waited for, if something is.
#[derive(Debug, Clone, Default)]
pub struct Waiting(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    reason: String,
    /// How many wait.
    count: usize,
}

/// The process is to end.
#[derive(Debug)]
pub struct Stopped;

impl Waiting {
    /// The reason, where something is waited for.
    pub fn told(&self) -> Result<(), String> {
        let state = self.state();
        match state.count {
            0 => Ok(()),
            _ => Err(format!("records wait: {}", state.reason)),
        }
    }

    /// Begins a series of attempts.
    pub fn attempts(&self) -> Attempts<'_> {
        Attempts {
            waiting: self,
            pause: FIRST,
            waits: false,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A series of attempts at one thing. When it ends, that is not waited for any more.
pub struct Attempts<'w> {
    waiting: &'w Waiting,
    pause: Duration,
    waits: bool,
}

impl Attempts<'_> {
    /// Waits after an attempt that failed.
    pub async fn pause(&mut self, why: &str, stop: &CancellationToken) -> Result<(), Stopped> {
        self.note(why);
        tokio::select! {
            () = stop.cancelled() => return Err(Stopped),
            () = tokio::time::sleep(self.pause) => {}
        }
        self.pause = (self.pause * 2).min(LONGEST);
        Ok(())
    }

    fn note(&mut self, why: &str) {
        let mut state = self.waiting.state();
        why.clone_into(&mut state.reason);
        if !std::mem::replace(&mut self.waits, true) {
            state.count += 1;
            if state.count == 1 {
                tracing::warn!(reason = why, "records of producers wait");
            }
        }
    }
}

impl Drop for Attempts<'_> {
    fn drop(&mut self) {
        if !self.waits {
            return;
        }
        let mut state = self.waiting.state();
        state.count -= 1;
        if state.count == 0 {
            tracing::info!("records of producers wait no longer");
        }
    }
}
