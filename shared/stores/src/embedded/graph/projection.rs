//! Being written to: batches, checkpoints, generations and digests.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use async_trait::async_trait;
use fjall::Readable;
use mneme_events::Topic;
use mneme_model::GroupId;

use super::batch::Batch;
use super::{EmbeddedGraph, apply, blocking, erase, keys, store_error, view};
use crate::digest::{RowSum, counted, encode_row};
use crate::{Change, Checkpoint, Digest, Generation, Projection, StoreError};

#[async_trait]
impl Projection for EmbeddedGraph {
    fn name(&self) -> &'static str {
        "graph"
    }

    async fn apply(
        &self,
        generation: Generation,
        changes: &[(GroupId, Change)],
        checkpoints: &[Checkpoint],
    ) -> Result<(), StoreError> {
        blocking(|| {
            let applying = self.lock();
            let keyspace = self.generation_to_write(generation, &applying)?;
            let mut batch = Batch::new(&keyspace);
            for (group, change) in changes {
                if let Change::EraseGroup { topic } = change {
                    std::mem::replace(&mut batch, Batch::new(&keyspace)).commit(&self.database)?;
                    erase::erase_group(&self.database, &keyspace, group, *topic)?;
                } else {
                    apply::apply(&mut batch, group, change)?;
                }
            }
            for checkpoint in checkpoints {
                let key = keys::checkpoint(checkpoint.topic, checkpoint.partition);
                batch.put_entry(key, encode_row(&checkpoint.next)?.into());
            }
            batch.commit(&self.database)
        })
    }

    async fn checkpoint(
        &self,
        generation: Generation,
        topic: Topic,
        partition: u32,
    ) -> Result<u64, StoreError> {
        let Some(keyspace) = self.generation(generation) else {
            return Ok(0);
        };
        let stored = keyspace
            .get(keys::checkpoint(topic, partition))
            .map_err(store_error)?;
        stored.map_or(Ok(0), |bytes| view::decode(&bytes))
    }

    async fn drop_generation(&self, generation: Generation) -> Result<(), StoreError> {
        blocking(|| {
            let _applying = self.lock();
            let dropped = self
                .generations
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&generation);
            match dropped {
                Some(keyspace) => self.database.delete_keyspace(keyspace).map_err(store_error),
                None => Ok(()),
            }
        })
    }

    async fn digests(
        &self,
        generation: Generation,
    ) -> Result<BTreeMap<GroupId, Digest>, StoreError> {
        let sums = self.sums(generation)?;
        Ok(sums
            .into_iter()
            .map(|(group, sum)| (group, sum.digest()))
            .collect())
    }
}

impl EmbeddedGraph {
    /// The digests as the rows on the disk give them, by reading every one: what
    /// [`Projection::digests`] must equal. It costs what the generation holds.
    pub fn digests_by_scan(
        &self,
        generation: Generation,
    ) -> Result<BTreeMap<GroupId, Digest>, StoreError> {
        let Some(keyspace) = self.generation(generation) else {
            return Ok(BTreeMap::new());
        };
        let snapshot = self.database.snapshot();
        let mut sums: BTreeMap<GroupId, RowSum> = BTreeMap::new();
        for entry in snapshot.range(&keyspace, [keys::SUM + 1]..) {
            let (key, row) = entry.into_inner().map_err(store_error)?;
            let (group, rest) = keys::split_group(&key)
                .ok_or_else(|| StoreError::Broken("a key names no group".to_owned()))?;
            if keys::is_row(rest) {
                let sum = sums.entry(group).or_default();
                sum.add(rest, counted(rest, &row));
            }
        }
        Ok(sums
            .into_iter()
            .map(|(group, sum)| (group, sum.digest()))
            .collect())
    }

    /// The sum of each group that the generation holds something of.
    pub(super) fn sums(
        &self,
        generation: Generation,
    ) -> Result<BTreeMap<GroupId, RowSum>, StoreError> {
        let Some(keyspace) = self.generation(generation) else {
            return Ok(BTreeMap::new());
        };
        let snapshot = self.database.snapshot();
        let mut sums = BTreeMap::new();
        for entry in snapshot.prefix(&keyspace, [keys::SUM]) {
            let (key, value) = entry.into_inner().map_err(store_error)?;
            let group = key
                .get(1..)
                .and_then(|id| std::str::from_utf8(id).ok())
                .and_then(|id| GroupId::new(id).ok())
                .ok_or_else(|| StoreError::Broken("a sum names no group".to_owned()))?;
            sums.insert(group, view::decode(&value)?);
        }
        Ok(sums)
    }
}
