//! A database in a folder.
//!
//! 1. One process has it at a time: a second one is refused while the first lives, and a lock of a
//!    process that died is no obstacle.
//! 2. It is made whole or not at all: a process that is killed while it makes the database leaves
//!    nothing that the next one stumbles over. The store itself gives no such promise (it refuses a
//!    folder in which it began), so a database is made under another name and renamed when it is
//!    complete.
//! 3. A crash of the machine at any instant leaves a database that opens, with all batches that
//!    were fsynced and each of the others whole or not at all. Damage to what was fsynced is
//!    refused, never skipped.
//! 4. The lock is given back after the last file is closed.

mod journal;

use std::fs::{self, File, TryLockError};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fjall::{Database, DatabaseBuilder, PersistMode};
use journal::JournalEnd;

const LOCK: &str = "lock";
const DATABASE: &str = "data";
const UNFINISHED: &str = "data.unfinished";

/// What a database may take, and what it promises.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseOptions {
    /// Bytes for blocks that were read, all keyspaces together.
    pub cache_bytes: u64,
    /// Bytes of journals before the keyspaces that hold up the oldest are written out; at least
    /// 64 MiB. It bounds the time that opening takes.
    pub journal_bytes: u64,
    /// Threads that write out and compact.
    pub worker_threads: usize,
    /// Whether each batch is fsynced before the next one is written. If so, whole batches after a
    /// broken one are damage; if not, whatever follows a broken one was never promised.
    pub synced: bool,
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 64 << 20,
            journal_bytes: 128 << 20,
            worker_threads: 2,
            synced: false,
        }
    }
}

/// Why a folder could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// Another process, or another part of this one, has it.
    #[error("the folder {0} is in use by another process")]
    Locked(PathBuf),
    /// The file system refused.
    #[error("the folder {folder} can't be used: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// The journal is damaged before its end.
    #[error(
        "the journal in {folder} is damaged at byte {at} and goes on after it: restore the folder \
         from a backup, or open it once without fsync to give up what follows the damage"
    )]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// Where the damage begins.
        at: u64,
    },
    /// The database refused.
    #[error("the database in {folder} can't be opened: {source}")]
    Database {
        /// The folder.
        folder: PathBuf,
        /// What the database said.
        source: fjall::Error,
    },
}

/// An open database and the lock on its folder. Keyspaces taken from it must not outlive it.
#[derive(Clone)]
pub struct LockedDatabase {
    // Fields are dropped in this order: the lock goes last.
    database: Database,
    _lock: Arc<File>,
}

impl Deref for LockedDatabase {
    type Target = Database;
    fn deref(&self) -> &Database {
        &self.database
    }
}

/// Opens the database in `folder`; a new one is filled by `create`, which takes effect wholly.
pub fn open(
    folder: &Path,
    options: DatabaseOptions,
    create: impl FnOnce(&Database) -> fjall::Result<()>,
) -> Result<LockedDatabase, DiskError> {
    let of_folder = |source| DiskError::Folder {
        folder: folder.to_owned(),
        source,
    };
    let of_database = |source| match source {
        fjall::Error::Locked => DiskError::Locked(folder.to_owned()),
        source => DiskError::Database {
            folder: folder.to_owned(),
            source,
        },
    };
    fs::create_dir_all(folder).map_err(of_folder)?;
    let lock = lock(folder)?;
    let path = folder.join(DATABASE);
    if !path.try_exists().map_err(of_folder)? {
        let unfinished = folder.join(UNFINISHED);
        if unfinished.try_exists().map_err(of_folder)? {
            fs::remove_dir_all(&unfinished).map_err(of_folder)?;
        }
        let database = builder(&unfinished, options).open().map_err(of_database)?;
        create(&database)
            .and_then(|()| database.persist(PersistMode::SyncAll))
            .map_err(of_database)?;
        drop(database);
        fs::rename(&unfinished, &path).map_err(of_folder)?;
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(of_folder)?;
    }
    match journal::mend(&path, options.synced).map_err(of_folder)? {
        JournalEnd::Whole => {}
        JournalEnd::Cut(bytes) => {
            tracing::warn!(bytes, "an unfinished batch was cut off the journal");
        }
        JournalEnd::Damaged(at) => {
            let folder = folder.to_owned();
            return Err(DiskError::Damaged { folder, at });
        }
    }
    let database = builder(&path, options).open().map_err(of_database)?;
    Ok(LockedDatabase {
        database,
        _lock: Arc::new(lock),
    })
}

fn builder(path: &Path, options: DatabaseOptions) -> DatabaseBuilder<Database> {
    Database::builder(path)
        .cache_size(options.cache_bytes)
        .max_journaling_size(options.journal_bytes.max(64 << 20))
        .worker_threads(options.worker_threads.max(1))
}

fn lock(folder: &Path) -> Result<File, DiskError> {
    let of_folder = |source| DiskError::Folder {
        folder: folder.to_owned(),
        source,
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(LOCK))
        .map_err(of_folder)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DiskError::Locked(folder.to_owned())),
        Err(TryLockError::Error(source)) => Err(of_folder(source)),
    }
}

#[cfg(test)]
mod tests {
    use fjall::KeyspaceCreateOptions;

    use super::*;

    fn create(database: &Database) -> fjall::Result<()> {
        database
            .keyspace("words", KeyspaceCreateOptions::default)?
            .insert("made", "once")
    }

    #[test]
    fn a_second_opener_is_refused_until_the_first_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(folder.path(), DatabaseOptions::default(), create).unwrap();
        let second = open(folder.path(), DatabaseOptions::default(), create);
        assert!(matches!(second, Err(DiskError::Locked(_))));
        drop(first);
        open(folder.path(), DatabaseOptions::default(), create).unwrap();
    }

    #[test]
    fn what_a_killed_creation_left_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let unfinished = folder.path().join(UNFINISHED);
        fs::create_dir_all(unfinished.join("keyspaces")).unwrap();
        fs::write(unfinished.join("0.jnl"), b"").unwrap();
        fs::write(unfinished.join("version"), b"").unwrap();
        let database = open(folder.path(), DatabaseOptions::default(), create).unwrap();
        let words = database
            .keyspace("words", KeyspaceCreateOptions::default)
            .unwrap();
        assert_eq!(words.get("made").unwrap().as_deref(), Some(&b"once"[..]));
    }

    #[test]
    fn creation_happens_once() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path(), DatabaseOptions::default(), create).unwrap());
        open(folder.path(), DatabaseOptions::default(), |_| {
            panic!("the database is there")
        })
        .unwrap();
    }
}
