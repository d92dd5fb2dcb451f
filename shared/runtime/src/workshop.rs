//! One group's inputs, one by one: each sees what the ones before it did, and the first that can't
//! be taken stops the group. Only an erasure gets past what is stopped: that of the group, or, once
//! the group is tried again, that of the episode that is held.

mod ask;

use std::panic::{AssertUnwindSafe, catch_unwind};

use mneme_events::{Event, InferenceRecorded, Topic};
use mneme_log::NewRecord;
use mneme_model::GroupId;
use mneme_stage::{OverlayRows, RowChanges, Stage, StageError, Step, last_seq, seal};
use mneme_telemetry::spans;

use tracing::Instrument;

use crate::answers::answers_erased;
use crate::deadline::Deadline;
use crate::desk::Desk;
use crate::fold::{absorb, fold_output, note_answer};
use crate::letters;
use crate::parked::{Held, Stop};
use crate::state::{State, StateFailure};
use ask::Heard;

/// How often a stage may ask for one input before that is taken for a bug.
const MOST_ROUNDS: usize = 16;

/// What all groups of a batch share.
pub(crate) struct Workshop<'w, S> {
    pub stage: &'w dyn Stage,
    pub state: &'w S,
    pub desk: &'w Desk,
    pub deadline: Deadline,
}

/// What came of a group's inputs.
pub(crate) struct GroupOutcome {
    pub group: GroupId,
    /// The rows that change when the outputs are committed.
    pub changes: RowChanges,
    /// For each input that is done with, in order. The rest is held.
    pub fates: Vec<Fate>,
    /// Why the next input was not taken.
    pub stopped: Option<Stop>,
    /// Answers that the next input got before it was stopped.
    pub early_answers: Vec<NewRecord>,
    /// The digests of the answers that are recorded with this.
    pub answered: Vec<String>,
    /// Whether the group was erased, so that what is held of it from before is void.
    pub erased: bool,
}

/// What came of an input that is done with.
pub(crate) enum Fate {
    /// It was taken, and this follows.
    Taken(Vec<NewRecord>),
    /// It was held when its group or its episode was erased.
    Erased,
}

enum Taken {
    Done(Vec<NewRecord>),
    Stopped(Stop),
}

