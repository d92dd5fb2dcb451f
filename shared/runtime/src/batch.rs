//! One group's inputs, one by one: each sees what the ones before it did, and the first that can't
//! be taken stops the group.

use std::sync::Arc;
use std::time::Duration;

use mneme_events::{DeadLettered, Event, InferenceRecorded, Topic, encode};
use mneme_log::NewRecord;
use mneme_model::GroupId;
use mneme_stage::{
    Answers, Inference, OverlayRows, RowChanges, Stage, StageError, Step, last_seq, note_seq,
    placeholder, seal,
};
use mneme_telemetry::metric;

use crate::answers::{AnswerError, Answerer, answer_key, ask, changed_row, note_answer, record_of};
use crate::parked::{Held, side_id};
use crate::state::{State, StateFailure};

/// How often a stage may ask for one input before that is taken for a bug.
const MOST_ROUNDS: usize = 16;

/// What all groups of a batch share.
pub(crate) struct Workshop<'w, S> {
    pub stage: &'w dyn Stage,
    pub state: &'w S,
    pub answerer: &'w dyn Answerer,
    pub patience: Duration,
}

/// What came of a group's inputs.
pub(crate) struct GroupOutcome {
    pub group: GroupId,
    /// The rows that change when the outputs are committed.
    pub changes: RowChanges,
    /// For each input that was taken, in order: what is to be written.
    pub taken: Vec<Vec<NewRecord>>,
    /// Why the next input was not taken.
    pub stopped: Option<Stop>,
}

/// Why an input was not taken.
pub(crate) struct Stop {
    /// Whether it may be tried again by itself.
    pub waiting: bool,
    pub reason: String,
}

enum Taken {
    Done(Vec<NewRecord>),
    Stopped(Stop),
}

impl<S: State> Workshop<'_, S> {
    /// Takes a group's inputs in order until one can't be taken.
    pub async fn take(
        &self,
        group: GroupId,
        inputs: &[Held],
    ) -> Result<GroupOutcome, StateFailure> {
        let mut outcome = GroupOutcome {
            group,
            changes: RowChanges::default(),
            taken: Vec::with_capacity(inputs.len()),
            stopped: None,
        };
        for held in inputs {
            match self.take_one(&mut outcome, held).await? {
                Taken::Done(records) => outcome.taken.push(records),
                Taken::Stopped(stop) => {
                    outcome.stopped = Some(stop);
                    break;
                }
            }
        }
        Ok(outcome)
    }

    async fn take_one(
        &self,
        outcome: &mut GroupOutcome,
        held: &Held,
    ) -> Result<Taken, StateFailure> {
        let input = &held.input;
        let mut answers = Answers::default();
        let mut recorded: Vec<InferenceRecorded> = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let step = self.with_rows(outcome, |rows| self.stage.step(rows, input, &answers))?;
            match step {
                Ok(Step::Done(events)) => {
                    return self.finish(outcome, held, events, recorded);
                }
                Ok(Step::Need(questions)) => {
                    if let Some(stop) =
                        self.gather(outcome, input, &questions, &mut answers, &mut recorded).await?
                    {
                        return Ok(Taken::Stopped(stop));
                    }
                }
                Err(error) => return Ok(Taken::Stopped(bug(&error))),
            }
        }
        let reason = format!("the stage asked for more than {MOST_ROUNDS} rounds");
        Ok(Taken::Stopped(Stop { waiting: false, reason }))
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

    /// Gets the answers to questions: recorded ones first.
    async fn gather(
        &self,
        outcome: &GroupOutcome,
        input: &Event,
        questions: &[Inference],
        answers: &mut Answers,
        recorded: &mut Vec<InferenceRecorded>,
    ) -> Result<Option<Stop>, StateFailure> {
        let stage = self.stage.name();
        for question in questions {
            let digest = question.digest();
            let key = answer_key(&digest);
            let known = match changed_row(&outcome.changes, &key) {
                Some(answer) => Some(answer.clone()),
                None => self.state.read(&outcome.group, |rows| rows.get(&key))?,
            };
            if let Some(answer) = known {
                metrics::counter!(metric::INFERENCES_REUSED, "stage" => stage).increment(1);
                answers.insert(digest, Ok(answer));
                continue;
            }
            match ask(self.answerer, stage, question, self.patience).await {
                Ok(answer) => {
                    recorded.push(record_of(input, &digest, &answer));
                    answers.insert(digest, Ok(answer.bytes));
                }
                Err(AnswerError::Permanent(reason)) => answers.insert(digest, Err(reason)),
                Err(error) => {
                    return Ok(Some(Stop { waiting: true, reason: error.to_string() }));
                }
            }
        }
        Ok(None)
    }

    /// Seals the outputs and folds them into the rows.
    fn finish(
        &self,
        outcome: &mut GroupOutcome,
        held: &Held,
        mut events: Vec<Event>,
        recorded: Vec<InferenceRecorded>,
    ) -> Result<Taken, StateFailure> {
        let input = &held.input;
        let folded = self.with_rows(outcome, |rows| -> Result<(), StageError> {
            seal(self.stage.name(), input, last_seq(rows)?, &mut events);
            for answer in &recorded {
                note_answer(rows, answer);
            }
            for event in &events {
                if matches!(event, Event::GroupErased(_)) {
                    rows.erase_all();
                }
                self.stage.apply(rows, event)?;
                note_seq(rows, event)?;
            }
            Ok(())
        })?;
        if let Err(error) = folded {
            return Ok(Taken::Stopped(bug(&error)));
        }
        let mut records: Vec<NewRecord> = Vec::with_capacity(events.len() + recorded.len());
        records.extend(recorded.into_iter().map(|answer| record(Topic::Inferences, answer)));
        for event in events {
            if let Event::ExtractionFailed(failed) = &event {
                let letter = self.dead_letter(held, "extraction", &failed.reason);
                records.push(record(Topic::DeadLetters, letter));
            }
            records.push(NewRecord { topic: self.stage.output(), event: Arc::new(event) });
        }
        Ok(Taken::Done(records))
    }

    fn dead_letter(&self, held: &Held, kind: &'static str, reason: &str) -> DeadLettered {
        let stage = self.stage.name();
        metrics::counter!(metric::DEAD_LETTERS, "stage" => stage, "kind" => kind).increment(1);
        let mut header = placeholder(&held.input);
        header.event_id = side_id(&held.input, stage, "dead");
        DeadLettered {
            header,
            stage: stage.to_owned(),
            source_topic: self.stage.input().name().to_owned(),
            source_offset: held.offset,
            kind: kind.to_owned(),
            reason: reason.to_owned(),
            payload: encode(&held.input).unwrap_or_default(),
        }
    }
}

fn bug(error: &StageError) -> Stop {
    Stop { waiting: false, reason: error.to_string() }
}

/// A record for a side topic.
pub(crate) fn record(topic: Topic, event: impl Into<Event>) -> NewRecord {
    NewRecord { topic, event: Arc::new(event.into()) }
}
