//! Before a stage decides anything, its state is brought to the end of its own output: what was
//! committed but not yet folded when it stopped is folded now. A state that is lost is folded from
//! the start; one that is ahead of the log (the machine lost the log's tail, the state's not) is
//! thrown away and folded anew.

use std::collections::HashMap;

use mneme_events::{Event, Topic};
use mneme_log::{EventLog, Partition, Record};
use mneme_model::GroupId;
use mneme_stage::{OverlayRows, RowChanges, Stage, StageError, note_seq};

use crate::answers::note_answer;
use crate::parked::PausedGroups;
use crate::runner::RunError;
use crate::state::State;

/// How many records are read and folded at once.
const CHUNK: usize = 2_000;

/// The bit that tells the position in the recorded answers from that in the stage's output.
const INFERENCES: Partition = 1 << 31;

/// Brings the state of the partitions to the end of the log, and tells which groups are paused.
pub(crate) async fn restore<S: State>(
    stage: &dyn Stage,
    log: &dyn EventLog,
    state: &mut S,
    partitions: &[Partition],
) -> Result<PausedGroups, RunError> {
    for &partition in partitions {
        let end = log.end(stage.output(), partition).await?;
        if state.position(partition)? > end {
            tracing::warn!(
                stage = stage.name(),
                partition,
                "the state is ahead of the log; it is folded anew"
            );
            state.clear()?;
        }
    }
    let mut paused = PausedGroups::default();
    for &partition in partitions {
        fold(stage, log, state, stage.output(), partition, partition).await?;
        fold(stage, log, state, Topic::Inferences, partition, partition | INFERENCES).await?;
        let mut next = 0;
        loop {
            let records = log.read(Topic::Parked, partition, next, CHUNK).await?;
            let Some(last) = records.last() else { break };
            next = last.offset + 1;
            for event in records.iter().filter_map(|record| record.event.as_ref().ok()) {
                paused.apply(stage.name(), event);
            }
        }
    }
    Ok(paused)
}

async fn fold<S: State>(
    stage: &dyn Stage,
    log: &dyn EventLog,
    state: &mut S,
    topic: Topic,
    partition: Partition,
    position: Partition,
) -> Result<(), RunError> {
    let mut next = state.position(position)?;
    loop {
        let records = log.read(topic, partition, next, CHUNK).await?;
        let Some(last) = records.last() else { return Ok(()) };
        next = last.offset + 1;
        let changes = fold_records(stage, state, records)?;
        state.commit(changes, &[(position, next)])?;
    }
}

fn fold_records<S: State>(
    stage: &dyn Stage,
    state: &S,
    records: Vec<Record>,
) -> Result<Vec<(GroupId, RowChanges)>, RunError> {
    let mut groups: HashMap<GroupId, Vec<Record>> = HashMap::new();
    for record in records {
        let event = record.event.as_ref().map_err(|bad| {
            RunError::Broken(format!("the stage's own output does not decode: {}", bad.reason))
        })?;
        groups.entry(event.group_id().clone()).or_default().push(record);
    }
    let mut changes = Vec::with_capacity(groups.len());
    for (group, records) in groups {
        let folded = state.read(&group, |base| -> Result<RowChanges, StageError> {
            let mut rows = OverlayRows::new(base);
            for event in records.iter().filter_map(|record| record.event.as_ref().ok()) {
                match event.as_ref() {
                    Event::InferenceRecorded(recorded) => note_answer(&mut rows, recorded),
                    output => {
                        if matches!(output, Event::GroupErased(_)) {
                            rows.erase_all();
                        }
                        stage.apply(&mut rows, output)?;
                        note_seq(&mut rows, output)?;
                    }
                }
            }
            Ok(rows.into_changes())
        })?;
        changes.push((group, folded.map_err(|error| RunError::Broken(error.to_string()))?));
    }
    Ok(changes)
}
