//! A document is written or removed: its row, the sum of its group, what the index must do.

use super::Fold;
use crate::embedded::documents::folded::{Address, Edit};
use crate::embedded::documents::key::{self, GroupNumber};
use crate::embedded::documents::row::{Attributes, DocumentId, DocumentRow, TextDigest};
use crate::embedded::documents::stored::GroupRow;
use crate::embedded::documents::wording::Wording;
use crate::{DocumentKind, StoreError};

impl<W: Wording> Fold<'_, W> {
    pub(super) fn document(
        &self,
        group: &GroupRow,
        kind: DocumentKind,
        id: &DocumentId,
    ) -> Result<Option<DocumentRow>, StoreError> {
        let key = key::row(group.number, &id.identity(kind));
        self.folded.rows.get(&key)
    }

    pub(super) fn put(
        &mut self,
        group: &mut GroupRow,
        kind: DocumentKind,
        id: DocumentId,
        attributes: Attributes,
        text: String,
    ) -> Result<(), StoreError> {
        let digest = text_digest(&text);
        let stored = self.document(group, kind, &id)?;
        let is_indexed = stored
            .as_ref()
            .is_some_and(|row| row.text == digest && row.attributes.is_searched());
        let (content, length) = match &stored {
            Some(row) if is_indexed || !attributes.is_searched() => (None, row.length),
            _ if !attributes.is_searched() => (None, 0),
            _ => {
                let (content, length) = self.wording.content(text);
                (Some(content), length)
            }
        };
        let slot = match stored {
            Some(row) => row.slot,
            None => {
                let next = &mut group.next_slots[kind as usize];
                *next += 1;
                *next - 1
            }
        };
        let row = DocumentRow {
            slot,
            length,
            text: digest,
            attributes,
        };
        self.write(group, kind, id, row, content)
    }

    pub(super) fn write(
        &mut self,
        group: &mut GroupRow,
        kind: DocumentKind,
        id: DocumentId,
        row: DocumentRow,
        content: Option<W::Content>,
    ) -> Result<(), StoreError> {
        let identity = id.identity(kind);
        let key = key::row(group.number, &identity);
        let stored: Option<DocumentRow> = self.folded.rows.get(&key)?;
        if let Some(stored) = &stored {
            group.sum.remove(identity.as_bytes(), &stored.canonical()?);
        }
        group.sum.add(identity.as_bytes(), &row.canonical()?);
        self.folded.rows.put(key, &row)?;
        let edit = self.edit(group.number, kind, row.slot, stored.as_ref());
        if row.attributes.is_searched() {
            edit.seen = Some((id, row.length, row.attributes));
            if content.is_some() {
                edit.content = content;
            }
        } else {
            edit.seen = None;
            edit.content = None;
        }
        Ok(())
    }

    pub(super) fn remove(
        &mut self,
        group: &mut GroupRow,
        kind: DocumentKind,
        id: DocumentId,
    ) -> Result<(), StoreError> {
        let Some(stored) = self.document(group, kind, &id)? else {
            return Ok(());
        };
        let identity = id.identity(kind);
        group.sum.remove(identity.as_bytes(), &stored.canonical()?);
        self.folded.rows.remove(key::row(group.number, &identity));
        let edit = self.edit(group.number, kind, stored.slot, Some(&stored));
        edit.seen = None;
        edit.content = None;
        Ok(())
    }

    /// The edit of a document; `stored` is its row before this change.
    pub(super) fn edit(
        &mut self,
        group: GroupNumber,
        kind: DocumentKind,
        slot: u32,
        stored: Option<&DocumentRow>,
    ) -> &mut Edit<W::Content> {
        let address = Address { group, kind, slot };
        let was_indexed = stored.is_some_and(|row| row.attributes.is_searched());
        self.folded.edits.entry(address).or_insert_with(|| Edit {
            was_indexed,
            seen: None,
            content: None,
        })
    }
}

fn text_digest(text: &str) -> TextDigest {
    let mut digest = TextDigest::default();
    let hash = blake3::hash(text.as_bytes());
    digest.copy_from_slice(&hash.as_bytes()[..16]);
    digest
}

/// The index of a kind in [`GroupRow::next_slots`] is its place in [`DocumentKind`].
const _: () = assert!(DocumentKind::Community as usize == 3);
