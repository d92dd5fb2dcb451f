//! The loop of a stage instance: join, restore, then take records, commit, fold, until told to stop.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use mneme_events::{DeadLettered, Event, EventHeader, Topic};
use mneme_log::{
    CommitError, Consumed, EventLog, LogError, NewRecord, Partition, Record, StageInput, StageLog,
    Undecodable,
};
use mneme_model::{GroupId, Instant};
use mneme_stage::{RowChanges, Stage};
use mneme_telemetry::metric;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::answers::Answerer;
use crate::batch::{GroupOutcome, Workshop, record};
use crate::parked::{Held, PausedGroups, parked, released};
use crate::restore::restore;
use crate::state::{State, StateFailure};

/// Why a stage instance ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Another instance has taken over.
    #[error("{0}")]
    Fenced(String),
    /// The rows could not be read or written.
    #[error(transparent)]
    State(#[from] StateFailure),
    /// What was written before can't be understood; the text says what.
    #[error("{0}")]
    Broken(String),
}

/// The settings of a stage instance.
#[derive(Debug, Clone, Copy)]
pub struct RunnerConfig {
    /// The most inputs in one commit.
    pub max_inputs: usize,
    /// How long a question is asked again before its group is made to wait.
    pub patience: Duration,
}

impl Default for RunnerConfig {
    fn default() -> Self {
        Self { max_inputs: 500, patience: Duration::from_secs(5) }
    }
}

/// A stage instance.
pub struct StageRunner<S> {
    stage: Arc<dyn Stage>,
    log: Arc<dyn EventLog>,
    state: S,
    answerer: Arc<dyn Answerer>,
    config: RunnerConfig,
    paused: PausedGroups,
    /// The next offset of the `parked` topic to look for requests of operators at.
    requests: BTreeMap<Partition, u64>,
}

/// What a batch of inputs comes to.
#[derive(Default)]
struct Batch {
    /// What is to be written, by the position of the input that it follows from.
    records: BTreeMap<(Partition, u64), Vec<NewRecord>>,
    changes: Vec<(GroupId, RowChanges)>,
    consumed: BTreeMap<Partition, u64>,
    /// Records that groups are to hold when this is committed.
    held: Vec<(Held, bool)>,
    inputs: usize,
}

enum Committed {
    Yes,
    Aborted,
}

impl<S: State> StageRunner<S> {
    /// Builds an instance; nothing runs yet.
    pub fn new(
        stage: Arc<dyn Stage>,
        log: Arc<dyn EventLog>,
        state: S,
        answerer: Arc<dyn Answerer>,
        config: RunnerConfig,
    ) -> Self {
        let (paused, requests) = (PausedGroups::default(), BTreeMap::new());
        Self { stage, log, state, answerer, config, paused, requests }
    }

    /// Runs until `shutdown`, which ends it after the commit under way.
    pub async fn run(mut self, shutdown: CancellationToken) -> Result<(), RunError> {
        loop {
            let mut input = self.log.join(self.stage.name(), self.stage.input()).await?;
            match self.run_joined(input.as_mut(), &shutdown).await? {
                Committed::Yes => return Ok(()),
                Committed::Aborted => {
                    tracing::warn!(stage = self.stage.name(), "starting again after an abort");
                }
            }
        }
    }

    async fn run_joined(
        &mut self,
        input: &mut dyn StageLog,
        shutdown: &CancellationToken,
    ) -> Result<Committed, RunError> {
        loop {
            let due = self.paused.next_due();
            let retry = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            let committed = tokio::select! {
                biased;
                () = shutdown.cancelled() => return Ok(Committed::Yes),
                heard = input.next() => match heard? {
                    StageInput::Assigned(positions) => {
                        self.take_over(&positions).await?;
                        Committed::Yes
                    }
                    StageInput::Revoked(_) => Committed::Aborted,
                    StageInput::Records(records) => self.process(input, records).await?,
                },
                () = retry => {
                    let due = self.paused.due(tokio::time::Instant::now());
                    self.retry(input, due).await?
                }
                asked = requests(self.log.as_ref(), &self.requests) => {
                    let asked = asked?;
                    self.release_requested(input, asked).await?
                }
            };
            if matches!(committed, Committed::Aborted) {
                return Ok(Committed::Aborted);
            }
        }
    }

