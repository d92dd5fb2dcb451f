//! The rows of a generation. Rows and checkpoints of a batch are written at once.
//!
//! A commit does not wait for the disk. The log is the truth, and a tail lost in a crash takes its
//! checkpoints with it, so it is applied again.

use std::collections::BTreeMap;

use fjall::{Keyspace, OwnedWriteBatch, PersistMode, UserValue};
use mneme_disk::LockedDatabase;
use mneme_events::Topic;
use mneme_model::{FactId, GroupId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::key::{self, GroupNumber};
use super::pending::PendingRows;
use super::row::{DocumentId, DocumentRow, Evidence};
use super::shelf::Shelf;
use super::store::{broken, compact, decode, store_error};
use crate::digest::{RowIdentity, RowSum, encode_row};
use crate::{Checkpoint, Digest, DocumentKind, StoreError};

/// The layout of keys and rows. Raise it with every change of them, of the wording of documents or of
/// the analysis of words: a generation of another layout is refused.
const LAYOUT: u32 = 1;

/// What a generation says about itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct About {
    layout: u32,
    /// What it was made with, such as a model.
    made_with: String,
    pub next_group: GroupNumber,
}

/// A group: its number, its next slots, the sum of its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct GroupRow {
    pub number: GroupNumber,
    pub next_slots: [u32; 4],
    pub sum: RowSum,
}

/// The rows of a generation.
#[derive(Clone)]
pub(in crate::embedded) struct Documents {
    // Dropped in this order: no keyspace outlives its database.
    keyspace: Keyspace,
    database: LockedDatabase,
    made_with: String,
}

impl Documents {
    /// The rows in a keyspace; new ones remember what they were made with.
    pub fn of(
        keyspace: Keyspace,
        database: LockedDatabase,
        made_with: &str,
    ) -> Result<Self, StoreError> {
        let mut documents = Self {
            keyspace,
            database,
            made_with: made_with.to_owned(),
        };
        let about = documents.about()?;
        if about.layout != LAYOUT {
            return Err(broken("it was made by another version"));
        }
        documents.made_with = about.made_with;
        Ok(documents)
    }

    /// What the generation was made with.
    pub fn made_with(&self) -> &str {
        &self.made_with
    }

    pub(super) fn pending(&self) -> PendingRows {
        PendingRows::new(self.keyspace.clone())
    }

    pub(super) fn about(&self) -> Result<About, StoreError> {
        let stored = self.get(&key::about())?;
        Ok(stored.unwrap_or_else(|| About {
            layout: LAYOUT,
            made_with: self.made_with.clone(),
            next_group: 1,
        }))
    }

    fn get<T: DeserializeOwned>(&self, key: &[u8]) -> Result<Option<T>, StoreError> {
        let value = self.keyspace.get(key).map_err(store_error)?;
        value.map(|value| decode(&value)).transpose()
    }

    /// The number of a group; none when the generation holds nothing of it.
    pub fn group(&self, id: &GroupId) -> Result<Option<GroupNumber>, StoreError> {
        let row: Option<GroupRow> = self.get(&key::group(id))?;
        Ok(row.map(|row| row.number))
    }

    /// A document.
    pub fn document(
        &self,
        group: GroupNumber,
        kind: DocumentKind,
        id: &DocumentId,
    ) -> Result<Option<DocumentRow>, StoreError> {
        self.get(&key::row(group, &id.identity(kind)))
    }

    /// What is known for a fact.
    pub fn evidence(&self, group: GroupNumber, fact: FactId) -> Result<Vec<Evidence>, StoreError> {
        let mut evidence = Vec::new();
        for entry in self.keyspace.prefix(key::evidence_of(group, fact)) {
            let entry = entry.key().map_err(store_error)?;
            if let Some(statement) = key::statement_of(&entry) {
                let row = self.get(&key::row(group, &RowIdentity::support(statement)))?;
                evidence.extend(row);
            }
        }
        Ok(evidence)
    }

    /// Reads the documents of a kind that searches see.
    pub fn shelf(&self, group: GroupNumber, kind: DocumentKind) -> Result<Shelf, StoreError> {
        let mut shelf = Shelf::default();
        let prefix = key::rows(group, key::row_kind(kind));
        for entry in self.keyspace.prefix(prefix) {
            let (key, value) = entry.into_inner().map_err(store_error)?;
            let row: DocumentRow = decode(&value)?;
            let id = key
                .get(key::BEFORE_ID..)
                .and_then(|id| DocumentId::from_key(kind, id))
                .ok_or_else(|| broken("a key does not decode"))?;
            if row.attributes.is_searched() {
                shelf.put(row.slot, id, row.length, row.attributes);
            }
        }
        Ok(shelf)
    }

    /// The checkpoint of a partition of a topic.
    pub fn checkpoint(&self, topic: Topic, partition: u32) -> Result<u64, StoreError> {
        let stored = self.get(&key::checkpoint(topic, partition))?;
        Ok(stored.unwrap_or(0))
    }

    /// The digest of each group.
    pub fn digests(&self) -> Result<BTreeMap<GroupId, Digest>, StoreError> {
        let mut digests = BTreeMap::new();
        for entry in self.keyspace.prefix(key::groups()) {
            let (key, value) = entry.into_inner().map_err(store_error)?;
            let group = key::group_id_of(&key).ok_or_else(|| broken("a key does not decode"))?;
            digests.insert(group, decode::<GroupRow>(&value)?.sum.digest());
        }
        Ok(digests)
    }

    /// Writes what a batch wrote, its checkpoints and what the caller adds, at once.
    pub(super) fn commit(
        &self,
        writes: impl Iterator<Item = (Vec<u8>, Option<UserValue>)>,
        checkpoints: &[Checkpoint],
        add: impl FnOnce(&mut OwnedWriteBatch) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut batch = self.database.batch();
        for (key, value) in writes {
            match value {
                Some(value) => batch.insert(&self.keyspace, key, value),
                None => batch.remove(&self.keyspace, key),
            }
        }
        for checkpoint in checkpoints {
            let key = key::checkpoint(checkpoint.topic, checkpoint.partition);
            batch.insert(&self.keyspace, key, encode_row(&checkpoint.next)?);
        }
        add(&mut batch)?;
        batch.commit().map_err(store_error)
    }

    /// Writes what the caller adds, at once.
    pub fn write(
        &self,
        add: impl FnOnce(&mut OwnedWriteBatch) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.commit(std::iter::empty(), &[], add)
    }

    /// Waits until all that was written is safe from a crash of the machine.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.database
            .persist(PersistMode::SyncAll)
            .map_err(store_error)
    }

    /// Writes out and compacts, so that what was removed is gone from the disk too.
    pub fn compact(&self) -> Result<(), StoreError> {
        compact(&self.keyspace)
    }
}
