//! The state of one stage: a keyspace.
//!
//! ```text
//! group 0 key        →  value of a row
//! 0 partition u32    →  position: the next offset of the stage's own output to be folded
//! ```
//!
//! A group id has no zero byte and is not empty, so groups and positions keep apart. One keyspace
//! holds both, so that clearing it takes both away at once.

use std::collections::BTreeMap;

use fjall::{Keyspace, KeyspaceCreateOptions, PersistMode};
use mneme_disk::LockedDatabase;
use mneme_model::GroupId;
use mneme_stage::RowChanges;

use crate::cache::RowCache;
use crate::{DiskRows, StateError};

/// The rows of one stage and how far its output is folded into them.
#[derive(Clone)]
pub struct StageState {
    rows: Keyspace,
    cache: RowCache,
    // Dropped after the keyspace.
    database: LockedDatabase,
}

impl StageState {
    pub(crate) fn open(
        database: LockedDatabase,
        name: &str,
        cache: RowCache,
    ) -> Result<Self, StateError> {
        let options = || KeyspaceCreateOptions::default().max_memtable_size(16 << 20);
        let rows = database.keyspace(name, options)?;
        Ok(Self {
            rows,
            cache,
            database,
        })
    }

    /// The rows of a group. What a later commit changes is seen by it too.
    pub fn rows(&self, group: &GroupId) -> DiskRows {
        DiskRows::new(self.rows.clone(), self.cache.clone(), row_key(group, b""))
    }

    /// Writes changes of groups, in this order, and the positions that they lead to: the next
    /// offset by partition.
    pub fn commit(
        &self,
        changes: Vec<(GroupId, RowChanges)>,
        positions: &[(u32, u64)],
    ) -> Result<(), StateError> {
        // Two writes of one key in one batch have no order, so each key is written once.
        let mut writes: BTreeMap<Vec<u8>, Option<Vec<u8>>> = BTreeMap::new();
        for (group, changes) in changes {
            if changes.erased_before {
                self.erase(&group, &mut writes)?;
            }
            for (key, value) in changes.rows {
                writes.insert(row_key(&group, &key), value);
            }
        }
        for (partition, next) in positions {
            writes.insert(position_key(*partition), Some(next.to_be_bytes().to_vec()));
        }
        // The store would write a longer one cut off.
        let longest = writes.keys().map(Vec::len).max().unwrap_or(0);
        if longest > usize::from(u16::MAX) {
            return Err(StateError::KeyTooLong(longest));
        }
        // Handed to the operating system, so that the death of the process alone costs nothing.
        let mut batch = self.database.batch().durability(Some(PersistMode::Buffer));
        for (key, value) in &writes {
            match value {
                Some(value) => batch.insert(&self.rows, key.as_slice(), value.as_slice()),
                None => batch.remove(&self.rows, key.as_slice()),
            }
        }
        batch.commit()?;
        for (key, value) in writes {
            self.cache.written(key, value.as_deref());
        }
        Ok(())
    }

    /// The next offset of the stage's own output that is not folded in yet.
    pub fn position(&self, partition: u32) -> Result<u64, StateError> {
        let Some(value) = self.rows.get(position_key(partition))? else {
            return Ok(0);
        };
        let next = value.as_ref().try_into();
        let next = next.map_err(|_| StateError::Broken("a position is malformed".to_owned()))?;
        Ok(u64::from_be_bytes(next))
    }

    /// Drops all rows and positions, to fold anew from the first output.
    pub fn clear(&self) -> Result<(), StateError> {
        self.rows.clear()?;
        self.cache.clear();
        Ok(())
    }

    /// Drops the rows of a group, those on disk and those about to be written.
    fn erase(
        &self,
        group: &GroupId,
        writes: &mut BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    ) -> Result<(), StateError> {
        let prefix = row_key(group, b"");
        for (_, value) in writes
            .range_mut(prefix.clone()..)
            .take_while(|(key, _)| key.starts_with(&prefix))
        {
            *value = None;
        }
        for row in self.rows.prefix(&prefix) {
            writes.insert(row.key()?.to_vec(), None);
        }
        Ok(())
    }
}

fn row_key(group: &GroupId, key: &[u8]) -> Vec<u8> {
    let group = group.as_str().as_bytes();
    let mut whole = Vec::with_capacity(group.len() + 1 + key.len());
    whole.extend_from_slice(group);
    whole.push(0);
    whole.extend_from_slice(key);
    whole
}

fn position_key(partition: u32) -> Vec<u8> {
    let mut key = vec![0];
    key.extend_from_slice(&partition.to_be_bytes());
    key
}
