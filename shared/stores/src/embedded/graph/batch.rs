//! A [`Batch`] gathers what changes write: a read sees what was written before in the batch, the
//! sums of groups follow every row, and all is committed at once or not at all.

use std::collections::{BTreeMap, HashMap};

use fjall::{Database, Keyspace, UserValue};
use mneme_model::GroupId;
use serde::de::DeserializeOwned;

use super::keys::{self, Key};
use super::{broken_row, store_error};
use crate::StoreError;
use crate::digest::{RowIdentity, RowSum, counted, encode_row};

/// Writes on top of a generation.
pub(super) struct Batch<'k> {
    keyspace: &'k Keyspace,
    writes: BTreeMap<Vec<u8>, Option<UserValue>>,
    sums: HashMap<GroupId, RowSum>,
}

impl<'k> Batch<'k> {
    pub(super) fn new(keyspace: &'k Keyspace) -> Self {
        Self {
            keyspace,
            writes: BTreeMap::new(),
            sums: HashMap::new(),
        }
    }

    fn get(&self, key: &[u8]) -> Result<Option<UserValue>, StoreError> {
        match self.writes.get(key) {
            Some(write) => Ok(write.clone()),
            None => self.keyspace.get(key).map_err(store_error),
        }
    }

    /// Reads a row.
    pub(super) fn row<T: DeserializeOwned>(
        &self,
        group: &GroupId,
        identity: &RowIdentity,
    ) -> Result<Option<T>, StoreError> {
        self.get(&Key::row(group, identity))?
            .map(|bytes| postcard::from_bytes(&bytes).map_err(broken_row))
            .transpose()
    }

    /// Writes a row.
    pub(super) fn put_row<T: serde::Serialize>(
        &mut self,
        group: &GroupId,
        identity: &RowIdentity,
        row: &T,
    ) -> Result<(), StoreError> {
        self.put_row_bytes(group, identity, encode_row(row)?)
    }

    /// Writes a row from its canonical bytes.
    pub(super) fn put_row_bytes(
        &mut self,
        group: &GroupId,
        identity: &RowIdentity,
        row: Vec<u8>,
    ) -> Result<(), StoreError> {
        let key = Key::row(group, identity);
        let old = self.get(&key)?;
        let sum = self.sum(group)?;
        if let Some(old) = old {
            let old = counted(identity.as_bytes(), &old);
            sum.remove(identity.as_bytes(), old);
        }
        let new = counted(identity.as_bytes(), &row);
        sum.add(identity.as_bytes(), new);
        self.writes.insert(key, Some(row.into()));
        Ok(())
    }

    /// Removes a row; no matter if it is not there.
    pub(super) fn remove_row(
        &mut self,
        group: &GroupId,
        identity: &RowIdentity,
    ) -> Result<(), StoreError> {
        let key = Key::row(group, identity);
        if let Some(old) = self.get(&key)? {
            let counted = counted(identity.as_bytes(), &old);
            self.sum(group)?.remove(identity.as_bytes(), counted);
            self.writes.insert(key, None);
        }
        Ok(())
    }

    /// Removes a row that was found by its key.
    pub(super) fn remove_row_found(
        &mut self,
        group: &GroupId,
        key: Vec<u8>,
        row: &[u8],
    ) -> Result<(), StoreError> {
        let identity = key.get(group.as_str().len() + 1..).unwrap_or_default();
        self.sum(group)?.remove(identity, counted(identity, row));
        self.writes.insert(key, None);
        Ok(())
    }

    /// How many keys are written.
    pub(super) fn len(&self) -> usize {
        self.writes.len()
    }

    /// Writes an entry of an index.
    pub(super) fn put_entry(&mut self, key: Vec<u8>, value: UserValue) {
        self.writes.insert(key, Some(value));
    }

    /// Removes an entry of an index.
    pub(super) fn remove_entry(&mut self, key: Vec<u8>) {
        self.writes.insert(key, None);
    }

    /// All with a prefix, as the batch has left it.
    pub(super) fn scan(&self, prefix: &[u8]) -> Result<Vec<(Vec<u8>, UserValue)>, StoreError> {
        let mut found = BTreeMap::new();
        for entry in self.keyspace.prefix(prefix) {
            let (key, value) = entry.into_inner().map_err(store_error)?;
            found.insert(key.to_vec(), value);
        }
        let writes = self
            .writes
            .range(prefix.to_vec()..)
            .take_while(|(key, _)| key.starts_with(prefix));
        for (key, write) in writes {
            match write {
                Some(value) => found.insert(key.clone(), value.clone()),
                None => found.remove(key),
            };
        }
        Ok(found.into_iter().collect())
    }

    fn sum(&mut self, group: &GroupId) -> Result<&mut RowSum, StoreError> {
        if !self.sums.contains_key(group) {
            let stored = self.keyspace.get(keys::sum(group)).map_err(store_error)?;
            let sum = match stored {
                Some(bytes) => postcard::from_bytes(&bytes).map_err(broken_row)?,
                None => RowSum::default(),
            };
            self.sums.insert(group.clone(), sum);
        }
        Ok(self.sums.entry(group.clone()).or_default())
    }

    /// Writes all to the store at once.
    pub(super) fn commit(mut self, database: &Database) -> Result<(), StoreError> {
        for (group, sum) in std::mem::take(&mut self.sums) {
            let value = if sum.is_empty() {
                None
            } else {
                Some(encode_row(&sum)?.into())
            };
            self.writes.insert(keys::sum(&group), value);
        }
        let mut batch = database.batch();
        for (key, write) in self.writes {
            match write {
                Some(value) => batch.insert(self.keyspace, key, value),
                None => batch.remove(self.keyspace, key),
            }
        }
        batch.commit().map_err(store_error)
    }
}
