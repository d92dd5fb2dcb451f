//! Changes to rows, and to what must be indexed: words or vectors follow from [`Edit`]s.
//!
//! A document is indexed again only when its text has changed, so a fact that expires, and a change
//! that is applied twice, cost a row and no more.

use std::collections::{BTreeMap, HashMap};

use fjall::OwnedWriteBatch;
use mneme_events::Topic;
use mneme_model::{EntityId, EpisodeId, FactId, GroupId};
use uuid::Uuid;

use super::key::{self, GroupNumber};
use super::pending::PendingRows;
use super::row::{
    Attributes, DocumentId, DocumentRow, EntityAttributes, EpisodeAttributes, Evidence,
    FactAttributes, TextDigest,
};
use super::store::{About, Documents, GroupRow, decode};
use crate::digest::{RowIdentity, RowKind, RowSum, encode_row};
use crate::{
    Change, Checkpoint, CommunityRow, DocumentKind, EpisodeRow, FactVersionRow, StoreError,
};

/// What text stands for a document, and what is made of the text.
pub(in crate::embedded) trait Wording {
    /// What the index takes.
    type Content;
    /// The text of an episode.
    fn episode(&self, row: &EpisodeRow) -> String;
    /// The text of a version of a fact.
    fn fact(&self, row: &FactVersionRow) -> String;
    /// The text of an entity.
    fn entity(&self, name: &str, aliases: &[String], summary: Option<&str>) -> String;
    /// The text of a community.
    fn community(&self, row: &CommunityRow) -> String;
    /// Whether summaries of entities are part of their text.
    const SUMMARIES: bool;
    /// What the index takes of a text, and its length in words.
    fn content(&self, text: String) -> (Self::Content, u32);
}

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
    rows: PendingRows,
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

/// A batch being folded.
pub(in crate::embedded) struct Fold<'a, W: Wording> {
    documents: &'a Documents,
    wording: &'a W,
    groups: HashMap<GroupId, GroupRow>,
    folded: Folded<W::Content>,
}

impl<'a, W: Wording> Fold<'a, W> {
    pub fn new(documents: &'a Documents, wording: &'a W) -> Self {
        Self {
            documents,
            wording,
            groups: HashMap::new(),
            folded: Folded {
                emptied: Vec::new(),
                edits: BTreeMap::new(),
                rows: documents.pending(),
            },
        }
    }

    /// Folds one change.
    pub fn apply(&mut self, group_id: &GroupId, change: &Change) -> Result<(), StoreError> {
        if matches!(
            change,
            Change::PutOntology(_) | Change::PutStatus { .. } | Change::PutMention(_)
        ) {
            return Ok(());
        }
        let mut group = match self.groups.remove(group_id) {
            Some(group) => group,
            None => match self.folded.rows.get(&key::group(group_id))? {
                Some(group) => group,
                None => self.new_group()?,
            },
        };
        let result = self.change(&mut group, change);
        self.groups.insert(group_id.clone(), group);
        result
    }

    /// What the batch does.
    pub fn finish(mut self) -> Result<Folded<W::Content>, StoreError> {
        for (id, group) in self.groups {
            let key = key::group(&id);
            if group.sum.is_empty() {
                self.folded.rows.remove(key);
            } else {
                self.folded.rows.put(key, &group)?;
            }
        }
        Ok(self.folded)
    }

    fn new_group(&mut self) -> Result<GroupRow, StoreError> {
        let mut about = match self.folded.rows.get(&key::about())? {
            Some(about) => about,
            None => self.documents.about()?,
        };
        let number = about.next_group;
        about.next_group += 1;
        self.folded.rows.put(key::about(), &about)?;
        Ok(GroupRow {
            number,
            next_slots: [0; 4],
            sum: RowSum::default(),
        })
    }

