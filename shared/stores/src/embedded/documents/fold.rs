//! Changes to rows, and to what must be indexed: words or vectors follow from [`Edit`]s.
//!
//! A document is indexed again only when its text has changed, so a fact that expires, and a change
//! that is applied twice, cost a row and no more.

mod document;
mod erasure;
mod evidence;

use std::collections::{BTreeMap, HashMap};

use mneme_events::Topic;
use mneme_model::{EntityId, GroupId};

use super::folded::Folded;
use super::key;
use super::row::{
    Attributes, DocumentId, EntityAttributes, EpisodeAttributes, Evidence, FactAttributes,
};
use super::stored::{Documents, GroupRow};
use super::wording::Wording;
use crate::digest::{RowIdentity, RowSum, encode_row};
use crate::{Change, DocumentKind, EpisodeRow, StoreError};

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
        if !is_of_documents(change) {
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
                let summary = Some(summary.as_str()).filter(|summary| !summary.is_empty());
                self.set_summary(group, *entity_id, summary)
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
            Change::PutOntology(_)
            | Change::PutStatus { .. }
            | Change::PutHold(_)
            | Change::RemoveHold { .. }
            | Change::PutMention(_) => Ok(()),
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
        let text = self
            .wording
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
}

/// Whether the change is about documents or what filters look at; the others must not make a group.
fn is_of_documents(change: &Change) -> bool {
    !matches!(
        change,
        Change::PutOntology(_)
            | Change::PutStatus { .. }
            | Change::PutMention(_)
            | Change::PutHold(_)
            | Change::RemoveHold { .. }
    )
}
