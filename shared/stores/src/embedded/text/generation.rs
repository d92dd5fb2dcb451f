//! A generation of the text store: its rows, its index of words, what is pending for the index, and
//! the shelves that are in memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use fjall::Keyspace;
use mneme_model::GroupId;

use super::index::WordIndex;
use super::recent::Recent;
use super::recent_rows::RecentRows;
use super::wording::TextWording;
use super::words::Words;
use crate::embedded::documents::{Address, Documents, Edit, Fold, Shelf, Shelves, broken, compact};
use crate::{Change, Checkpoint, StoreError};

pub(super) struct TextGeneration {
    recent_rows: RecentRows,
    pub documents: Documents,
    /// None after it failed: the generation is opened anew.
    index: Mutex<Option<WordIndex>>,
    /// While it is held to read, no batch is published.
    published: RwLock<Published>,
    pub shelves: Shelves<Shelf>,
}

/// What searches see.
pub(super) struct Published {
    pub words: Words,
    pub recent: Recent,
}

impl TextGeneration {
    /// Opens or makes a generation.
    pub fn open(
        documents: Documents,
        recent: Keyspace,
        folder: &Path,
        memory: usize,
    ) -> Result<Self, StoreError> {
        let recent_rows = RecentRows { keyspace: recent };
        let index = WordIndex::open(folder)?;
        let number = recent_rows.number()?;
        let mut recent = recent_rows.read(number + 1)?;
        if index.number() == number + 1 {
            // A crash came between the commit of the index and that of the rows.
            documents.write(|batch| recent_rows.moved(batch, &recent, number + 1))?;
            recent = Recent::default();
        } else if index.number() != number {
            return Err(broken("the index of words is not that of its rows"));
        }
        let words = index.words()?;
        Ok(Self {
            recent_rows,
            documents,
            index: Mutex::new(Some(index)),
            published: RwLock::new(Published { words, recent }),
            shelves: Shelves::new(memory),
        })
    }

    /// The index, to write to.
    pub fn index(&self) -> MutexGuard<'_, Option<WordIndex>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What searches see.
    pub fn published(&self) -> RwLockReadGuard<'_, Published> {
        self.published
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn published_to_write(&self) -> RwLockWriteGuard<'_, Published> {
        self.published
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies a batch. Where it fails, the index may have its next number already, as after a crash.
    pub fn apply(
        &self,
        index: &mut WordIndex,
        changes: &[(GroupId, Change)],
        checkpoints: &[Checkpoint],
        most_recent: usize,
    ) -> Result<(), StoreError> {
        let mut fold = Fold::new(&self.documents, &TextWording);
        for (group, change) in changes {
            fold.apply(group, change)?;
        }
        let mut folded = fold.finish()?;
        let emptied = std::mem::take(&mut folded.emptied);
        let mut edits = std::mem::take(&mut folded.edits);
        let plan = self.published().recent.plan(&emptied, &mut edits);
        let is_large = {
            let mut published = self.published_to_write();
            folded.commit(&self.documents, checkpoints, |batch| {
                self.recent_rows.write(batch, index.number() + 1, &plan)
            })?;
            published.recent.apply(plan);
            for owner in emptied {
                self.shelves.forget(owner);
            }
            self.publish(edits);
            published.recent.is_large(most_recent)
        };
        if is_large {
            self.move_recent(index)?;
        }
        Ok(())
    }

    /// Moves what is pending to the index. The caller holds the index, so nothing is applied
    /// meanwhile, and searches go on.
    fn move_recent(&self, index: &mut WordIndex) -> Result<(), StoreError> {
        if self.published().recent.is_empty() {
            self.published_to_write().recent = Recent::default();
            return Ok(());
        }
        self.documents.sync()?;
        index.commit(&self.published().recent)?;
        let words = index.words()?;
        let mut published = self.published_to_write();
        self.documents.write(|batch| {
            let recent = &published.recent;
            self.recent_rows.moved(batch, recent, index.number())
        })?;
        *published = Published {
            words,
            recent: Recent::default(),
        };
        Ok(())
    }

    /// Rewrites what still holds what was erased.
    pub fn purge(&self, index: &mut WordIndex) -> Result<(), StoreError> {
        self.move_recent(index)?;
        let words = index.purge()?;
        self.published_to_write().words = words;
        compact(&self.recent_rows.keyspace)?;
        self.documents.compact()
    }

    /// Puts what changed on the shelves that are in memory.
    fn publish(&self, edits: BTreeMap<Address, Edit<String>>) {
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
                    match edit.seen {
                        Some((id, length, attributes)) => {
                            shelf.put(address.slot, id, length, attributes);
                        }
                        None => shelf.remove(address.slot),
                    }
                }
            });
        }
    }
}
