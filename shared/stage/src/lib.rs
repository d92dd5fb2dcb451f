//! The contract of a stage. A stage's outputs are a deterministic function of its ordered inputs
//! and of recorded answers: it has no clock, no randomness and no I/O, decides only from the rows
//! of the input's group, and those rows are the fold of its own outputs. So replaying a log gives
//! the same events, and a lost state is read back from the output topic.
//!
//! The runtime in `mneme-runtime` does the rest: order per group, commits, answers, parking.

mod inference;
mod rows;
mod seal;

pub use inference::{Answers, Inference, InferenceKind};
pub use rows::{
    GroupRows, MemoryRows, OverlayRows, Row, RowChanges, decode_row, prefix_end, read_row,
    write_row,
};
pub use seal::{last_seq, note_seq, placeholder, seal};

use mneme_events::{Event, Topic};

/// One service of the chain, as pure logic.
pub trait Stage: Send + Sync {
    /// The stage's name, part of the ids of its events and of its settings.
    fn name(&self) -> &'static str;

    /// The topic that it reads.
    fn input(&self) -> Topic;

    /// The topic that it writes.
    fn output(&self) -> Topic;

    /// Folds one of this stage's own output events into what it remembers of the group.
    ///
    /// Outputs come in order and each once. On a [`mneme_events::GroupErased`] nothing is to be
    /// done: the runtime drops the group's rows before it.
    fn apply(&self, rows: &mut dyn GroupRows, output: &Event) -> Result<(), StageError>;

    /// Decides on one input. `answers` holds what was asked for in earlier rounds of this input.
    ///
    /// The headers of the events are set by the runtime (see [`seal`]); a stage gives them
    /// [`placeholder`] headers.
    fn step(
        &self,
        rows: &dyn GroupRows,
        input: &Event,
        answers: &Answers,
    ) -> Result<Step, StageError>;
}

/// What follows from an input.
#[derive(Debug)]
pub enum Step {
    /// Answers are needed: the runtime gets them and calls `step` again.
    Need(Vec<Inference>),
    /// These events, in this order; none is a decision too.
    Done(Vec<Event>),
}

/// Why a stage could not decide. Each is a bug or broken state, never the input's fault: the
/// runtime parks the group and goes on with the others.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// A row does not decode.
    #[error("a row of the stage's state does not decode: {0}")]
    BrokenRow(String),
    /// Something that the contract of the events rules out.
    #[error("the input breaks the contract of its topic: {0}")]
    BrokenInput(String),
}