impl<S: State> Workshop<'_, S> {
    /// Takes a group's inputs in order until one can't be taken. `stopped` says that the group is
    /// paused already.
    pub async fn take(
        &self,
        group: GroupId,
        inputs: &[Held],
        stopped: Option<Stop>,
    ) -> Result<GroupOutcome, StateFailure> {
        let mut outcome = GroupOutcome {
            group,
            changes: RowChanges::default(),
            fates: Vec::with_capacity(inputs.len()),
            stopped,
            early_answers: Vec::new(),
            answered: Vec::new(),
            erased: false,
        };
        if outcome.stopped.is_some() && !self.skip_to_erasure(&mut outcome, inputs, 0) {
            return Ok(outcome);
        }
        while let Some(held) = inputs.get(outcome.fates.len()) {
            if held.is_erased {
                if outcome.fates.is_empty() {
                    self.desk.forget(&outcome.group);
                }
                outcome.fates.push(Fate::Erased);
                continue;
            }
            let span = spans::of_record(self.stage.name(), self.stage.input().name(), held.trace);
            let taken = self.take_one(&mut outcome, held).instrument(span.clone());
            match taken.await? {
                Taken::Done(records) => {
                    let trace = spans::after(&span, held.trace);
                    let records = records.into_iter().map(|record| record.within(trace));
                    outcome.erased |= is_erasure(held);
                    outcome.fates.push(Fate::Taken(records.collect()));
                    self.deadline.note_taken();
                }
                Taken::Stopped(stop) => {
                    outcome.stopped = Some(stop);
                    if !self.skip_to_erasure(&mut outcome, inputs, 1) {
                        break;
                    }
                }
            }
        }
        Ok(outcome)
    }

    /// Goes on with the next erasure that is at least `ahead` inputs away, if there is one.
    fn skip_to_erasure(&self, outcome: &mut GroupOutcome, inputs: &[Held], ahead: usize) -> bool {
        let rest = inputs.iter().skip(outcome.fates.len() + ahead);
        let Some(between) = rest.into_iter().position(is_erasure) else {
            return false;
        };
        outcome
            .fates
            .extend((0..between + ahead).map(|_| Fate::Erased));
        outcome.stopped = None;
        outcome.early_answers.clear();
        self.desk.forget(&outcome.group);
        true
    }

    async fn take_one(
        &self,
        outcome: &mut GroupOutcome,
        held: &Held,
    ) -> Result<Taken, StateFailure> {
        let mut heard = Heard::default();
        let mut rounds = 0;
        let stop = loop {
            let step = self.with_rows(outcome, |rows| {
                catch(|| self.stage.step(rows, &held.input, &heard.answers))
            })?;
            match step {
                Ok(Step::Done(events)) => match self.finish(outcome, held, events, &heard.new)? {
                    Ok(records) => return Ok(Taken::Done(records)),
                    Err(stop) => break stop,
                },
                Ok(Step::Need(_)) if rounds == MOST_ROUNDS => {
                    break Stop::bug(format!(
                        "the stage asked for more than {MOST_ROUNDS} rounds"
                    ));
                }
                Ok(Step::Need(questions)) => {
                    rounds += 1;
                    let stop = self
                        .gather(outcome, &held.input, &questions, &mut heard)
                        .await?;
                    if let Some(stop) = stop {
                        break stop;
                    }
                }
                Err(stop) => break stop,
            }
        };
        // What was answered is kept, though the input is not taken yet.
        self.with_rows(outcome, |rows| {
            for answer in &heard.new {
                note_answer(rows, answer);
            }
        })?;
        outcome
            .answered
            .extend(heard.new.iter().map(|answer| answer.request_digest.clone()));
        outcome.early_answers = recorded(heard.new).collect();
        Ok(Taken::Stopped(stop))
    }

    /// Runs a function over the group's rows with the changes of this batch on top.
    fn with_rows<T>(
        &self,
        outcome: &mut GroupOutcome,
        run: impl FnOnce(&mut OverlayRows<'_>) -> T,
    ) -> Result<T, StateFailure> {
        let changes = std::mem::take(&mut outcome.changes);
        let (value, changes) = self.state.read(&outcome.group, |base| {
            let mut rows = OverlayRows::with_changes(base, changes);
            let value = run(&mut rows);
            (value, rows.into_changes())
        })?;
        outcome.changes = changes;
        Ok(value)
    }

    /// Seals the outputs and folds them into the rows, all or nothing.
    fn finish(
        &self,
        outcome: &mut GroupOutcome,
        held: &Held,
        mut events: Vec<Event>,
        answers: &[InferenceRecorded],
    ) -> Result<Result<Vec<NewRecord>, Stop>, StateFailure> {
        let (stage, input) = (self.stage, &held.input);
        let folded = self.with_rows(outcome, |rows| {
            let changes = catch(|| {
                seal(stage.name(), input, last_seq(rows)?, &mut events);
                let mut folded = OverlayRows::new(&*rows);
                for answer in answers {
                    note_answer(&mut folded, answer);
                }
                for event in &events {
                    fold_output(stage, &mut folded, event)?;
                }
                Ok(folded.into_changes())
            })?;
            absorb(rows, changes);
            Ok(())
        })?;
        if let Err(stop) = folded {
            return Ok(Err(stop));
        }
        outcome
            .answered
            .extend(answers.iter().map(|answer| answer.request_digest.clone()));
        let mut records: Vec<NewRecord> = recorded(answers.to_vec()).collect();
        if is_erasure(held) {
            records.push(record(
                Topic::Inferences,
                answers_erased(stage.name(), input),
            ));
        }
        for event in events {
            if let Some(reason) = letters::failure_of(&event) {
                let letter = letters::extraction_failed(stage, held, reason);
                records.push(letters::record_of(letter));
            }
            records.push(NewRecord::new(stage.output(), event));
        }
        Ok(Ok(records))
    }
}

/// Runs what a stage does. Its errors and panics are bugs, which stop the group.
fn catch<T>(run: impl FnOnce() -> Result<T, StageError>) -> Result<T, Stop> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(done) => done.map_err(|error| Stop::bug(error.to_string())),
        Err(_) => Err(Stop::bug("the stage panicked".to_owned())),
    }
}

fn is_erasure(held: &Held) -> bool {
    matches!(*held.input, Event::GroupErased(_))
}

fn recorded(answers: Vec<InferenceRecorded>) -> impl Iterator<Item = NewRecord> {
    answers
        .into_iter()
        .map(|answer| record(Topic::Inferences, answer))
}

/// A record for a side topic.
pub(crate) fn record(topic: Topic, event: impl Into<Event>) -> NewRecord {
    NewRecord::new(topic, event.into())
}
