//! A state that outlives its runner, as one on disk does, and that can be lost in part or whole.

use std::sync::{Arc, Mutex};

use mneme_log::Partition;
use mneme_model::GroupId;
use mneme_runtime::{MemoryState, State, StateFailure};
use mneme_stage::{GroupRows, Row, RowChanges};

/// What a crash does to a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    Nothing,
    Everything,
    /// The last commits, as a crash of the machine does.
    Last(usize),
}

/// How many earlier states are kept.
const HISTORY: usize = 4;

/// The last states, the present one last.
#[derive(Clone)]
pub struct Kept(Arc<Mutex<Vec<MemoryState>>>);

impl Default for Kept {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(vec![MemoryState::default()])))
    }
}

impl Kept {
    pub fn lose(&self, loss: Loss) {
        let mut states = self.0.lock().unwrap();
        match loss {
            Loss::Nothing => {}
            Loss::Everything => *states = vec![MemoryState::default()],
            Loss::Last(count) => {
                let left = states.len().saturating_sub(count).max(1);
                states.truncate(left);
            }
        }
    }

    /// All rows of a group.
    pub fn rows(&self, group: &GroupId) -> Vec<Row> {
        self.read(group, |rows| rows.range(&[], &[0xff; 64]).collect())
            .unwrap()
    }

    fn change(&self, change: impl FnOnce(&mut MemoryState) -> Result<(), StateFailure>) {
        let mut states = self.0.lock().unwrap();
        let mut state = states.last().unwrap().clone();
        change(&mut state).unwrap();
        states.push(state);
        if states.len() > HISTORY {
            states.remove(0);
        }
    }
}

impl State for Kept {
    fn read<T>(
        &self,
        group: &GroupId,
        read: impl FnOnce(&dyn GroupRows) -> T,
    ) -> Result<T, StateFailure> {
        self.0.lock().unwrap().last().unwrap().read(group, read)
    }

    fn commit(
        &mut self,
        changes: Vec<(GroupId, RowChanges)>,
        positions: &[(Partition, u64)],
    ) -> Result<(), StateFailure> {
        self.change(|state| state.commit(changes, positions));
        Ok(())
    }

    fn position(&self, partition: Partition) -> Result<u64, StateFailure> {
        self.0.lock().unwrap().last().unwrap().position(partition)
    }

    fn clear(&mut self) -> Result<(), StateFailure> {
        self.lose(Loss::Everything);
        Ok(())
    }
}
