//! A [`View`] is what one read sees: one group of one generation in one state of the store.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Bound;

use fjall::{Keyspace, Readable, Snapshot, UserValue};
use mneme_events::ResolvedEntity;
use mneme_model::{EntityId, GroupId};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::keys::{Key, prefix_end};
use super::{broken_row, store_error};
use crate::digest::RowIdentity;
use crate::{EntityRow, EpisodeRow, FactObject, FactVersionRow, StoreError};

/// A key and its value.
pub(super) type Entry = Result<(Vec<u8>, UserValue), StoreError>;

/// What a read sees (see the module).
pub(super) struct View<'g> {
    snapshot: Snapshot,
    keyspace: Keyspace,
    pub(super) group: &'g GroupId,
    /// The names and types met so far: the ends of facts repeat.
    names: RefCell<HashMap<EntityId, Option<ResolvedEntity>>>,
}

impl<'g> View<'g> {
    pub(super) fn new(snapshot: Snapshot, keyspace: Keyspace, group: &'g GroupId) -> Self {
        Self {
            snapshot,
            keyspace,
            group,
            names: RefCell::default(),
        }
    }

    /// The bytes of a row.
    pub(super) fn row_bytes(
        &self,
        identity: &RowIdentity,
    ) -> Result<Option<UserValue>, StoreError> {
        self.row_at(identity.as_bytes())
    }

    /// The bytes of a row, by the bytes of its identity as an index holds them.
    pub(super) fn row_at(&self, identity: &[u8]) -> Result<Option<UserValue>, StoreError> {
        self.snapshot
            .get(&self.keyspace, Key::row_at(self.group, identity))
            .map_err(store_error)
    }

    /// A row.
    pub(super) fn row<T: DeserializeOwned>(
        &self,
        identity: &RowIdentity,
    ) -> Result<Option<T>, StoreError> {
        self.row_bytes(identity)?
            .map(|bytes| decode(&bytes))
            .transpose()
    }

    /// All with a prefix, in order.
    pub(super) fn scan(&self, prefix: &[u8]) -> impl DoubleEndedIterator<Item = Entry> + use<> {
        self.range(
            Bound::Included(prefix.to_vec()),
            Bound::Excluded(prefix_end(prefix)),
        )
    }

    /// All between two keys, in order.
    pub(super) fn range(
        &self,
        from: Bound<Vec<u8>>,
        until: Bound<Vec<u8>>,
    ) -> impl DoubleEndedIterator<Item = Entry> + use<> {
        self.snapshot
            .range::<Vec<u8>, _>(&self.keyspace, (from, until))
            .map(|entry| {
                let (key, value) = entry.into_inner().map_err(store_error)?;
                Ok((key.to_vec(), value))
            })
    }

    /// An entity, with its summary.
    pub(super) fn entity(&self, entity: EntityId) -> Result<Option<EntityRow>, StoreError> {
        let Some(row) = self.row::<EntityRow>(&RowIdentity::entity(entity))? else {
            return Ok(None);
        };
        self.with_summary(row).map(Some)
    }

    /// Joins an entity with its summary.
    pub(super) fn with_summary(&self, mut row: EntityRow) -> Result<EntityRow, StoreError> {
        row.summary = self.row(&RowIdentity::summary(row.entity_id))?;
        Ok(row)
    }

    /// An episode by the bytes of its id, as an index holds them.
    pub(super) fn episode_of_entry(&self, id: &[u8]) -> Result<Option<EpisodeRow>, StoreError> {
        let id = std::str::from_utf8(id)
            .ok()
            .and_then(|id| mneme_model::EpisodeId::new(id).ok());
        match id {
            Some(id) => self.row(&RowIdentity::episode(&id)),
            None => Err(StoreError::Broken("an entry names no episode".to_owned())),
        }
    }

    /// A version of a fact with the current names and types of its ends.
    pub(super) fn fact_version(&self, version: Uuid) -> Result<Option<FactVersionRow>, StoreError> {
        let Some(mut row) = self.row::<FactVersionRow>(&RowIdentity::fact_version(version))? else {
            return Ok(None);
        };
        self.rename(&mut row.subject)?;
        if let FactObject::Entity(object) = &mut row.object {
            self.rename(object)?;
        }
        Ok(Some(row))
    }

    fn rename(&self, end: &mut ResolvedEntity) -> Result<(), StoreError> {
        let mut names = self.names.borrow_mut();
        let current = match names.get(&end.entity_id) {
            Some(current) => current,
            None => {
                let row: Option<EntityRow> = self.row(&RowIdentity::entity(end.entity_id))?;
                let current = row.map(|row| ResolvedEntity {
                    entity_id: row.entity_id,
                    name: row.name,
                    entity_type: row.entity_type,
                });
                names.entry(end.entity_id).or_insert(current)
            }
        };
        if let Some(current) = current {
            end.clone_from(current);
        }
        Ok(())
    }
}

/// Decodes a row.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StoreError> {
    postcard::from_bytes(bytes).map_err(broken_row)
}