    async fn take_over(&mut self, positions: &[Consumed]) -> Result<(), RunError> {
        let partitions: Vec<Partition> = positions.iter().map(|at| at.partition).collect();
        let log = self.log.as_ref();
        self.paused = restore(self.stage.as_ref(), log, &mut self.state, &partitions).await?;
        self.requests.clear();
        for partition in partitions {
            self.requests.insert(partition, log.end(Topic::Parked, partition).await?);
        }
        self.note_paused();
        Ok(())
    }

    async fn process(
        &mut self,
        input: &mut dyn StageLog,
        mut records: Vec<Record>,
    ) -> Result<Committed, RunError> {
        while !records.is_empty() {
            let rest = records.split_off(records.len().min(self.config.max_inputs));
            let started = std::time::Instant::now();
            let batch = self.decide(std::mem::replace(&mut records, rest)).await?;
            if let Committed::Aborted = self.commit(input, batch).await? {
                return Ok(Committed::Aborted);
            }
            metrics::histogram!(metric::BATCH_SECONDS, "stage" => self.stage.name())
                .record(started.elapsed());
        }
        Ok(Committed::Yes)
    }

    /// Decides on records: those of a group in order, groups side by side.
    async fn decide(&mut self, records: Vec<Record>) -> Result<Batch, RunError> {
        let mut batch = Batch { inputs: records.len(), ..Batch::default() };
        let mut groups: HashMap<GroupId, Vec<(Partition, Held)>> = HashMap::new();
        for Record { partition, offset, group_id, event, .. } in records {
            batch.consumed.insert(partition, offset + 1);
            match event {
                Ok(event) => {
                    let held = Held { offset: offset as i64, input: (*event).clone() };
                    groups.entry(event.group_id().clone()).or_default().push((partition, held));
                }
                Err(bad) => {
                    let letter = self.undecodable(group_id, offset, bad);
                    let records = batch.records.entry((partition, offset)).or_default();
                    records.push(record(Topic::DeadLetters, letter));
                }
            }
        }
        let mut ready = Vec::with_capacity(groups.len());
        for (group, held) in groups {
            let held = self.hold_back(&mut batch, &group, held);
            if !held.is_empty() {
                ready.push((group, held));
            }
        }
        let workshop = self.workshop();
        let mut working: FuturesUnordered<_> = ready
            .into_iter()
            .map(|(group, inputs)| async {
                let (partitions, held): (Vec<Partition>, Vec<Held>) = inputs.into_iter().unzip();
                let outcome = workshop.take(group, &held).await;
                (partitions, held, outcome)
            })
            .collect();
        while let Some((partitions, held, outcome)) = working.next().await {
            self.add_outcome(&mut batch, &partitions, held, outcome?);
        }
        Ok(batch)
    }

    /// Parks the records of a paused group. Its erasure is taken at once and frees it.
    fn hold_back(
        &self,
        batch: &mut Batch,
        group: &GroupId,
        records: Vec<(Partition, Held)>,
    ) -> Vec<(Partition, Held)> {
        if !self.paused.holds(group) {
            return records;
        }
        let erased = records
            .iter()
            .position(|(_, held)| matches!(held.input, Event::GroupErased(_)))
            .unwrap_or(records.len());
        let mut records = records;
        let ready = records.split_off(erased);
        let waiting = self.paused.waits(group);
        for (partition, held) in records {
            self.park(batch, partition, held, waiting, "an earlier record of the group is held");
        }
        ready
    }