    fn change(&mut self, group: &mut GroupRow, change: &Change) -> Result<(), StoreError> {
        match change {
            Change::PutEpisode(row) => self.put_episode(group, row),
            Change::EraseEpisode { topic, episode_id } => match topic {
                Topic::Episodes => {
                    let id = DocumentId::Episode(episode_id.clone());
                    self.remove(group, DocumentKind::Episode, id)
                }
                Topic::Facts => self.remove_evidence_from(group, episode_id),
                _ => Ok(()),
            },
            Change::EraseGroup { topic } => self.erase_group(group, *topic),
            Change::PutEntity(row) => {
                self.put_entity(group, row.entity_id, EntityAttributes::of(row))
            }
            Change::MergeEntity { from, into } => match self.entity(group, *from)? {
                Some(entity) => {
                    let merged_into = Some(*into);
                    let merged = EntityAttributes {
                        merged_into,
                        ..entity
                    };
                    self.put_entity(group, *from, merged)
                }
                None => Ok(()),
            },
            Change::EraseEntity(entity) => {
                self.remove(group, DocumentKind::Entity, DocumentId::Derived(*entity))
            }
            Change::PutSummary { entity_id, summary } => {
                self.set_summary(group, *entity_id, Some(summary))
            }
            Change::PutFactVersion(row) => {
                let id = DocumentId::Derived(row.version_id);
                let attributes = Attributes::Fact(FactAttributes::of(row));
                let text = self.wording.fact(row);
                self.put(group, DocumentKind::Fact, id, attributes, text)
            }
            Change::ExpireFactVersion {
                version_id,
                expired_at,
                ..
            } => {
                let id = DocumentId::Derived(*version_id);
                let Some(mut row) = self.document(group, DocumentKind::Fact, &id)? else {
                    return Ok(());
                };
                if let Attributes::Fact(fact) = &mut row.attributes {
                    fact.expired_at = Some(*expired_at);
                }
                self.write(group, DocumentKind::Fact, id, row, None)
            }
            Change::EraseFactVersion { version_id, .. } => {
                self.remove(group, DocumentKind::Fact, DocumentId::Derived(*version_id))
            }
            Change::PutSupport(row) => {
                self.put_evidence(group, row.statement_id, &Evidence::of(row))
            }
            Change::RemoveSupport {
                statement_id,
                fact_id,
            } => self.remove_evidence(group, *statement_id, Some(*fact_id)),
            Change::PutCommunity(row) => {
                let id = DocumentId::Derived(row.community_id);
                let text = self.wording.community(row);
                self.put(
                    group,
                    DocumentKind::Community,
                    id,
                    Attributes::Community,
                    text,
                )
            }
            Change::RemoveCommunity(community) => {
                let id = DocumentId::Derived(*community);
                self.remove(group, DocumentKind::Community, id)
            }
            Change::PutOntology(_) | Change::PutStatus { .. } | Change::PutMention(_) => Ok(()),
        }
    }

    fn put_episode(&mut self, group: &mut GroupRow, row: &EpisodeRow) -> Result<(), StoreError> {
        let id = DocumentId::Episode(row.episode.episode_id.clone());
        let stored = self.document(group, DocumentKind::Episode, &id)?;
        if let Some(Attributes::Episode(stored)) = stored.map(|row| row.attributes)
            && stored.position < row.position
        {
            return Ok(());
        }
        let attributes = Attributes::Episode(EpisodeAttributes::of(row));
        let text = self.wording.episode(row);
        self.put(group, DocumentKind::Episode, id, attributes, text)
    }

    fn entity(
        &self,
        group: &GroupRow,
        entity: EntityId,
    ) -> Result<Option<EntityAttributes>, StoreError> {
        let id = DocumentId::Derived(entity);
        let row = self.document(group, DocumentKind::Entity, &id)?;
        Ok(row.and_then(|row| match row.attributes {
            Attributes::Entity(entity) => Some(entity),
            _ => None,
        }))
    }

    fn put_entity(
        &mut self,
        group: &mut GroupRow,
        entity: EntityId,
        attributes: EntityAttributes,
    ) -> Result<(), StoreError> {
        let summary: Option<String> = if W::SUMMARIES {
            let key = key::row(group.number, &RowIdentity::summary(entity));
            self.folded.rows.get(&key)?
        } else {
            None
        };
        let text =
            self.wording
                .entity(&attributes.name, &attributes.aliases, summary.as_deref());
        let id = DocumentId::Derived(entity);
        let attributes = Attributes::Entity(attributes);
        self.put(group, DocumentKind::Entity, id, attributes, text)
    }

