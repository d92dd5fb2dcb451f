//! Text on an embedded index of words.
//!
//! - Every word is indexed under its group and kind, so a search reads the postings of its group and
//!   no others, and the counts that BM25 needs (how many documents, how long, how many with the
//!   word) are exact for the group alone: a score never depends on another group.
//! - tantivy keeps the postings; what time views, filters, windows and sessions need is in the rows
//!   of [`super::documents`] beside it.
//! - A batch is written to the rows with its checkpoints at once; its words wait beside the index
//!   until there are enough of them (see [`recent`]) and are searched there meanwhile.
//! - A search sees whole batches.

mod analysis;
mod bm25;
mod generation;
mod index;
mod lines;
mod recent;
mod recent_rows;
mod scores;
mod scripts;
mod search;
mod stop_words;
mod wording;
mod words;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use mneme_disk::DatabaseOptions;
use mneme_events::Topic;
use mneme_model::GroupId;

use super::blocking::blocking;
use super::documents::DocumentStore;
use crate::{
    Change, Checkpoint, Digest, Generation, Projection, StoreError, TextHit, TextQuery, TextStore,
};
use generation::TextGeneration;
use search::OwnedQuery;

/// The text store that needs no server (see the module).
pub struct EmbeddedText(Arc<Store>);

struct Store {
    // Dropped first: what it holds of the database must not outlive it.
    generations: Mutex<HashMap<Generation, Arc<TextGeneration>>>,
    folder: PathBuf,
    documents: DocumentStore,
    memory: usize,
    /// More pending documents than this are moved to the index.
    most_recent: usize,
}

impl EmbeddedText {
    /// Opens the store in a folder, which is made if there is none, with about so many bytes of
    /// memory for what it keeps of groups that are searched.
    ///
    /// # Errors
    /// Refused while another process has it open.
    pub fn open(folder: &Path, memory: usize) -> Result<Self, StoreError> {
        Self::open_with(folder, memory, recent::MOST_DOCUMENTS)
    }

    fn open_with(folder: &Path, memory: usize, most_recent: usize) -> Result<Self, StoreError> {
        let options = DatabaseOptions {
            cache_bytes: 32 << 20,
            journal_bytes: 64 << 20,
            worker_threads: 1,
            synced: false,
        };
        Ok(Self(Arc::new(Store {
            generations: Mutex::new(HashMap::new()),
            folder: folder.to_owned(),
            documents: DocumentStore::open(folder, options)?,
            memory,
            most_recent,
        })))
    }

    /// Rewrites what still holds erased words, so that they are gone from the disk too. It costs
    /// about what the generation's size is; an erasure is complete for every read without it.
    ///
    /// # Errors
    /// As `apply`.
    pub async fn purge(&self, generation: Generation) -> Result<(), StoreError> {
        blocking(|| {
            let Some(open) = self.0.existing(generation)? else {
                return Ok(());
            };
            let mut index = open.index();
            match index.as_mut() {
                Some(index) => open.purge(index),
                None => Ok(()),
            }
        })
    }
}

impl Store {
    /// A generation, opened if it is there.
    fn existing(&self, generation: Generation) -> Result<Option<Arc<TextGeneration>>, StoreError> {
        if self.documents.has(generation) {
            return self.generation(generation).map(Some);
        }
        Ok(None)
    }

    /// A generation, opened or made.
    fn generation(&self, generation: Generation) -> Result<Arc<TextGeneration>, StoreError> {
        let mut generations = self.generations();
        if let Some(open) = generations.get(&generation) {
            return Ok(Arc::clone(open));
        }
        let folder = self.index_folder(generation);
        let recent_name = recent_name(generation);
        if !self.documents.has(generation) {
            index::remove(&folder)?;
            self.documents.drop_keyspace(&recent_name)?;
        }
        let open = TextGeneration::open(
            self.documents.generation(generation, "")?,
            self.documents.keyspace(&recent_name)?,
            &folder,
            self.memory,
        )?;
        let open = Arc::new(open);
        generations.insert(generation, Arc::clone(&open));
        Ok(open)
    }

    fn generations(&self) -> MutexGuard<'_, HashMap<Generation, Arc<TextGeneration>>> {
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn index_folder(&self, generation: Generation) -> PathBuf {
        self.folder.join(format!("words-{generation}"))
    }

    fn apply(
        &self,
        generation: Generation,
        changes: &[(GroupId, Change)],
        checkpoints: &[Checkpoint],
    ) -> Result<(), StoreError> {
        let open = self.generation(generation)?;
        let mut index = open.index();
        let Some(words) = index.as_mut() else {
            return Err(StoreError::Unavailable("the index is being opened".into()));
        };
        let applied = open.apply(words, changes, checkpoints, self.most_recent);
        if applied.is_err() {
            // The index may have its next number already, as after a crash; opening it mends that.
            let mut generations = self.generations();
            generations.remove(&generation);
            if let Some(index) = index.take() {
                index.close();
            }
        }
        applied
    }

    fn drop_generation(&self, generation: Generation) -> Result<(), StoreError> {
        let mut generations = self.generations();
        let open = generations.remove(&generation);
        if let Some(index) = open.and_then(|open| open.index().take()) {
            index.close();
        }
        self.documents.drop_generation(generation)?;
        self.documents.drop_keyspace(&recent_name(generation))?;
        index::remove(&self.index_folder(generation))
    }
}

fn recent_name(generation: Generation) -> String {
    format!("recent-{generation}")
}

#[async_trait]
impl Projection for EmbeddedText {
    fn name(&self) -> &'static str {
        "text"
    }

    async fn apply(
        &self,
        generation: Generation,
        changes: &[(GroupId, Change)],
        checkpoints: &[Checkpoint],
    ) -> Result<(), StoreError> {
        blocking(|| self.0.apply(generation, changes, checkpoints))
    }

    async fn checkpoint(
        &self,
        generation: Generation,
        topic: Topic,
        partition: u32,
    ) -> Result<u64, StoreError> {
        match self.0.existing(generation)? {
            Some(open) => open.documents.checkpoint(topic, partition),
            None => Ok(0),
        }
    }

    async fn drop_generation(&self, generation: Generation) -> Result<(), StoreError> {
        blocking(|| self.0.drop_generation(generation))
    }

    async fn digests(
        &self,
        generation: Generation,
    ) -> Result<BTreeMap<GroupId, Digest>, StoreError> {
        blocking(|| match self.0.existing(generation)? {
            Some(open) => open.documents.digests(),
            None => Ok(BTreeMap::new()),
        })
    }
}

#[async_trait]
impl TextStore for EmbeddedText {
    async fn search(
        &self,
        generation: Generation,
        query: &TextQuery<'_>,
    ) -> Result<Vec<Vec<TextHit>>, StoreError> {
        let store = Arc::clone(&self.0);
        let query = OwnedQuery::of(query);
        let searched = tokio::task::spawn_blocking(move || match store.existing(generation)? {
            Some(open) => open.search(&query),
            None => Ok(vec![Vec::new(); query.fields.len()]),
        });
        searched
            .await
            .map_err(|error| StoreError::Unavailable(error.to_string()))?
    }
}

#[cfg(test)]
mod tests;
