//! What stands between the stages and a model, so that a model in trouble is not troubled more.
//!
//! 1. No more than [`GuardSettings::concurrency`] calls are under way at once, over all stages that
//!    share the guard.
//! 2. After a failure with a time to wait (`Retry-After`), no call starts before that time; nor do
//!    calls follow each other faster than [`GuardSettings::calls_per_minute`].
//! 3. After [`GuardSettings::failures_to_open`] transient failures in a row the circuit is open: for
//!    [`GuardSettings::open_for`] every question is answered [`AnswerError::Transient`] at once. Then
//!    one call is let through as a trial; it closes the circuit or opens it again.
//! 4. A call that is dropped gives back what it took.
//!
//! A question that would have to wait longer than [`GuardSettings::longest_wait`] for its start is
//! answered [`AnswerError::Transient`] at once with the time to wait, so that its group shows as
//! waiting and the reason is seen.

mod breaker;
mod pace;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::time::Duration;

use async_trait::async_trait;
use mneme_stage::Inference;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until};

use crate::answers::{Answer, AnswerError, Answerer};
use breaker::Breaker;
use pace::Pace;

/// The settings of a [`Guarded`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuardSettings {
    /// The most calls under way at once; 8 by default. 0 counts as 1.
    pub concurrency: usize,
    /// The most calls that start in a minute, evenly spaced; none by default: the model says itself
    /// when it has too much.
    pub calls_per_minute: Option<NonZeroU32>,
    /// How many transient failures in a row open the circuit; 5 by default. 0 counts as 1. A failure
    /// with a time to wait doesn't count: the model is there and says when to come back.
    pub failures_to_open: u32,
    /// How long the circuit stays open before a trial; 30 s by default.
    pub open_for: Duration,
    /// The longest that a model may ask to wait; 10 min by default. What is longer is cut.
    pub longest_retry_after: Duration,
    /// The longest that a question waits here for its start; 5 s by default. Waiting for one of the
    /// calls under way to end is not counted.
    pub longest_wait: Duration,
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self {
            concurrency: 8,
            calls_per_minute: None,
            failures_to_open: 5,
            open_for: Duration::from_secs(30),
            longest_retry_after: Duration::from_secs(600),
            longest_wait: Duration::from_secs(5),
        }
    }
}

/// An answerer behind a guard. One guard belongs to one model, whoever asks it.
pub struct Guarded<A> {
    answerer: A,
    settings: GuardSettings,
    calls: Semaphore,
    pace: Pace,
    breaker: Breaker,
}

impl<A: Answerer> Guarded<A> {
    /// Puts a guard before an answerer.
    pub fn new(answerer: A, settings: GuardSettings) -> Self {
        Self {
            answerer,
            settings,
            calls: Semaphore::new(settings.concurrency.clamp(1, Semaphore::MAX_PERMITS)),
            pace: Pace::new(settings.calls_per_minute),
            breaker: Breaker::new(settings.failures_to_open.max(1), settings.open_for),
        }
    }

    /// Waits for the time that the next call may start at.
    async fn start(&self) -> Result<(), AnswerError> {
        let latest = Instant::now() + self.settings.longest_wait;
        loop {
            match self.pace.start(Instant::now()) {
                Ok(()) => return Ok(()),
                Err(at) if at > latest => {
                    return Err(away("the model asked to wait", at - Instant::now()));
                }
                // While it is waited for, another failure may put it off.
                Err(at) => sleep_until(at).await,
            }
        }
    }
}

#[async_trait]
impl<A: Answerer> Answerer for Guarded<A> {
    async fn answer(&self, inference: &Inference) -> Result<Answer, AnswerError> {
        let open = |left| {
            away(
                "the model failed several times; it is left alone for a while",
                left,
            )
        };
        self.breaker.check(Instant::now()).map_err(open)?;
        let _call = self.calls.acquire().await.map_err(|error| {
            AnswerError::Operator(format!("the guard of the model is closed: {error}"))
        })?;
        // It may have opened while this waited.
        self.breaker.check(Instant::now()).map_err(open)?;
        self.start().await?;
        let attempt = self.breaker.admit(Instant::now()).map_err(open)?;
        let answer = self.answerer.answer(inference).await;
        match &answer {
            Err(AnswerError::Transient {
                retry_after: None, ..
            }) => attempt.failed(Instant::now()),
            Err(AnswerError::Transient {
                retry_after: Some(wait),
                ..
            }) => {
                let wait = (*wait).min(self.settings.longest_retry_after);
                self.pace.put_off(Instant::now() + wait);
                attempt.put_off();
            }
            // The model is there, whatever it says.
            _ => attempt.succeeded(),
        }
        answer
    }
}

fn away(reason: &str, wait: Duration) -> AnswerError {
    AnswerError::Transient {
        reason: reason.to_owned(),
        retry_after: Some(wait),
    }
}
