//! Commits a batch and then folds it, in this order: the log is the truth.

use mneme_events::Topic;
use mneme_log::{CommitError, Consumed, NewRecord, Partition, StageLog};
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
        let wrote = [Topic::Inferences, Topic::Parked]
            .map(|topic| outputs.iter().any(|record| record.topic == topic));
        metrics::counter!(metric::INPUTS, "stage" => stage).increment(batch.inputs as u64);
        metrics::histogram!(metric::BATCH_INPUTS, "stage" => stage).record(batch.inputs as f64);
        metrics::counter!(metric::OUTPUTS, "stage" => stage).increment(outputs.len() as u64);
        if let Committed::Aborted = self.write(input, outputs, consumed).await? {
            return Ok(Committed::Aborted);
        }
        for (group, digest) in &batch.answered {
            self.desk.settle(group, digest);
        }
        for change in std::mem::take(&mut batch.pauses) {
            self.paused.change(change);
        }
        let positions = self.folded_positions(&batch, wrote).await?;
        self.state.commit(batch.changes, &positions)?;
        self.note_paused();
        Ok(Committed::Yes)
    }

    /// How far the state is when the batch is folded in.
    async fn folded_positions(
        &self,
        batch: &Batch,
        [wrote_answers, wrote_parked]: [bool; 2],
    ) -> Result<Vec<(Partition, u64)>, RunError> {
        let log = &self.log;
        let mut partitions: Vec<Partition> = batch.consumed.keys().copied().collect();
        partitions.extend(
            batch
                .changes
                .iter()
                .map(|(group, _)| log.partition_of(group)),
        );
        partitions.sort_unstable();
        partitions.dedup();
        let mut positions = Vec::with_capacity(partitions.len());
        for partition in partitions {
            positions.push((partition, log.end(self.stage.output(), partition).await?));
            if wrote_answers {
                let end = log.end(Topic::Inferences, partition).await?;
                positions.push((partition | INFERENCES, end));
            }
            let mut paused = self.paused.groups();
            if wrote_parked && !paused.any(|group| log.partition_of(group) == partition) {
                let end = log.end(Topic::Parked, partition).await?;
                positions.push((partition | PARKED, end));
            }
        }
        Ok(positions)
    }

    async fn write(
        &self,
        input: &mut dyn StageLog,
        outputs: Vec<NewRecord>,
        consumed: Vec<Consumed>,
    ) -> Result<Committed, RunError> {
        let stage = self.stage.name();
        let mut pause = FIRST_PAUSE;
        loop {
            match input.commit(outputs.clone(), consumed.clone()).await {
                Ok(()) => return Ok(Committed::Yes),
                Err(CommitError::Abort(reason)) => {
                    tracing::warn!(stage, reason, "the commit was aborted");
                    return Ok(Committed::Aborted);
                }
                Err(CommitError::Fenced(reason)) => return Err(RunError::Fenced(reason)),
                Err(CommitError::Retry(reason)) => {
                    tracing::warn!(stage, reason, "the commit is tried again");
                    metrics::counter!(metric::COMMIT_RETRIES, "stage" => stage).increment(1);
                    if !self.pause(pause).await {
                        // Nothing of it is visible: the next start takes the inputs again.
                        return Ok(Committed::Aborted);
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }
}
