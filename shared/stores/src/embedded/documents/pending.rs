//! Rows as a batch leaves them: what it wrote before what is stored. Nothing is seen by others until
//! it is committed.

use std::collections::BTreeMap;

use fjall::{Keyspace, UserValue};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::store::{decode, store_error};
use crate::StoreError;
use crate::digest::encode_row;

pub(super) struct PendingRows {
    stored: Keyspace,
    written: BTreeMap<Vec<u8>, Option<UserValue>>,
}

impl PendingRows {
    pub fn new(stored: Keyspace) -> Self {
        Self {
            stored,
            written: BTreeMap::new(),
        }
    }

    pub fn get<T: DeserializeOwned>(&self, key: &[u8]) -> Result<Option<T>, StoreError> {
        let value = match self.written.get(key) {
            Some(written) => written.clone(),
            None => self.stored.get(key).map_err(store_error)?,
        };
        value.map(|value| decode(&value)).transpose()
    }

    pub fn put<T: Serialize>(&mut self, key: Vec<u8>, row: &T) -> Result<(), StoreError> {
        let value = encode_row(row)?;
        self.written.insert(key, Some(value.into()));
        Ok(())
    }

    pub fn remove(&mut self, key: Vec<u8>) {
        self.written.insert(key, None);
    }

    /// The rows whose key begins so, in order.
    pub fn with_prefix(&self, prefix: &[u8]) -> Result<Vec<(Vec<u8>, UserValue)>, StoreError> {
        let mut rows = BTreeMap::new();
        for entry in self.stored.prefix(prefix) {
            let (key, value) = entry.into_inner().map_err(store_error)?;
            rows.insert(key.to_vec(), value);
        }
        let written = self.written.range(prefix.to_vec()..);
        for (key, value) in written.take_while(|(key, _)| key.starts_with(prefix)) {
            match value {
                Some(value) => rows.insert(key.clone(), value.clone()),
                None => rows.remove(key),
            };
        }
        Ok(rows.into_iter().collect())
    }

    /// What was written: a value or a removal for each key.
    pub fn into_writes(self) -> impl Iterator<Item = (Vec<u8>, Option<UserValue>)> {
        self.written.into_iter()
    }
}
