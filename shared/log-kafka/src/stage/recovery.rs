//! What comes after a commit that was not made: abort, get another producer, begin anew.

use std::time::{Duration, Instant};

use mneme_log::LogError;

use super::input::Input;
use super::thread::{IDLE, StageThread};
use crate::transactions::Transactions;
use crate::wait::Wait;

/// How long an answer of the group may take.
const GRACE: Duration = Duration::from_secs(1);

impl StageThread {
    /// Aborts what is open, for as long as somebody listens. False where the producer is of no use.
    pub(super) fn abort(&mut self) -> bool {
        let input = &mut self.input;
        let aborted = self.output.abort(&mut || serve(input));
        if let Err(error) = &aborted {
            tracing::warn!(stage = self.stage, ?error, "could not abort");
        }
        aborted.is_ok()
    }

    /// Starts another producer in the place of one that has lost its transaction.
    ///
    /// It was lost because its time was over, say while the broker was away, or because another
    /// instance of this name has started. That one joins the group with the name, and this one hears
    /// of it with a heartbeat; so it is waited for that before the other is fenced in turn. Should
    /// the other be slow, it starts another producer in the same way; the group settles who stays.
    pub(super) fn renew_producer(&mut self) {
        let verdict = Instant::now() + self.config.heartbeat() * 2 + GRACE;
        while Instant::now() < verdict {
            self.input.serve(IDLE);
            if serve(&mut self.input).is_err() {
                return;
            }
        }
        let mut wait = Wait::of(self.stage, "another producer");
        loop {
            let input = &mut self.input;
            match Transactions::start(&self.config, &self.names, self.stage, &mut || serve(input)) {
                Ok(output) => {
                    tracing::info!(
                        stage = self.stage,
                        "a producer took the place of one before"
                    );
                    self.output = output;
                    return;
                }
                Err(LogError::Unavailable(reason)) => wait.goes_on(&reason),
                Err(error) => {
                    self.input.fence(error);
                    return;
                }
            }
            if serve(&mut self.input).is_err() {
                return;
            }
        }
    }

    /// Goes back to the committed positions, trying for as long as somebody listens.
    pub(super) fn begin_anew(&mut self) {
        let mut wait = Wait::of(self.stage, "positions to begin anew from");
        while serve(&mut self.input).is_ok()
            && let Err(reason) = self.input.begin_anew()
        {
            wait.goes_on(&reason);
            self.input.serve(IDLE);
        }
    }
}

/// Asks the broker once; an error where there is no use in going on.
pub(super) fn serve(input: &mut Input) -> Result<(), String> {
    input.serve(Duration::ZERO);
    match &input.fenced {
        Some(reason) => Err(reason.clone()),
        None if !input.is_heard() => Err("the stage has stopped".to_owned()),
        None => Ok(()),
    }
}
