//! The graph on an embedded LSM store.
//!
//! - `apply` writes rows, indexes, sums and checkpoints as one atomic batch, and a change sees what
//!   earlier changes of its batch did. (The erasure of a group is done in pieces: see `erase`.) It
//!   does not wait for the disk: the log is the truth, and a tail lost in a crash takes its
//!   checkpoints with it, so it is applied again.
//! - A read sees one state of the store, that of its beginning. It begins at its group's keys and
//!   ends with them.
//! - What is written from different topics is kept in rows of its own and joined when it is read:
//!   an entity's summary, and the current name and type of an entity on the facts that it is an end
//!   of (the names on the stored row are those at its time, and are shown where the entity is not
//!   known, or no longer). So the rows, and with them the digest, don't depend on the order between
//!   topics.
//! - Each generation is a keyspace of its own, dropped at once.

mod apply;
mod apply_facts;
mod batch;
mod entities;
mod entries;
mod episodes;
mod erase;
mod facts;
mod keys;
mod projection;
mod reads;
mod view;
mod walk;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use mneme_disk::{DatabaseOptions, DiskError, LockedDatabase};
use mneme_model::GroupId;

use super::blocking::blocking;
use crate::{Generation, StoreError};
use view::View;

/// The layout of keys and rows; a folder of another one is refused. Raise it with every change of
/// `keys.rs` or of a row.
const LAYOUT: u32 = 3;

/// Memory for writes of one generation before they are sorted to disk.
const WRITE_BUFFER_BYTES: u64 = 16 << 20;
/// Where the layout is noted.
const ABOUT: &str = "about";
const LAYOUT_KEY: &str = "layout";
/// What to do where the store is of no use; nothing is lost by it.
const WAY_OUT: &str = "remove the graph store's folder and it is built anew from the log";

/// The graph store that needs no server (see the module).
pub struct EmbeddedGraph {
    generations: RwLock<HashMap<Generation, Keyspace>>,
    /// Changes read what they change: one batch at a time.
    applying: Mutex<()>,
    // Dropped after the keyspaces.
    database: LockedDatabase,
}

impl EmbeddedGraph {
    /// Opens the store in a folder, which is made if there is none, with so much memory for blocks
    /// that were read.
    ///
    /// # Errors
    /// Refused while another process has it open; broken when it is damaged or of another layout.
    pub fn open(folder: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let options = DatabaseOptions {
            cache_bytes,
            // Of several, the store keeps one for writing out, which spins while another compacts.
            worker_threads: 1,
            ..DatabaseOptions::default()
        };
        let database = mneme_disk::open(folder, options, |database| {
            let about = database.keyspace(ABOUT, KeyspaceCreateOptions::default)?;
            about.insert(LAYOUT_KEY, LAYOUT.to_be_bytes())
        })
        .map_err(|error| match error {
            DiskError::Locked(_) => StoreError::Refused(error.to_string()),
            DiskError::Folder { .. } => StoreError::Unavailable(error.to_string()),
            error => StoreError::Broken(format!("{error}; {WAY_OUT}")),
        })?;
        check_layout(&database)?;
        let mut generations = HashMap::new();
        for name in database.list_keyspace_names() {
            if let Some(generation) = generation_of(&name) {
                generations.insert(generation, open_generation(&database, generation)?);
            }
        }
        Ok(Self {
            generations: RwLock::new(generations),
            applying: Mutex::new(()),
            database,
        })
    }

    /// What a read of a group sees; none when the generation holds nothing.
    fn view<'g>(&self, generation: Generation, group: &'g GroupId) -> Option<View<'g>> {
        let keyspace = self.generation(generation)?;
        Some(View::new(self.database.snapshot(), keyspace, group))
    }

    fn generation(&self, generation: Generation) -> Option<Keyspace> {
        let generations = self
            .generations
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        generations.get(&generation).cloned()
    }

    /// The generation's keyspace, made if there is none. The caller applies.
    fn generation_to_write(
        &self,
        generation: Generation,
        _applying: &MutexGuard<'_, ()>,
    ) -> Result<Keyspace, StoreError> {
        if let Some(keyspace) = self.generation(generation) {
            return Ok(keyspace);
        }
        let keyspace = open_generation(&self.database, generation)?;
        self.generations
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(generation, keyspace.clone());
        Ok(keyspace)
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        // It guards no data: what a panicking batch wrote to memory is gone with it.
        self.applying.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const GENERATION: &str = "generation-";

fn generation_of(name: &str) -> Option<Generation> {
    name.strip_prefix(GENERATION)?.parse().ok()
}

fn open_generation(database: &Database, generation: Generation) -> Result<Keyspace, StoreError> {
    database
        .keyspace(&format!("{GENERATION}{generation}"), || {
            KeyspaceCreateOptions::default().max_memtable_size(WRITE_BUFFER_BYTES)
        })
        .map_err(store_error)
}

fn check_layout(database: &Database) -> Result<(), StoreError> {
    let about = database
        .keyspace(ABOUT, KeyspaceCreateOptions::default)
        .map_err(store_error)?;
    let layout = about.get(LAYOUT_KEY).map_err(store_error)?;
    if layout.is_some_and(|layout| *layout == LAYOUT.to_be_bytes()) {
        return Ok(());
    }
    Err(StoreError::Broken(format!(
        "the graph store was made by another version; {WAY_OUT}"
    )))
}

fn store_error(error: fjall::Error) -> StoreError {
    match error {
        fjall::Error::Io(error) => StoreError::Unavailable(error.to_string()),
        error => StoreError::Broken(format!("{error}; {WAY_OUT}")),
    }
}

fn broken_row(error: postcard::Error) -> StoreError {
    StoreError::Broken(format!("a row does not decode: {error}; {WAY_OUT}"))
}
