//! Takes the records of paused groups again: when their time has come, when an answer is there, or
//! when an operator asks for it.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use mneme_events::{Event, Topic};
use mneme_log::{EventLog, LogError, Partition, Record, StageLog};
use mneme_model::GroupId;

use super::{Committed, RunError, StageRunner};
use crate::batch::Batch;
use crate::deadline::Deadline;
use crate::parked::{Held, Why};
use crate::state::State;

/// How long paused groups may hold up the others for a question that is asked next.
const PATIENCE: Duration = Duration::from_millis(20);

impl<S: State> StageRunner<S> {
    /// Tries groups again.
    pub(super) async fn retry(
        &mut self,
        input: &mut dyn StageLog,
        groups: impl IntoIterator<Item = GroupId>,
    ) -> Result<Committed, RunError> {
        let batch = self.decide_held(groups).await?;
        if batch.is_empty() {
            for change in batch.pauses {
                self.paused.change(change);
            }
            return Ok(Committed::Yes);
        }
        self.commit(input, batch).await
    }

    async fn decide_held(
        &self,
        groups: impl IntoIterator<Item = GroupId>,
    ) -> Result<Batch, RunError> {
        let deadline = Deadline::from_now(PATIENCE, self.shutdown.clone());
        let workshop = &self.workshop(deadline);
        let mut working: FuturesUnordered<_> = groups
            .into_iter()
            .filter_map(|group| {
                let records = &self.paused.get(&group)?.records;
                let count = records.len().min(self.config.max_inputs.max(1));
                let inputs: Vec<Held> = records.iter().take(count).cloned().collect();
                Some((group, inputs, count < records.len()))
            })
            .map(|(group, inputs, more)| async move {
                let outcome = workshop.take(group, &inputs, None).await;
                (inputs, more, outcome)
            })
            .collect();
        let mut batch = Batch::default();
        while let Some((inputs, more, outcome)) = working.next().await {
            let outcome = outcome?;
            let paused = self.paused.get(&outcome.group);
            batch.add_held(self.stage.name(), &inputs, outcome, more, paused);
        }
        Ok(batch)
    }

    /// Tries groups again whose question is no longer under way.
    pub(super) async fn retry_answered(
        &mut self,
        input: &mut dyn StageLog,
        groups: Vec<GroupId>,
    ) -> Result<Committed, RunError> {
        let waited = |group: &GroupId| self.paused.why(group) == Some(Why::StillAnswering);
        let groups: HashSet<GroupId> = groups.into_iter().filter(waited).collect();
        self.retry(input, groups).await
    }

    /// Hears what operators ask for.
    pub(super) async fn release_requested(
        &mut self,
        input: &mut dyn StageLog,
        records: Vec<Record>,
    ) -> Result<Committed, RunError> {
        let mut groups = HashSet::new();
        for Record {
            partition,
            offset,
            event,
            ..
        } in records
        {
            self.requests.insert(partition, offset + 1);
            match event.as_deref() {
                Ok(Event::GroupReleaseRequested(asked)) if asked.stage == self.stage.name() => {
                    groups.insert(asked.header.group_id.clone());
                }
                _ => {}
            }
        }
        self.retry(input, groups).await
    }
}

/// Waits for records of the `parked` topic and reads them.
pub(super) async fn requests(
    log: &dyn EventLog,
    next: &BTreeMap<Partition, u64>,
) -> Result<Vec<Record>, LogError> {
    let read = |(&partition, &from): (&Partition, &u64)| async move {
        let mut known = from;
        loop {
            log.grown(Topic::Parked, partition, known).await?;
            let records = log.read(Topic::Parked, partition, from, 1_000).await?;
            if !records.is_empty() {
                return Ok(records);
            }
            // A gap, or a false alarm.
            known = log.end(Topic::Parked, partition).await?.max(known);
        }
    };
    let mut reading: FuturesUnordered<_> = next.iter().map(read).collect();
    match reading.next().await {
        Some(records) => records,
        None => std::future::pending().await,
    }
}