    fn park(
        &self,
        batch: &mut Batch,
        partition: Partition,
        held: Held,
        waiting: bool,
        reason: &str,
    ) {
        let event = parked(self.stage.name(), &held, waiting, reason);
        let at = (partition, held.offset as u64);
        batch.records.entry(at).or_default().push(record(Topic::Parked, event));
        batch.held.push((held, waiting));
    }

    fn add_outcome(
        &self,
        batch: &mut Batch,
        partitions: &[Partition],
        held: Vec<Held>,
        outcome: GroupOutcome,
    ) {
        let GroupOutcome { group, changes, taken, stopped } = outcome;
        let count = taken.len();
        for ((partition, held), records) in partitions.iter().zip(&held).zip(taken) {
            batch.records.entry((*partition, held.offset as u64)).or_default().extend(records);
        }
        batch.changes.push((group.clone(), changes));
        if let Some(stop) = stopped {
            let stage = self.stage.name();
            tracing::warn!(stage, %group, waiting = stop.waiting, reason = %stop.reason,
                "the group is paused");
            let rest = partitions.iter().zip(held).skip(count);
            for (&partition, held) in rest {
                self.park(batch, partition, held, stop.waiting, &stop.reason);
            }
        }
    }

    /// Commits a batch and then folds it, in this order: the log is the truth.
    async fn commit(
        &mut self,
        input: &mut dyn StageLog,
        batch: Batch,
    ) -> Result<Committed, RunError> {
        let stage = self.stage.name();
        let topic = self.stage.input();
        let outputs: Vec<NewRecord> = batch.records.into_values().flatten().collect();
        let consumed: Vec<Consumed> = batch
            .consumed
            .iter()
            .map(|(&partition, &next)| Consumed { topic, partition, next })
            .collect();
        metrics::counter!(metric::INPUTS, "stage" => stage).increment(batch.inputs as u64);
        metrics::histogram!(metric::BATCH_INPUTS, "stage" => stage).record(batch.inputs as f64);
        metrics::counter!(metric::OUTPUTS, "stage" => stage).increment(outputs.len() as u64);
        if let Committed::Aborted = self.write(input, outputs, consumed).await? {
            return Ok(Committed::Aborted);
        }
        let mut partitions: Vec<Partition> = batch.consumed.into_keys().collect();
        for (group, _) in &batch.changes {
            partitions.push(self.log.partition_of(group));
        }
        partitions.sort_unstable();
        partitions.dedup();
        let mut positions = Vec::with_capacity(partitions.len());
        for partition in partitions {
            positions.push((partition, self.log.end(self.stage.output(), partition).await?));
        }
        for (group, changes) in &batch.changes {
            if changes.erased_before {
                self.paused.forget(group);
            }
        }
        self.state.commit(batch.changes, &positions)?;
        for (held, waiting) in batch.held {
            self.paused.hold(held, waiting);
        }
        self.note_paused();
        Ok(Committed::Yes)
    }

