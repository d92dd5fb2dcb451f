//! What stages remember, on disk: the rows of each group, as the fold of the stage's own output up
//! to a position that is stored with them.
//!
//! 1. Rows and positions change together: after any crash the rows are exactly the fold up to the
//!    stored position.
//! 2. Nothing is fsynced. The log is the truth and is fsynced before a fold reaches this store, so
//!    a crash of the machine only sets the state back to an earlier position, from which it is
//!    folded again. (Where the log itself gives up fsync, a position beyond the log's end tells
//!    that the state is ahead of it: [`StageState::clear`] it and fold anew.)
//! 3. A step costs what it touches: rows are read from disk through a cache of bounded size, so a
//!    node holds more groups than fit in memory.

mod cache;
mod rows;
mod stage;

use std::path::Path;

use mneme_disk::{DatabaseOptions, DiskError, LockedDatabase};

pub use rows::DiskRows;
pub use stage::StageState;

/// Bytes of the cache for blocks that were read, unless told otherwise.
pub const DEFAULT_CACHE_BYTES: u64 = 32 << 20;
/// Bytes of the cache for rows that were read, of each stage.
const ROW_CACHE_BYTES: u64 = 16 << 20;

/// Why the state could not be used. The process should end; a state that can't be opened may be
/// removed, for it is read back from the log.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Another process has the folder.
    #[error("{0}")]
    Locked(String),
    /// The disk or the database refused.
    #[error("the state is broken: {0}")]
    Broken(String),
    /// A bug: a key does not fit the store, which takes up to 65,535 bytes with the group. Nothing
    /// was written.
    #[error("a row's key of {0} bytes is too long")]
    KeyTooLong(usize),
    /// A bug: rows change by a commit, together with the position, and in no other way.
    #[error("rows on disk were changed without a commit")]
    WithoutCommit,
}

impl From<fjall::Error> for StateError {
    fn from(error: fjall::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<DiskError> for StateError {
    fn from(error: DiskError) -> Self {
        match error {
            DiskError::Locked(_) => Self::Locked(error.to_string()),
            error => Self::Broken(error.to_string()),
        }
    }
}

/// The state of all stages of a node, in one folder.
#[derive(Clone)]
pub struct StateStore {
    database: LockedDatabase,
}

impl StateStore {
    /// Opens or makes the store with the default cache.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, StateError> {
        Self::open_with_cache(folder, DEFAULT_CACHE_BYTES)
    }

    /// Opens or makes the store.
    pub fn open_with_cache(folder: impl AsRef<Path>, cache_bytes: u64) -> Result<Self, StateError> {
        let options = DatabaseOptions {
            cache_bytes,
            ..DatabaseOptions::default()
        };
        let database = mneme_disk::open(folder.as_ref(), options, |_| Ok(()))?;
        Ok(Self { database })
    }

    /// The state of one stage, by its name.
    pub fn stage(&self, name: &str) -> Result<StageState, StateError> {
        StageState::open(
            self.database.clone(),
            name,
            cache::RowCache::new(ROW_CACHE_BYTES),
        )
    }

    /// Bytes on disk.
    pub fn disk_bytes(&self) -> Result<u64, StateError> {
        Ok(self.database.disk_space()?)
    }
}

#[cfg(test)]
mod tests;