    fn set_summary(
        &mut self,
        group: &mut GroupRow,
        entity: EntityId,
        summary: Option<&str>,
    ) -> Result<(), StoreError> {
        if !W::SUMMARIES {
            return Ok(());
        }
        let identity = RowIdentity::summary(entity);
        let key = key::row(group.number, &identity);
        if let Some(stored) = self.folded.rows.get::<String>(&key)? {
            group.sum.remove(identity.as_bytes(), &encode_row(&stored)?);
        }
        match summary {
            Some(summary) => {
                group.sum.add(identity.as_bytes(), &encode_row(&summary)?);
                self.folded.rows.put(key, &summary)?;
            }
            None => self.folded.rows.remove(key),
        }
        match self.entity(group, entity)? {
            Some(attributes) => self.put_entity(group, entity, attributes),
            None => Ok(()),
        }
    }

    fn document(
        &self,
        group: &GroupRow,
        kind: DocumentKind,
        id: &DocumentId,
    ) -> Result<Option<DocumentRow>, StoreError> {
        let key = key::row(group.number, &id.identity(kind));
        self.folded.rows.get(&key)
    }

    fn put(
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

    fn write(
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

    fn remove(
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
    fn edit(
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

    fn put_evidence(
        &mut self,
        group: &mut GroupRow,
        statement: Uuid,
        evidence: &Evidence,
    ) -> Result<(), StoreError> {
        self.remove_evidence(group, statement, None)?;
        let identity = RowIdentity::support(statement);
        group.sum.add(identity.as_bytes(), &encode_row(evidence)?);
        let entries = key::evidence_entries(
            group.number,
            evidence.fact_id,
            &evidence.episode_id,
            statement,
        );
        for entry in entries {
            self.folded.rows.put(entry, &())?;
        }
        self.folded
            .rows
            .put(key::row(group.number, &identity), evidence)
    }

    /// Removes the evidence that a statement is, if it is for the fact, or whatever it is for.
    fn remove_evidence(
        &mut self,
        group: &mut GroupRow,
        statement: Uuid,
        only_for: Option<FactId>,
    ) -> Result<(), StoreError> {
        let identity = RowIdentity::support(statement);
        let key = key::row(group.number, &identity);
        let Some(stored) = self.folded.rows.get::<Evidence>(&key)? else {
            return Ok(());
        };
        if only_for.is_some_and(|fact| fact != stored.fact_id) {
            return Ok(());
        }
        group.sum.remove(identity.as_bytes(), &encode_row(&stored)?);
        self.folded.rows.remove(key);
        let entries =
            key::evidence_entries(group.number, stored.fact_id, &stored.episode_id, statement);
        for entry in entries {
            self.folded.rows.remove(entry);
        }
        Ok(())
    }

    fn remove_evidence_from(
        &mut self,
        group: &mut GroupRow,
        episode: &EpisodeId,
    ) -> Result<(), StoreError> {
        let prefix = key::evidence_from(group.number, episode);
        for (entry, _) in self.folded.rows.with_prefix(&prefix)? {
            if let Some(statement) = key::statement_of(&entry) {
                self.remove_evidence(group, statement, None)?;
            }
        }
        Ok(())
    }

    fn erase_group(&mut self, group: &mut GroupRow, topic: Topic) -> Result<(), StoreError> {
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

    fn erase_documents(
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

    fn erase_rows(
        &mut self,
        group: &mut GroupRow,
        kind: RowKind,
        canonical: impl Fn(&[u8]) -> Result<Vec<u8>, StoreError>,
    ) -> Result<(), StoreError> {
        for (key, value) in self.folded.rows.with_prefix(&key::rows(group.number, kind))? {
            let identity = key.get(key::BEFORE_IDENTITY..).unwrap_or_default();
            group.sum.remove(identity, &canonical(&value)?);
            self.folded.rows.remove(key);
        }
        Ok(())
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
