//! A group is erased, topic by topic: what was written from the topic goes, and nothing else.

use mneme_events::Topic;
use uuid::Uuid;

use super::Fold;
use crate::digest::RowKind;
use crate::embedded::documents::key;
use crate::embedded::documents::row::DocumentRow;
use crate::embedded::documents::store::decode;
use crate::embedded::documents::stored::GroupRow;
use crate::embedded::documents::wording::Wording;
use crate::{DocumentKind, StoreError};

impl<W: Wording> Fold<'_, W> {
    pub(super) fn erase_group(
        &mut self,
        group: &mut GroupRow,
        topic: Topic,
    ) -> Result<(), StoreError> {
        match topic {
            Topic::Episodes => self.erase_documents(group, DocumentKind::Episode),
            Topic::Resolutions => self.erase_documents(group, DocumentKind::Entity),
            Topic::Facts => {
                self.erase_documents(group, DocumentKind::Fact)?;
                self.erase_rows(group, RowKind::Support, |value| Ok(value.to_vec()))?;
                for prefix in key::all_evidence_entries(group.number) {
                    for (entry, _) in self.folded.rows.with_prefix(&prefix)? {
                        self.folded.rows.remove(entry);
                    }
                }
                Ok(())
            }
            Topic::Communities => {
                self.erase_documents(group, DocumentKind::Community)?;
                let prefix = key::rows(group.number, RowKind::Summary);
                for (key, _) in self.folded.rows.with_prefix(&prefix)? {
                    let id = key.get(key::BEFORE_ID..).unwrap_or_default();
                    if let Ok(entity) = Uuid::from_slice(id) {
                        self.set_summary(group, entity, None)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn erase_documents(
        &mut self,
        group: &mut GroupRow,
        kind: DocumentKind,
    ) -> Result<(), StoreError> {
        self.erase_rows(group, key::row_kind(kind), |value| {
            decode::<DocumentRow>(value)?.canonical()
        })?;
        let number = group.number;
        self.folded
            .edits
            .retain(|address, _| address.group != number || address.kind != kind);
        self.folded.emptied.push((number, kind));
        Ok(())
    }

    pub(super) fn erase_rows(
        &mut self,
        group: &mut GroupRow,
        kind: RowKind,
        canonical: impl Fn(&[u8]) -> Result<Vec<u8>, StoreError>,
    ) -> Result<(), StoreError> {
        for (key, value) in self
            .folded
            .rows
            .with_prefix(&key::rows(group.number, kind))?
        {
            let identity = key.get(key::BEFORE_IDENTITY..).unwrap_or_default();
            group.sum.remove(identity, &canonical(&value)?);
            self.folded.rows.remove(key);
        }
        Ok(())
    }
}
