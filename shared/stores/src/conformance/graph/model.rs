//! [`GraphModel`] is the contract of the graph store in its plainest form: rows in maps, every read
//! a scan. What an adapter gives must equal what it gives.

use std::collections::BTreeMap;

use mneme_events::Topic;
use mneme_model::{EntityId, EpisodeId, GroupId, Ontology};
use serde::Serialize;
use uuid::Uuid;

use crate::digest::{RowIdentity, RowSum, counted, encode_row};
use crate::{
    Change, CommunityRow, Digest, EntityRow, EpisodeRow, FactVersionRow, HoldRow, MentionRow,
    StatusRow, StoreError, SupportRow,
};

/// The rows of one generation.
#[derive(Debug, Clone, Default)]
pub struct GraphModel(BTreeMap<GroupId, GroupModel>);

/// Episode, stage and position of what is held.
type HoldKey = (Option<EpisodeId>, String, i64);

/// The rows of one group.
#[derive(Debug, Clone, Default)]
pub struct GroupModel {
    pub(super) episodes: BTreeMap<EpisodeId, EpisodeRow>,
    pub(super) ontology: Option<Ontology>,
    pub(super) statuses: BTreeMap<EpisodeId, StatusRow>,
    pub(super) holds: BTreeMap<HoldKey, HoldRow>,
    pub(super) entities: BTreeMap<EntityId, EntityRow>,
    pub(super) mentions: BTreeMap<(EpisodeId, i32), MentionRow>,
    pub(super) versions: BTreeMap<Uuid, FactVersionRow>,
    pub(super) support: BTreeMap<Uuid, SupportRow>,
    pub(super) summaries: BTreeMap<EntityId, String>,
    pub(super) communities: BTreeMap<Uuid, CommunityRow>,
}

impl GraphModel {
    /// Applies changes in order.
    pub fn apply(&mut self, changes: &[(GroupId, Change)]) {
        for (group, change) in changes {
            self.0.entry(group.clone()).or_default().apply(change);
        }
    }

    /// The rows of a group.
    pub fn group(&self, group: &GroupId) -> GroupModel {
        self.0.get(group).cloned().unwrap_or_default()
    }

    /// The digest of each group that holds a row.
    pub fn digests(&self) -> Result<BTreeMap<GroupId, Digest>, StoreError> {
        let mut digests = BTreeMap::new();
        for (group, rows) in &self.0 {
            let sum = rows.sum()?;
            if !sum.is_empty() {
                digests.insert(group.clone(), sum.digest());
            }
        }
        Ok(digests)
    }
}

impl GroupModel {
    /// What was concluded of an episode; else what its first held record says.
    pub(super) fn status(&self, episode: &EpisodeId) -> Option<StatusRow> {
        let of_episode = |(key, _): &(&HoldKey, &HoldRow)| key.0.as_ref() == Some(episode);
        let held = self.holds.iter().find(of_episode);
        let held = held.map(|(_, row)| row.clone().status());
        self.statuses.get(episode).cloned().or(held)
    }

    /// Whether what was received up to a position may be held.
    pub(super) fn is_held(&self, position: u64) -> bool {
        self.holds.values().any(|row| row.may_be_of(position))
    }

