//! The circuit: closed while the model answers, open after failures in a row, then half open for one
//! trial. Only calls of the circuit's present phase count: a late answer to a call from before it
//! opened says nothing of now.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// What is left to wait for while a trial is under way, when nothing better is known.
const TRIAL_PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Breaker {
    failures_to_open: u32,
    open_for: Duration,
    circuit: Mutex<Circuit>,
}

struct Circuit {
    phase: Phase,
    /// Counts the changes of phase.
    number: u64,
}

enum Phase {
    Closed { failures: u32 },
    Open { until: Instant },
    Trial,
}

/// A call that was let through. Dropped without a verdict, it leaves the way to another.
pub(super) struct Attempt<'b> {
    breaker: &'b Breaker,
    number: u64,
}

impl Breaker {
    pub fn new(failures_to_open: u32, open_for: Duration) -> Self {
        let circuit = Circuit {
            phase: Phase::Closed { failures: 0 },
            number: 0,
        };
        Self {
            failures_to_open,
            open_for,
            circuit: Mutex::new(circuit),
        }
    }

    /// Whether a call may be let through by and by; else how long not.
    pub fn check(&self, now: Instant) -> Result<(), Duration> {
        match self.circuit().phase {
            Phase::Open { until } if until > now => Err(until - now),
            Phase::Trial => Err(TRIAL_PAUSE.min(self.open_for)),
            _ => Ok(()),
        }
    }

    /// Lets a call through, or tells how long not.
    pub fn admit(&self, now: Instant) -> Result<Attempt<'_>, Duration> {
        self.check(now)?;
        let mut circuit = self.circuit();
        match circuit.phase {
            Phase::Closed { .. } => {}
            Phase::Open { until } if until <= now => circuit.enter(Phase::Trial),
            _ => return Err(TRIAL_PAUSE.min(self.open_for)),
        }
        Ok(Attempt {
            breaker: self,
            number: circuit.number,
        })
    }

    fn circuit(&self) -> MutexGuard<'_, Circuit> {
        self.circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Circuit {
    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.number += 1;
    }
}

impl Attempt<'_> {
    pub fn succeeded(self) {
        self.judge(|circuit| match &mut circuit.phase {
            Phase::Closed { failures } => *failures = 0,
            _ => circuit.enter(Phase::Closed { failures: 0 }),
        });
    }

    pub fn failed(self, now: Instant) {
        let Breaker {
            failures_to_open,
            open_for,
            ..
        } = *self.breaker;
        self.judge(|circuit| match &mut circuit.phase {
            Phase::Closed { failures } if *failures + 1 < failures_to_open => *failures += 1,
            _ => circuit.enter(Phase::Open {
                until: now + open_for,
            }),
        });
    }

    /// The model is there and asked to wait: neither good nor bad, but no reason to keep it closed.
    pub fn put_off(self) {
        self.judge(|circuit| {
            if let Phase::Trial = circuit.phase {
                circuit.enter(Phase::Closed { failures: 0 });
            }
        });
    }

    fn judge(self, verdict: impl FnOnce(&mut Circuit)) {
        // The lock is given back before `self` is dropped, which takes it again.
        let mut circuit = self.breaker.circuit();
        if circuit.number == self.number {
            verdict(&mut circuit);
        }
        drop(circuit);
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let mut circuit = self.breaker.circuit();
        if circuit.number == self.number && matches!(circuit.phase, Phase::Trial) {
            circuit.enter(Phase::Open {
                until: Instant::now(),
            });
        }
    }
}
