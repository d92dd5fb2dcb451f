//! Runs any [`Stage`](mneme_stage::Stage) over any log.
//!
//! 1. Records of a group are processed one by one in order; groups don't wait for each other's
//!    models.
//! 2. Outputs, dead letters, parked records, recorded answers and the consumed positions are
//!    committed together, in input order: an input has its effect exactly once.
//! 3. The state is the fold of the committed outputs. It may be lost or behind; it is read again
//!    from the output topic before anything is decided.
//! 4. Nothing is dropped silently: what can't be taken is a dead letter, what must wait is parked
//!    with its reason, and both are events.
//! 5. An answer of a model is recorded and never asked for again.

mod answers;
mod batch;
mod parked;
mod restore;
mod runner;
mod state;

pub use answers::{Answer, AnswerError, Answerer, NoModel};
pub use runner::{RunError, RunnerConfig, StageRunner};
pub use state::{MemoryState, State, StateFailure};