    fn apply(&mut self, change: &Change) {
        match change.clone() {
            Change::PutEpisode(row) => {
                let id = row.episode.episode_id.clone();
                let first = self
                    .episodes
                    .get(&id)
                    .is_none_or(|old| row.position <= old.position);
                if first {
                    self.episodes.insert(id, *row);
                }
            }
            Change::EraseEpisode { topic, episode_id } => match topic {
                Topic::Episodes => {
                    self.episodes.remove(&episode_id);
                }
                Topic::Resolutions => self.mentions.retain(|(id, _), _| *id != episode_id),
                Topic::Facts => {
                    self.statuses.remove(&episode_id);
                    self.support.retain(|_, row| row.episode_id != episode_id);
                }
                _ => {}
            },
            Change::EraseGroup { topic } => match topic {
                Topic::Episodes => {
                    self.episodes.clear();
                    self.ontology = None;
                }
                Topic::Resolutions => {
                    self.entities.clear();
                    self.mentions.clear();
                }
                Topic::Facts => {
                    self.versions.clear();
                    self.support.clear();
                    self.statuses.clear();
                }
                Topic::Parked => self.holds.clear(),
                Topic::Communities => {
                    self.communities.clear();
                    self.summaries.clear();
                }
                _ => {}
            },
            Change::PutOntology(ontology) => self.ontology = Some(*ontology),
            Change::PutStatus { episode_id, status } => {
                self.statuses.insert(episode_id, status);
            }
            Change::PutHold(row) => {
                let key = (row.episode_id.clone(), row.stage.clone(), row.source_offset);
                self.holds.insert(key, row);
            }
            Change::RemoveHold {
                episode_id,
                stage,
                source_offset,
            } => {
                self.holds.remove(&(episode_id, stage, source_offset));
            }
            Change::PutEntity(mut row) => {
                row.summary = None;
                row.merged_into = None;
                if let Some(old) = self.entities.get(&row.entity_id) {
                    row.created_at = old.created_at;
                }
                self.entities.insert(row.entity_id, *row);
            }
            Change::MergeEntity { from, into } => {
                if let Some(row) = self.entities.get_mut(&from) {
                    row.merged_into = Some(into);
                }
            }
            Change::EraseEntity(entity) => {
                self.entities.remove(&entity);
            }
            Change::PutSummary { entity_id, summary } => {
                self.summaries.remove(&entity_id);
                if !summary.is_empty() {
                    self.summaries.insert(entity_id, summary);
                }
            }
            Change::PutMention(row) => {
                self.mentions
                    .insert((row.episode_id.clone(), row.ordinal), row);
            }
            Change::PutFactVersion(row) => {
                self.versions.insert(row.version_id, *row);
            }
            Change::ExpireFactVersion {
                version_id,
                expired_at,
                ..
            } => {
                if let Some(row) = self.versions.get_mut(&version_id) {
                    row.expired_at = Some(expired_at);
                }
            }
            Change::EraseFactVersion { version_id, .. } => {
                self.versions.remove(&version_id);
            }
            Change::PutSupport(row) => {
                self.support.insert(row.statement_id, row);
            }
            Change::RemoveSupport {
                statement_id,
                fact_id,
            } => self
                .support
                .retain(|id, row| *id != statement_id || row.fact_id != fact_id),
            Change::PutCommunity(row) => {
                self.communities.insert(row.community_id, *row);
            }
            Change::RemoveCommunity(community) => {
                self.communities.remove(&community);
            }
        }
    }

    fn sum(&self) -> Result<RowSum, StoreError> {
        let mut sum = RowSum::default();
        fn add<T: Serialize>(
            sum: &mut RowSum,
            identity: RowIdentity,
            row: &T,
        ) -> Result<(), StoreError> {
            let row = encode_row(row)?;
            let identity = identity.as_bytes();
            sum.add(identity, counted(identity, &row));
            Ok(())
        }
        if let Some(ontology) = &self.ontology {
            let json = serde_json::to_vec(ontology)
                .map_err(|error| StoreError::Broken(error.to_string()))?;
            sum.add(RowIdentity::ontology().as_bytes(), &json);
        }
        for (id, row) in &self.episodes {
            add(&mut sum, RowIdentity::episode(id), row)?;
        }
        for ((episode, stage, offset), row) in &self.holds {
            add(
                &mut sum,
                RowIdentity::hold(episode.as_ref(), stage, *offset),
                row,
            )?;
        }
        for (id, row) in &self.statuses {
            add(&mut sum, RowIdentity::status(id), row)?;
        }
        for (id, row) in &self.entities {
            add(&mut sum, RowIdentity::entity(*id), row)?;
        }
        for ((id, ordinal), row) in &self.mentions {
            add(&mut sum, RowIdentity::mention(id, *ordinal), row)?;
        }
        for (id, row) in &self.versions {
            add(&mut sum, RowIdentity::fact_version(*id), row)?;
        }
        for (id, row) in &self.support {
            add(&mut sum, RowIdentity::support(*id), row)?;
        }
        for (id, row) in &self.summaries {
            add(&mut sum, RowIdentity::summary(*id), row)?;
        }
        for (id, row) in &self.communities {
            add(&mut sum, RowIdentity::community(*id), row)?;
        }
        Ok(sum)
    }
}
