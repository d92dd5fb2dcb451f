//! What a batch of inputs comes to: all that is to be committed at once, and what follows from that
//! commit for the rows and for the paused groups.

use std::collections::BTreeMap;

use mneme_events::{Event, Topic};
use mneme_log::{Consumed, NewRecord, Partition};
use mneme_model::GroupId;
use mneme_stage::RowChanges;

use crate::parked::{Held, PauseChange, Paused, PausedGroups, Stop, parked, released};
use crate::workshop::{Fate, GroupOutcome, record};

/// A batch.
#[derive(Default)]
pub(crate) struct Batch {
    /// What is to be written, by the position of the input that it follows from.
    records: BTreeMap<(Partition, u64), Vec<NewRecord>>,
    pub consumed: BTreeMap<Partition, u64>,
    pub changes: Vec<(GroupId, RowChanges)>,
    pub pauses: Vec<PauseChange>,
    /// The answers that are recorded with it.
    pub answered: Vec<(GroupId, String)>,
    /// How many inputs were read or taken.
    pub inputs: usize,
}

impl Batch {
    /// A batch of so many inputs that were read.
    pub fn of(inputs: usize) -> Self {
        Self {
            inputs,
            ..Self::default()
        }
    }

    /// Adds what is to be written because of the input at a position.
    pub fn write(&mut self, at: (Partition, u64), records: impl IntoIterator<Item = NewRecord>) {
        self.records.entry(at).or_default().extend(records);
    }

    /// Adds what came of inputs that were just read.
    pub fn add_read(
        &mut self,
        stage: &'static str,
        inputs: Vec<Held>,
        mut outcome: GroupOutcome,
        paused: &PausedGroups,
    ) {
        let done = outcome.fates.len();
        for (held, fate) in inputs.iter().zip(std::mem::take(&mut outcome.fates)) {
            if let Fate::Taken(records) = fate {
                self.write(place(held), records);
            }
        }
        if outcome.erased
            && let Some(first) = inputs.first()
            && let Some(before) = paused.get(&outcome.group)
        {
            let void = before.records.iter().map(|held| free(stage, held));
            self.write(place(first), void);
            self.pauses.push(PauseChange::Free(outcome.group.clone()));
        }
        if let Some(stop) = outcome.stopped.take() {
            let is_new = outcome.erased || paused.get(&outcome.group).is_none();
            note_stop(stage, &outcome.group, &stop, is_new);
            if let Some(next) = inputs.get(done) {
                self.write(place(next), std::mem::take(&mut outcome.early_answers));
            }
            for (behind, mut held) in inputs.into_iter().skip(done).enumerate() {
                held.attempts = u32::from(behind == 0 && is_new);
                let event = parked(stage, &held, stop.why.is_waiting(), &stop.reason);
                self.write(place(&held), [parked_record(&held, event)]);
                self.pauses.push(PauseChange::Hold(held, stop.clone()));
            }
        }
        self.add_rows(outcome);
    }

    /// Adds what came of the first records of a paused group; `more` are held behind them.
    pub fn add_held(
        &mut self,
        stage: &'static str,
        inputs: &[Held],
        mut outcome: GroupOutcome,
        more: bool,
        paused: Option<&Paused>,
    ) {
        let (group, done) = (outcome.group.clone(), outcome.fates.len());
        for (held, fate) in inputs.iter().zip(std::mem::take(&mut outcome.fates)) {
            if let Fate::Taken(records) = fate {
                self.write(place(held), records);
            }
            self.write(place(held), [free(stage, held)]);
        }
        if let Some(next) = inputs.get(done) {
            self.write(place(next), std::mem::take(&mut outcome.early_answers));
        }
        if done > 0 {
            self.pauses.push(PauseChange::Took(group.clone(), done));
        }
        match outcome.stopped.take() {
            Some(stop) => {
                note_stop(stage, &group, &stop, false);
                let news = paused.into_iter();
                let news = news.flat_map(|paused| paused.news(done, stop.why));
                for held in news {
                    let event = parked(stage, held, stop.why.is_waiting(), &stop.reason);
                    self.write(place(held), [parked_record(held, event)]);
                }
                self.pauses.push(PauseChange::PutOff(group, stop));
            }
            None if more => self.pauses.push(PauseChange::GoOn(group)),
            None => {}
        }
        self.inputs += done;
        self.add_rows(outcome);
    }

    fn add_rows(&mut self, outcome: GroupOutcome) {
        let GroupOutcome {
            group,
            changes,
            answered,
            ..
        } = outcome;
        self.answered
            .extend(answered.into_iter().map(|digest| (group.clone(), digest)));
        self.changes.push((group, changes));
    }

    /// Whether there is anything to commit.
    pub fn is_empty(&self) -> bool {
        self.consumed.is_empty() && self.records.values().all(Vec::is_empty)
    }

    /// What is to be written, in input order.
    pub fn take_records(&mut self) -> Vec<NewRecord> {
        std::mem::take(&mut self.records)
            .into_values()
            .flatten()
            .collect()
    }

    /// The positions, of a topic.
    pub fn positions(&self, topic: Topic) -> Vec<Consumed> {
        let position = |(&partition, &next)| Consumed {
            topic,
            partition,
            next,
        };
        self.consumed.iter().map(position).collect()
    }
}

fn place(held: &Held) -> (Partition, u64) {
    (held.partition, held.offset as u64)
}

fn free(stage: &str, held: &Held) -> NewRecord {
    parked_record(held, released(stage, held))
}

/// A record that says something of a held one, in its trace.
fn parked_record(held: &Held, event: impl Into<Event>) -> NewRecord {
    record(Topic::Parked, event).within(held.trace)
}

fn note_stop(stage: &'static str, group: &GroupId, stop: &Stop, is_new: bool) {
    let (waiting, reason) = (stop.why.is_waiting(), &stop.reason);
    if is_new {
        tracing::warn!(stage, %group, waiting, reason, "the group is paused");
    } else {
        tracing::debug!(stage, %group, waiting, reason, "the group stays paused");
    }
}
