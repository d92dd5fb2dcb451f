//! The database of a store: each generation is a keyspace of its own, dropped at once.

use std::path::Path;

use fjall::{Keyspace, KeyspaceCreateOptions};
use mneme_disk::{DatabaseOptions, DiskError, LockedDatabase};
use serde::de::DeserializeOwned;

use super::stored::Documents;
use crate::{Generation, StoreError};

/// The way out where an index and the rows beside it are of no use.
const WAY_OUT: &str = "build a new generation of the projections (`mneme replay`)";

/// The database of a store.
pub(in crate::embedded) struct DocumentStore {
    database: LockedDatabase,
}

impl DocumentStore {
    /// Opens the database in a folder; another process that has it is refused.
    pub fn open(folder: &Path, options: DatabaseOptions) -> Result<Self, StoreError> {
        let database =
            mneme_disk::open(folder, options, |_| Ok(())).map_err(|error| match error {
                DiskError::Locked(_) => StoreError::Refused(error.to_string()),
                DiskError::Folder { .. } => StoreError::Unavailable(error.to_string()),
                DiskError::Damaged { .. } | DiskError::Database { .. } => {
                    broken(&error.to_string())
                }
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
        Documents::of(keyspace, self.database.clone(), made_with)
    }

    /// A keyspace beside the rows.
    pub fn keyspace(&self, name: &str) -> Result<Keyspace, StoreError> {
        self.database
            .keyspace(name, || {
                KeyspaceCreateOptions::default().max_memtable_size(8 << 20)
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
