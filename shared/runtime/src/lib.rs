//! Runs any [`Stage`](mneme_stage::Stage) over any log.
//!
//! 1. Records of a group are processed one by one in order; groups don't wait for each other's
//!    models longer than [`RunnerConfig::batch_patience`].
//! 2. Outputs, dead letters, parked records, recorded answers and the consumed positions are
//!    committed together, in input order: an input has its effect exactly once.
//! 3. The state is the fold of the committed outputs. It may be lost or behind; it is read again
//!    from the output topic before anything is decided.
//! 4. Nothing is dropped silently: what can't be taken is a dead letter, what must wait is parked
//!    with its reason, and both are events.
//! 5. An answer of a model is recorded and never asked for again. A question under way goes on when
//!    its group is made to wait. What is lost is an answer that came, or was under way, when the
//!    process ended before the next commit.
//! 6. The erasure of a group is taken at once, whatever the group waits for, and what was held of it
//!    is never taken after that.
//!
//! How to read the crate: `runner` is the loop; `workshop` takes the inputs of one group; `batch` is
//! what becomes of many groups, to be committed at once; `parked` knows the paused groups; `desk` has
//! the questions under way; `restore` and `fold` bring the state to the end of the log. [`Guarded`]
//! stands between all stages and a model.

mod answers;
mod batch;
mod deadline;
mod desk;
mod fold;
mod guard;
mod letters;
mod parked;
mod restore;
mod runner;
mod state;
mod workshop;

pub use answers::{Answer, AnswerError, Answerer, NoModel};
pub use guard::{GuardSettings, Guarded};
pub use parked::STILL_ANSWERING;
pub use runner::{RunError, RunnerConfig, StageRunner};
pub use state::{MemoryState, State, StateFailure};
