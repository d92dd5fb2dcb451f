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
mod rows;
mod search;
mod shelf;
mod table;
mod windows;
mod wording;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use async_trait::async_trait;
use mneme_disk::DatabaseOptions;
use mneme_events::Topic;
use mneme_inference::{Embedder, EmbeddingModel, InferenceError, Reaction};
use mneme_model::GroupId;

use super::blocking::blocking;
use super::documents::{
    Address, DocumentId, DocumentStore, Documents, Edit, Fold, Shelves, broken, compact,
};
use crate::{
    Change, Checkpoint, Digest, DocumentKind, Generation, Projection, StoreError, VectorHit,
    VectorQuery, VectorStore,
};
use rows::VectorRows;
use search::OwnedQuery;
use shelf::VectorShelf;
use wording::VectorWording;

/// The vector store that needs no server (see the module).
pub struct EmbeddedVectors(Arc<Store>);

struct Store {
    // Dropped first: what it holds of the database must not outlive it.
    generations: Mutex<HashMap<Generation, Arc<VectorGeneration>>>,
    documents: DocumentStore,
    embedder: Arc<dyn Embedder>,
    memory: usize,
}

struct VectorGeneration {
    rows: VectorRows,
    documents: Documents,
    /// Changes read what they change: one batch at a time.
    applying: Mutex<()>,
    /// While it is held to read, no batch is published.
    published: RwLock<()>,
    shelves: Shelves<VectorShelf>,
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
        let open = Arc::new(VectorGeneration {
            rows: VectorRows {
                keyspace: self.documents.keyspace(&vectors_name(generation))?,
                dimension: model.dimension,
            },
            documents,
            applying: Mutex::new(()),
            published: RwLock::new(()),
            shelves: Shelves::new(self.memory),
        });
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

/// A new vector for an address, or that there is none any longer.
type NewVectors = BTreeMap<Address, Option<Vec<f32>>>;

impl VectorGeneration {
    fn apply(
        &self,
        embedder: &dyn Embedder,
        changes: &[(GroupId, Change)],
        checkpoints: &[Checkpoint],
    ) -> Result<(), StoreError> {
        let _applying = self.applying.lock().unwrap_or_else(PoisonError::into_inner);
        let mut fold = Fold::new(&self.documents, &VectorWording);
        for (group, change) in changes {
            fold.apply(group, change)?;
        }
        let mut folded = fold.finish()?;
        let vectors = new_vectors(embedder, &folded.edits)?;
        let emptied = std::mem::take(&mut folded.emptied);
        let edits = std::mem::take(&mut folded.edits);
        let mut erased = Vec::new();
        for (group, kind) in &emptied {
            erased.extend(self.rows.keys(*group, *kind)?);
        }
        let _published = self.published.write();
        folded.commit(&self.documents, checkpoints, |batch| {
            for key in erased {
                batch.remove(&self.rows.keyspace, key);
            }
            for (address, vector) in &vectors {
                self.rows.set(batch, *address, vector.as_deref());
            }
            Ok(())
        })?;
        for name in emptied {
            self.shelves.forget(name);
        }
        self.publish(edits, &vectors);
        Ok(())
    }

    /// Puts what changed on the shelves that are in memory.
    fn publish(&self, edits: BTreeMap<Address, Edit<String>>, vectors: &NewVectors) {
        let mut edits = edits.into_iter().peekable();
        while let Some((address, _)) = edits.peek() {
            let name = (address.group, address.kind);
            let mut of_shelf = Vec::new();
            while let Some(edit) = edits.next_if(|(address, _)| (address.group, address.kind) == name)
            {
                of_shelf.push(edit);
            }
            self.shelves.update(name, |shelf| {
                for (address, edit) in of_shelf {
                    shelf.set_document(address.slot, edit.seen);
                    if let Some(vector) = vectors.get(&address) {
                        shelf.set_vector(address.slot, vector.as_deref());
                    }
                }
            });
        }
    }

    fn vector_of(
        &self,
        group: &GroupId,
        kind: DocumentKind,
        id: &str,
    ) -> Result<Option<Vec<f32>>, StoreError> {
        let (Some(group), Some(id)) = (self.documents.group(group)?, DocumentId::parse(kind, id))
        else {
            return Ok(None);
        };
        match self.documents.document(group, kind, &id)? {
            Some(row) if row.attributes.is_searched() => {
                let slot = row.slot;
                self.rows.get(Address { group, kind, slot })
            }
            _ => Ok(None),
        }
    }
}

/// Embeds what is new; says that there is none where a document is gone.
fn new_vectors(
    embedder: &dyn Embedder,
    edits: &BTreeMap<Address, Edit<String>>,
) -> Result<NewVectors, StoreError> {
    let mut vectors = NewVectors::new();
    let mut addresses = Vec::new();
    let mut texts = Vec::new();
    for (address, edit) in edits {
        if let Some(text) = &edit.content {
            addresses.push(*address);
            texts.push(text.as_str());
        } else if edit.seen.is_none() && edit.was_indexed {
            vectors.insert(*address, None);
        }
    }
    if texts.is_empty() {
        return Ok(vectors);
    }
    let embedded = embed(embedder, &texts)?;
    let nothing = |vector: &Vec<f32>| vector.iter().all(|x| *x == 0.0);
    for (address, vector) in addresses.into_iter().zip(embedded) {
        vectors.insert(address, vector.filter(|vector| !nothing(vector)));
    }
    Ok(vectors)
}

/// The vectors of texts; none of a text that the model refuses.
fn embed(
    embedder: &dyn Embedder,
    texts: &[&str],
) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
    let failed = |error: InferenceError| match error.reaction() {
        Reaction::Retry => StoreError::Unavailable(error.to_string()),
        Reaction::Skip | Reaction::Die => StoreError::Broken(error.to_string()),
    };
    match embedder.embed(texts) {
        Ok(vectors) => Ok(vectors.into_iter().map(Some).collect()),
        Err(error) if error.reaction() != Reaction::Skip => Err(failed(error)),
        // One refused text fails the call; the others must not miss their vectors.
        Err(_) => texts
            .iter()
            .map(|text| match embedder.embed(&[text]) {
                Ok(mut vectors) => Ok(vectors.pop()),
                Err(error) if error.reaction() == Reaction::Skip => {
                    tracing::warn!(%error, "a text has no vector");
                    Ok(None)
                }
                Err(error) => Err(failed(error)),
            })
            .collect(),
    }
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
