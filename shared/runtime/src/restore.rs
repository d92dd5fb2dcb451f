//! Before a stage decides anything, its state is brought to the end of its own output: what was
//! committed but not yet folded when it stopped is folded now. A state that is lost is folded from
//! the start; one that is ahead of the log (the machine lost the log's tail, the state's not) is
//! thrown away and folded anew.
//!
//! Beside its position in the output, a state has one in `inferences`, and one in `parked`: before
//! that, nothing is held.

use std::collections::{BTreeMap, HashMap};

use mneme_events::Topic;
use mneme_log::{EventLog, Partition, Record};
use mneme_model::GroupId;
use mneme_stage::{OverlayRows, RowChanges, Stage, StageError};

use crate::fold::{fold_inference, fold_output};
use crate::parked::PausedGroups;
use crate::runner::RunError;
use crate::state::State;

/// How many records are read and folded at once.
const CHUNK: usize = 2_000;

/// The bits that tell positions in side topics from those in the stage's output.
pub(crate) const INFERENCES: Partition = 1 << 31;
pub(crate) const PARKED: Partition = 1 << 30;

/// What a stage knows when it begins with partitions.
pub(crate) struct Restored {
    pub paused: PausedGroups,
    /// How far the `parked` topic was read.
    pub parked: BTreeMap<Partition, u64>,
}

/// Brings the state of the partitions to the end of the log, and tells which groups are paused.
pub(crate) async fn restore<S: State>(
    stage: &dyn Stage,
    log: &dyn EventLog,
    state: &mut S,
    partitions: &[Partition],
) -> Result<Restored, RunError> {
    // Reads after this see all that was committed before it.
    for &partition in partitions {
        let topics = [
            (stage.output(), 0),
            (Topic::Inferences, INFERENCES),
            (Topic::Parked, PARKED),
        ];
        for (topic, bit) in topics {
            if state.position(partition | bit)? > log.end(topic, partition).await? {
                tracing::warn!(
                    stage = stage.name(),
                    %topic,
                    partition,
                    "the state is ahead of the log; it is folded anew"
                );
                state.clear()?;
            }
        }
    }
    let mut restored = Restored {
        paused: PausedGroups::default(),
        parked: BTreeMap::new(),
    };
    for &partition in partitions {
        fold(stage, log, state, stage.output(), partition, partition).await?;
        fold(
            stage,
            log,
            state,
            Topic::Inferences,
            partition,
            partition | INFERENCES,
        )
        .await?;
        let mut next = state.position(partition | PARKED)?;
        loop {
            let records = log.read(Topic::Parked, partition, next, CHUNK).await?;
            let Some(last) = records.last() else { break };
            next = last.offset + 1;
            for record in &records {
                restored.paused.apply(stage.name(), record);
            }
        }
        restored.parked.insert(partition, next);
    }
    Ok(restored)
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
        let Some(last) = records.last() else {
            return Ok(());
        };
        next = last.offset + 1;
        let changes = fold_records(stage, state, topic, records)?;
        state.commit(changes, &[(position, next)])?;
    }
}

fn fold_records<S: State>(
    stage: &dyn Stage,
    state: &S,
    topic: Topic,
    records: Vec<Record>,
) -> Result<Vec<(GroupId, RowChanges)>, RunError> {
    let mut groups: HashMap<GroupId, Vec<Record>> = HashMap::new();
    for record in records {
        match &record.event {
            Ok(event) => groups
                .entry(event.group_id().clone())
                .or_default()
                .push(record),
            // Another stage's, or one that is asked for again.
            Err(_) if topic == Topic::Inferences => {}
            Err(bad) => {
                let reason = format!("the stage's own output does not decode: {}", bad.reason);
                return Err(RunError::Broken(reason));
            }
        }
    }
    let mut changes = Vec::with_capacity(groups.len());
    for (group, records) in groups {
        let folded = state.read(&group, |base| -> Result<RowChanges, StageError> {
            let mut rows = OverlayRows::new(base);
            for event in records
                .iter()
                .filter_map(|record| record.event.as_ref().ok())
            {
                match topic {
                    Topic::Inferences => fold_inference(stage.name(), &mut rows, event),
                    _ => fold_output(stage, &mut rows, event)?,
                }
            }
            Ok(rows.into_changes())
        })?;
        changes.push((
            group,
            folded.map_err(|error| RunError::Broken(error.to_string()))?,
        ));
    }
    Ok(changes)
}
