//! Vectors, compared one by one.
//!
//! - A search compares the query with every vector of its kind in its group, so it is exact: what
//!   a filter or a time view leaves over is never missed, and the same search gives the same hits.
//!   A group is what bounds the cost, not the store.
//! - Whole vectors are on disk, written with the rows of [`super::documents`] and the checkpoints at
//!   once. What is searched is in memory, a kind of a group at a time, within a bound.
//! - A text that the model has nothing to say about has no vector and is never a hit; a query of
//!   that sort finds nothing.
//! - A generation remembers the model that it was made with and is refused with another.
//! - A search sees whole batches.

mod dot;
mod embedding;
mod generation;
mod rows;
mod search;
mod shelf;
mod table;
mod windows;
mod wording;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use mneme_disk::DatabaseOptions;
use mneme_events::Topic;
use mneme_inference::{Embedder, EmbeddingModel};
use mneme_model::GroupId;

use super::blocking::blocking;
use super::documents::{DocumentStore, broken, compact};
use crate::{
    Change, Checkpoint, Digest, DocumentKind, Generation, Projection, StoreError, VectorHit,
    VectorQuery, VectorStore,
};
use generation::VectorGeneration;
use rows::VectorRows;
use search::OwnedQuery;

/// The vector store that needs no server (see the module).
pub struct EmbeddedVectors(Arc<Store>);

struct Store {
    // Dropped first: what it holds of the database must not outlive it.
    generations: Mutex<HashMap<Generation, Arc<VectorGeneration>>>,
    documents: DocumentStore,
    embedder: Arc<dyn Embedder>,
    memory: usize,
}

impl EmbeddedVectors {
    /// Opens the store in a folder, which is made if there is none, with a model and about so many
    /// bytes of memory for what it keeps of groups that are searched.
    ///
    /// # Errors
    /// Refused while another process has it open.
    pub fn open(
        folder: &Path,
        embedder: Arc<dyn Embedder>,
        memory: usize,
    ) -> Result<Self, StoreError> {
        let options = DatabaseOptions {
            cache_bytes: 32 << 20,
            journal_bytes: 64 << 20,
            worker_threads: 1,
            synced: false,
        };
        Ok(Self(Arc::new(Store {
            generations: Mutex::new(HashMap::new()),
            documents: DocumentStore::open(folder, options)?,
            embedder,
            memory,
        })))
    }

    /// Rewrites what still holds erased rows, so that they are gone from the disk too; an erasure is
    /// complete for every read without it.
    ///
    /// # Errors
    /// As `apply`.
    pub async fn purge(&self, generation: Generation) -> Result<(), StoreError> {
        blocking(|| {
            let Some(open) = self.0.existing(generation)? else {
                return Ok(());
            };
            compact(&open.rows.keyspace)?;
            open.documents.compact()
        })
    }
}

impl Store {
    /// A generation, opened if it is there.
    fn existing(
        &self,
        generation: Generation,
    ) -> Result<Option<Arc<VectorGeneration>>, StoreError> {
        if self.documents.has(generation) {
            return self.generation(generation).map(Some);
        }
        Ok(None)
    }

    /// A generation, opened or made; refused when another model made it.
    fn generation(&self, generation: Generation) -> Result<Arc<VectorGeneration>, StoreError> {
        let mut generations = self.generations();
        if let Some(open) = generations.get(&generation) {
            return Ok(Arc::clone(open));
        }
        if !self.documents.has(generation) {
            self.documents.drop_keyspace(&vectors_name(generation))?;
        }
        let model = self.embedder.model();
        let told = serde_json::to_string(model).map_err(|error| broken(&error.to_string()))?;
        let documents = self.documents.generation(generation, &told)?;
        let stored: EmbeddingModel = serde_json::from_str(documents.made_with())
            .map_err(|_| broken("the store does not tell which model it was made with"))?;
        model
            .check_stored(&stored)
            .map_err(|error| StoreError::Broken(error.to_string()))?;
        let rows = VectorRows {
            keyspace: self.documents.keyspace(&vectors_name(generation))?,
            dimension: model.dimension,
        };
        let open = Arc::new(VectorGeneration::of(rows, documents, self.memory));
        generations.insert(generation, Arc::clone(&open));
        Ok(open)
    }

    fn generations(&self) -> MutexGuard<'_, HashMap<Generation, Arc<VectorGeneration>>> {
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn drop_generation(&self, generation: Generation) -> Result<(), StoreError> {
        self.generations().remove(&generation);
        self.documents.drop_generation(generation)?;
        self.documents.drop_keyspace(&vectors_name(generation))
    }
}

fn vectors_name(generation: Generation) -> String {
    format!("vectors-{generation}")
}

#[async_trait]
impl Projection for EmbeddedVectors {
    fn name(&self) -> &'static str {
        "vectors"
    }

    async fn apply(
        &self,
        generation: Generation,
        changes: &[(GroupId, Change)],
        checkpoints: &[Checkpoint],
    ) -> Result<(), StoreError> {
        blocking(|| {
            let open = self.0.generation(generation)?;
            open.apply(&*self.0.embedder, changes, checkpoints)
        })
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
impl VectorStore for EmbeddedVectors {
    async fn search(
        &self,
        generation: Generation,
        query: &VectorQuery<'_>,
    ) -> Result<Vec<VectorHit>, StoreError> {
        let store = Arc::clone(&self.0);
        let query = OwnedQuery::of(query);
        let searched = tokio::task::spawn_blocking(move || match store.existing(generation)? {
            Some(open) => open.search(&query),
            None => Ok(Vec::new()),
        });
        searched
            .await
            .map_err(|error| StoreError::Unavailable(error.to_string()))?
    }

    async fn vectors(
        &self,
        generation: Generation,
        group: &GroupId,
        kind: DocumentKind,
        ids: &[String],
    ) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
        blocking(|| match self.0.existing(generation)? {
            Some(open) => {
                let vectors = ids.iter().map(|id| open.vector_of(group, kind, id));
                vectors.collect()
            }
            None => Ok(vec![None; ids.len()]),
        })
    }
}

#[cfg(test)]
mod tests;
