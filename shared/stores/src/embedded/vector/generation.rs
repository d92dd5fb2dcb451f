//! A generation of the vector store: its rows, its vectors, and the shelves that are in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock};

use mneme_inference::Embedder;
use mneme_model::GroupId;

use super::embedding::{NewVectors, new_vectors};
use super::rows::VectorRows;
use super::shelf::VectorShelf;
use super::wording::VectorWording;
use crate::embedded::documents::{Address, DocumentId, Documents, Edit, Fold, Shelves};
use crate::{Change, Checkpoint, DocumentKind, StoreError};

pub(super) struct VectorGeneration {
    pub rows: VectorRows,
    pub documents: Documents,
    /// Changes read what they change: one batch at a time.
    applying: Mutex<()>,
    /// While it is held to read, no batch is published.
    pub published: RwLock<()>,
    pub shelves: Shelves<VectorShelf>,
}

impl VectorGeneration {
    /// A generation that is in memory from now on, within a bound.
    pub fn of(rows: VectorRows, documents: Documents, memory: usize) -> Self {
        Self {
            rows,
            documents,
            applying: Mutex::new(()),
            published: RwLock::new(()),
            shelves: Shelves::new(memory),
        }
    }

    /// Applies a batch.
    pub fn apply(
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
            while let Some(edit) =
                edits.next_if(|(address, _)| (address.group, address.kind) == name)
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

    /// The vector of a document, by the id that a caller gives.
    pub fn vector_of(
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