    async fn write(
        &self,
        input: &mut dyn StageLog,
        outputs: Vec<NewRecord>,
        consumed: Vec<Consumed>,
    ) -> Result<Committed, RunError> {
        let mut pause = Duration::from_millis(10);
        loop {
            match input.commit(outputs.clone(), consumed.clone()).await {
                Ok(()) => return Ok(Committed::Yes),
                Err(CommitError::Abort(reason)) => {
                    tracing::warn!(stage = self.stage.name(), reason, "the commit was aborted");
                    return Ok(Committed::Aborted);
                }
                Err(CommitError::Fenced(reason)) => return Err(RunError::Fenced(reason)),
                Err(CommitError::Retry(reason)) => {
                    let stage = self.stage.name();
                    tracing::warn!(stage, reason, "the commit is tried again");
                    metrics::counter!(metric::COMMIT_RETRIES, "stage" => stage).increment(1);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(5));
                }
            }
        }
    }

    /// Tries the records of paused groups again.
    async fn retry(
        &mut self,
        input: &mut dyn StageLog,
        groups: Vec<GroupId>,
    ) -> Result<Committed, RunError> {
        for group in groups {
            let Some(paused) = self.paused.get_mut(&group) else { continue };
            let held: Vec<Held> = paused.records.iter().cloned().collect();
            let outcome = self.workshop().take(group.clone(), &held).await?;
            let partition = self.log.partition_of(&group);
            let mut batch = Batch { inputs: outcome.taken.len(), ..Batch::default() };
            for (held, mut records) in held.iter().zip(outcome.taken) {
                records.push(record(Topic::Parked, released(self.stage.name(), held)));
                batch.records.insert((partition, held.offset as u64), records);
            }
            let count = batch.inputs;
            if count > 0 {
                batch.changes.push((group.clone(), outcome.changes));
                if let Committed::Aborted = self.commit(input, batch).await? {
                    return Ok(Committed::Aborted);
                }
            }
            if let Some(paused) = self.paused.get_mut(&group) {
                paused.records.drain(..count.min(paused.records.len()));
            }
            match outcome.stopped {
                Some(stop) => self.paused.put_off(&group, stop.waiting),
                None => {
                    self.paused.forget(&group);
                }
            }
            self.note_paused();
        }
        Ok(Committed::Yes)
    }

    async fn release_requested(
        &mut self,
        input: &mut dyn StageLog,
        records: Vec<Record>,
    ) -> Result<Committed, RunError> {
        let mut groups = Vec::new();
        for Record { partition, offset, event, .. } in records {
            self.requests.insert(partition, offset + 1);
            match event.as_deref() {
                Ok(Event::GroupReleaseRequested(asked)) if asked.stage == self.stage.name() => {
                    groups.push(asked.header.group_id.clone());
                }
                _ => {}
            }
        }
        self.retry(input, groups).await
    }

    fn workshop(&self) -> Workshop<'_, S> {
        Workshop {
            stage: self.stage.as_ref(),
            state: &self.state,
            answerer: self.answerer.as_ref(),
            patience: self.config.patience,
        }
    }

    fn note_paused(&self) {
        metrics::gauge!(metric::PAUSED_GROUPS, "stage" => self.stage.name())
            .set(self.paused.len() as f64);
    }

    /// The dead letter of a record that does not decode. Where even its group is not known, the
    /// letter is filed under a group of its own that no tenant reads: dead letters are no group's
    /// memory.
    fn undecodable(&self, group: Option<GroupId>, offset: u64, bad: Undecodable) -> DeadLettered {
        let stage = self.stage.name();
        metrics::counter!(metric::DEAD_LETTERS, "stage" => stage, "kind" => "undecodable")
            .increment(1);
        tracing::warn!(stage, offset, reason = bad.reason, "a record does not decode");
        let topic = self.stage.input().name();
        let id = [stage.as_bytes(), topic.as_bytes(), &offset.to_be_bytes()];
        DeadLettered {
            header: EventHeader {
                event_id: mneme_model::derived_id(Uuid::NAMESPACE_OID, &id),
                group_id: group.unwrap_or_else(GroupId::unknown),
                seq: 0,
                cause: None,
                recorded_at: Instant::from_micros(0),
            },
            stage: stage.to_owned(),
            source_topic: topic.to_owned(),
            source_offset: offset as i64,
            kind: "undecodable".to_owned(),
            reason: bad.reason,
            payload: bad.bytes,
        }
    }
}

/// Waits for records of the `parked` topic and reads them.
async fn requests(
    log: &dyn EventLog,
    next: &BTreeMap<Partition, u64>,
) -> Result<Vec<Record>, LogError> {
    if next.is_empty() {
        return std::future::pending().await;
    }
    let mut waiting: FuturesUnordered<_> = next
        .iter()
        .map(|(&partition, &from)| async move {
            log.grown(Topic::Parked, partition, from).await?;
            log.read(Topic::Parked, partition, from, 1_000).await
        })
        .collect();
    loop {
        match waiting.next().await {
            Some(Ok(records)) if records.is_empty() => {}
            Some(records) => return records,
            None => return std::future::pending().await,
        }
    }
}
