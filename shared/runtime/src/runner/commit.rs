//! Commits a batch and then folds it, in this order: the log is the truth.

use mneme_events::Topic;
use mneme_log::{CommitError, Consumed, NewRecord, Partition, StageLog, Written};
use mneme_telemetry::metric;

use super::{Committed, FIRST_PAUSE, LONGEST_PAUSE, RunError, StageRunner};
use crate::batch::Batch;
use crate::restore::{INFERENCES, PARKED};
use crate::state::State;

impl<S: State> StageRunner<S> {
    pub(super) async fn commit(
        &mut self,
        input: &mut dyn StageLog,
        mut batch: Batch,
    ) -> Result<Committed, RunError> {
        let stage = self.stage.name();
        let outputs = batch.take_records();
        let consumed = batch.positions(self.stage.input());
        metrics::counter!(metric::INPUTS, "stage" => stage).increment(batch.inputs as u64);
        metrics::histogram!(metric::BATCH_INPUTS, "stage" => stage).record(batch.inputs as f64);
        metrics::counter!(metric::OUTPUTS, "stage" => stage).increment(outputs.len() as u64);
        let Some(written) = self.write(input, outputs, consumed).await? else {
            return Ok(Committed::Aborted);
        };
        for (group, digest) in &batch.answered {
            self.desk.settle(group, digest);
        }
        for change in std::mem::take(&mut batch.pauses) {
            self.paused.change(change);
        }
        let positions = self.folded_positions(&written);
        self.state.commit(batch.changes, &positions)?;
        self.note_paused();
        Ok(Committed::Yes)
    }

    /// How far the state is when the batch is folded in: behind all that the commit wrote. Where it
    /// wrote nothing, the state stays at what it has.
    fn folded_positions(&self, written: &[Written]) -> Vec<(Partition, u64)> {
        let bit_of = |written: &Written| match written.topic {
            topic if topic == self.stage.output() => Some(0),
            Topic::Inferences => Some(INFERENCES),
            Topic::Parked if !self.holds_records_of(written.partition) => Some(PARKED),
            _ => None,
        };
        let position =
            |written: &Written| Some((written.partition | bit_of(written)?, written.next));
        written.iter().filter_map(position).collect()
    }

    fn holds_records_of(&self, partition: Partition) -> bool {
        let mut paused = self.paused.groups();
        paused.any(|group| self.log.partition_of(group) == partition)
    }

    /// Commits, and tells where the outputs ended; nothing where the work is void.
    async fn write(
        &self,
        input: &mut dyn StageLog,
        outputs: Vec<NewRecord>,
        consumed: Vec<Consumed>,
    ) -> Result<Option<Vec<Written>>, RunError> {
        let stage = self.stage.name();
        let mut pause = FIRST_PAUSE;
        loop {
            match input.commit(outputs.clone(), consumed.clone()).await {
                Ok(written) => return Ok(Some(written)),
                Err(CommitError::Abort(reason)) => {
                    tracing::warn!(stage, reason, "the commit was aborted");
                    return Ok(None);
                }
                Err(CommitError::Fenced(reason)) => return Err(RunError::Fenced(reason)),
                Err(CommitError::Broken(reason)) => return Err(RunError::Broken(reason)),
                Err(CommitError::Retry(reason)) => {
                    tracing::warn!(stage, reason, "the commit is tried again");
                    metrics::counter!(metric::COMMIT_RETRIES, "stage" => stage).increment(1);
                    if !self.pause(pause).await {
                        // Nothing of it is visible: the next start takes the inputs again.
                        return Ok(None);
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }
}
