//! Takes records that were just read: those of a group in order, groups side by side.

use std::collections::{HashMap, HashSet};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use mneme_log::{Record, StageLog};
use mneme_model::GroupId;
use mneme_telemetry::{metric, spans};
use tracing::Instrument;

use super::{Committed, RunError, StageRunner};
use crate::batch::Batch;
use crate::deadline::Deadline;
use crate::letters;
use crate::parked::{Held, Stop};
use crate::state::State;

impl<S: State> StageRunner<S> {
    pub(super) async fn process(
        &mut self,
        input: &mut dyn StageLog,
        mut records: Vec<Record>,
    ) -> Result<Committed, RunError> {
        while !records.is_empty() {
            let rest = records.split_off(records.len().min(self.config.max_inputs.max(1)));
            let started = std::time::Instant::now();
            let taken = std::mem::replace(&mut records, rest);
            let traces: HashSet<_> = taken.iter().filter_map(|record| record.trace).collect();
            let span = spans::of_batch(self.stage.name(), taken.len(), traces);
            let committed = async {
                let batch = self.decide(taken).await?;
                self.commit(input, batch).await
            };
            if let Committed::Aborted = committed.instrument(span).await? {
                return Ok(Committed::Aborted);
            }
            metrics::histogram!(metric::BATCH_SECONDS, "stage" => self.stage.name())
                .record(started.elapsed());
        }
        Ok(Committed::Yes)
    }

    async fn decide(&self, records: Vec<Record>) -> Result<Batch, RunError> {
        let stage = self.stage.as_ref();
        let mut batch = Batch::of(records.len());
        let mut groups: HashMap<GroupId, Vec<Held>> = HashMap::new();
        for Record {
            partition,
            offset,
            group_id,
            event,
            trace,
            ..
        } in records
        {
            batch.consumed.insert(partition, offset + 1);
            match event {
                Ok(input) => {
                    let inputs = groups.entry(input.group_id().clone()).or_default();
                    inputs.push(Held::new((partition, offset as i64), input, trace));
                }
                Err(bad) => {
                    let at = (partition, offset);
                    let letter = letters::undecodable(stage, group_id, at, bad);
                    batch.write(at, [letters::record_of(letter).within(trace)]);
                }
            }
        }
        let deadline = Deadline::after_first(self.config.batch_patience, self.shutdown.clone());
        let workshop = &self.workshop(deadline);
        let mut working: FuturesUnordered<_> = groups
            .into_iter()
            .map(|(group, inputs)| async move {
                let paused = self.paused.why(&group).map(Stop::behind);
                let outcome = workshop.take(group, &inputs, paused).await;
                (inputs, outcome)
            })
            .collect();
        while let Some((inputs, outcome)) = working.next().await {
            batch.add_read(stage.name(), inputs, outcome?, &self.paused);
        }
        Ok(batch)
    }
}
