//! The rows of each generation on disk, in a keyspace of its own, with the checkpoints that go with
//! them: rows and checkpoints of a batch are written at once.
//!
//! A commit does not wait for the disk. The log is the truth, and a tail lost in a crash takes its
//! checkpoints with it, so it is applied again.

use std::collections::BTreeMap;
use std::path::Path;

use fjall::{Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, UserValue};
use mneme_disk::{DatabaseOptions, DiskError, LockedDatabase};
use mneme_events::Topic;
use mneme_model::{FactId, GroupId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::key::{self, GroupNumber};
use super::pending::PendingRows;
use super::row::{DocumentId, DocumentRow, Evidence};
use super::shelf::Shelf;
use crate::digest::{RowIdentity, RowSum, encode_row};
use crate::{Checkpoint, Digest, DocumentKind, Generation, StoreError};

/// The layout of keys and rows. Raise it with every change of them, of the wording of documents or of
/// the analysis of words: a generation of another layout is refused.
const LAYOUT: u32 = 1;

/// The way out where an index and the rows beside it are of no use.
const WAY_OUT: &str = "build a new generation of the projections (`mneme replay`)";

/// The database of a store.
pub(in crate::embedded) struct DocumentStore {
    database: LockedDatabase,
}

impl DocumentStore {
    /// Opens the database in a folder; another process that has it is refused.
    pub fn open(folder: &Path, options: DatabaseOptions) -> Result<Self, StoreError> {
        let database = mneme_disk::open(folder, options, |_| Ok(())).map_err(|error| match error {
            DiskError::Locked(_) => StoreError::Refused(error.to_string()),
            DiskError::Folder { .. } => StoreError::Unavailable(error.to_string()),
                DiskError::Damaged { .. } | DiskError::Database { .. } => broken(&error.to_string()),
        })?;
        Ok(Self { database })
    }

    /// Whether a generation is there.
    pub fn has(&self, generation: Generation) -> bool {
        self.database.keyspace_exists(&keyspace_name(generation))
    }

    /// A generation; a new one remembers what it was made with, such as a model.
    pub fn generation(
        &self,
        generation: Generation,
        made_with: &str,
    ) -> Result<Documents, StoreError> {
        let keyspace = self.keyspace(&keyspace_name(generation))?;
        let stored = keyspace.get(key::about()).map_err(store_error)?;
        let about = match stored {
            Some(value) => decode::<About>(&value)?,
            None => About {
                layout: LAYOUT,
                made_with: made_with.to_owned(),
                next_group: 1,
            },
        };
        if about.layout != LAYOUT {
            return Err(broken("it was made by another version"));
        }
        Ok(Documents {
            keyspace,
            database: self.database.clone(),
            made_with: about.made_with,
        })
    }

    /// A keyspace beside the rows.
    pub fn keyspace(&self, name: &str) -> Result<Keyspace, StoreError> {
        self.database
            .keyspace(name, || {
                KeyspaceCreateOptions::default().max_memtable_size(16 << 20)
            })
            .map_err(store_error)
    }

    /// Drops a keyspace; no matter if there is none.
    pub fn drop_keyspace(&self, name: &str) -> Result<(), StoreError> {
        if !self.database.keyspace_exists(name) {
            return Ok(());
        }
        let keyspace = self.keyspace(name)?;
        self.database.delete_keyspace(keyspace).map_err(store_error)
    }

    /// Drops the rows of a generation; no matter if there are none.
    pub fn drop_generation(&self, generation: Generation) -> Result<(), StoreError> {
        self.drop_keyspace(&keyspace_name(generation))
    }
}

fn keyspace_name(generation: Generation) -> String {
    format!("documents-{generation}")
}

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

/// Writes a keyspace out and compacts it.
pub(in crate::embedded) fn compact(keyspace: &Keyspace) -> Result<(), StoreError> {
    keyspace
        .rotate_memtable_and_wait()
        .and_then(|()| keyspace.major_compact())
        .map_err(store_error)
}

pub(in crate::embedded) fn decode<T: DeserializeOwned>(value: &[u8]) -> Result<T, StoreError> {
    postcard::from_bytes(value).map_err(|error| broken(&format!("a row does not decode: {error}")))
}

pub(in crate::embedded) fn store_error(error: fjall::Error) -> StoreError {
    match error {
        fjall::Error::Io(error) => StoreError::Unavailable(error.to_string()),
        error => broken(&error.to_string()),
    }
}

/// What is broken, and the way out.
pub(in crate::embedded) fn broken(what: &str) -> StoreError {
    StoreError::Broken(format!("{what}; {WAY_OUT}"))
}
