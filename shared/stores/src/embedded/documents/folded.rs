//! What a batch does: to rows, and to an index beside them.

use std::collections::BTreeMap;

use fjall::OwnedWriteBatch;

use super::key::{self, GroupNumber};
use super::pending::PendingRows;
use super::row::{Attributes, DocumentId};
use super::stored::{About, Documents};
use crate::{Checkpoint, DocumentKind, StoreError};

/// Where a document is in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::embedded) struct Address {
    pub group: GroupNumber,
    pub kind: DocumentKind,
    pub slot: u32,
}

/// What becomes of a document.
pub(in crate::embedded) struct Edit<C> {
    /// Whether the index has it from before this batch.
    pub was_indexed: bool,
    /// What searches see of it from now on: id, length, attributes; none when it is gone.
    pub seen: Option<(DocumentId, u32, Attributes)>,
    /// What the index must hold instead, where that changed.
    pub content: Option<C>,
}

/// What a batch does.
pub(in crate::embedded) struct Folded<C> {
    /// The kinds of groups of which nothing that was there before the batch is left. To be done
    /// first.
    pub emptied: Vec<(GroupNumber, DocumentKind)>,
    /// What becomes of documents.
    pub edits: BTreeMap<Address, Edit<C>>,
    pub(super) rows: PendingRows,
}

impl<C> Folded<C> {
    /// Writes rows and checkpoints, and what the caller adds, at once.
    pub fn commit(
        mut self,
        documents: &Documents,
        checkpoints: &[Checkpoint],
        add: impl FnOnce(&mut OwnedWriteBatch) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if self.rows.get::<About>(&key::about())?.is_none() {
            self.rows.put(key::about(), &documents.about()?)?;
        }
        documents.commit(self.rows.into_writes(), checkpoints, add)
    }
}
