//! Where a stage's rows are kept. On disk in production; in memory in tests.

use std::collections::HashMap;

use mneme_log::Partition;
use mneme_model::GroupId;
use mneme_stage::{GroupRows, MemoryRows, RowChanges};

/// Why the state could not be read or written. The process should end; what is lost is read again
/// from the log.
#[derive(Debug, thiserror::Error)]
#[error("the state of the stage failed: {0}")]
pub struct StateFailure(pub String);

/// The rows of all groups of one stage, and how far they are in its output topic.
pub trait State: Send + Sync {
    /// Lets `read` look at the rows of a group, and fails if the rows could not be read.
    fn read<T>(
        &self,
        group: &GroupId,
        read: impl FnOnce(&dyn GroupRows) -> T,
    ) -> Result<T, StateFailure>;

    /// Writes changes, and the next offsets of the output topic, together.
    fn commit(
        &mut self,
        changes: Vec<(GroupId, RowChanges)>,
        positions: &[(Partition, u64)],
    ) -> Result<(), StateFailure>;

    /// The next offset of the output topic that is not folded in.
    fn position(&self, partition: Partition) -> Result<u64, StateFailure>;

    /// Forgets everything.
    fn clear(&mut self) -> Result<(), StateFailure>;
}

/// State in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryState {
    groups: HashMap<GroupId, MemoryRows>,
    positions: HashMap<Partition, u64>,
}

impl State for MemoryState {
    fn read<T>(
        &self,
        group: &GroupId,
        read: impl FnOnce(&dyn GroupRows) -> T,
    ) -> Result<T, StateFailure> {
        Ok(match self.groups.get(group) {
            Some(rows) => read(rows),
            None => read(&MemoryRows::default()),
        })
    }

    fn commit(
        &mut self,
        changes: Vec<(GroupId, RowChanges)>,
        positions: &[(Partition, u64)],
    ) -> Result<(), StateFailure> {
        for (group, changes) in changes {
            let rows = self.groups.entry(group).or_default();
            if changes.erased_before {
                *rows = MemoryRows::default();
            }
            for (key, value) in changes.rows {
                match value {
                    Some(value) => rows.put(key, value),
                    None => rows.delete(&key),
                }
            }
        }
        self.positions.extend(positions.iter().copied());
        Ok(())
    }

    fn position(&self, partition: Partition) -> Result<u64, StateFailure> {
        Ok(self.positions.get(&partition).copied().unwrap_or(0))
    }

    fn clear(&mut self) -> Result<(), StateFailure> {
        *self = Self::default();
        Ok(())
    }
}

impl From<mneme_state::StateError> for StateFailure {
    fn from(error: mneme_state::StateError) -> Self {
        Self(error.to_string())
    }
}

impl State for mneme_state::StageState {
    fn read<T>(
        &self,
        group: &GroupId,
        read: impl FnOnce(&dyn GroupRows) -> T,
    ) -> Result<T, StateFailure> {
        let rows = self.rows(group);
        let value = read(&rows);
        match rows.take_error() {
            Some(error) => Err(error.into()),
            None => Ok(value),
        }
    }

    fn commit(
        &mut self,
        changes: Vec<(GroupId, RowChanges)>,
        positions: &[(Partition, u64)],
    ) -> Result<(), StateFailure> {
        Ok(mneme_state::StageState::commit(self, changes, positions)?)
    }

    fn position(&self, partition: Partition) -> Result<u64, StateFailure> {
        Ok(mneme_state::StageState::position(self, partition)?)
    }

    fn clear(&mut self) -> Result<(), StateFailure> {
        Ok(mneme_state::StageState::clear(self)?)
    }
}
