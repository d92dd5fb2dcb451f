//! The reads of the model: every one a scan.

use std::collections::BTreeMap;

use mneme_events::ResolvedEntity;
use mneme_model::{EntityId, EpisodeId, FactId, Instant, NameKey, ThreadId};
use uuid::Uuid;

use super::GroupModel;
use crate::{EntityRow, EpisodeRow, FactObject, FactVersionRow, MentionRow, SupportRow, TimeView};

impl GroupModel {
    pub(super) fn latest(
        &self,
        thread: Option<&ThreadId>,
        before: Option<Instant>,
        limit: usize,
    ) -> Vec<EpisodeRow> {
        let mut rows = self.in_order(|row| {
            thread.is_none_or(|thread| row.episode.thread_id.as_ref() == Some(thread))
                && before.is_none_or(|before| row.episode.reference_time < before)
        });
        rows.reverse();
        rows.truncate(limit);
        rows
    }

    fn in_order(&self, keep: impl Fn(&EpisodeRow) -> bool) -> Vec<EpisodeRow> {
        let mut rows: Vec<EpisodeRow> = self
            .episodes
            .values()
            .filter(|row| keep(row))
            .cloned()
            .collect();
        rows.sort_by_key(|row| {
            let id = row.episode.episode_id.clone();
            (row.episode.reference_time, row.position, id)
        });
        rows
    }

    pub(super) fn neighbours(&self, episode: &EpisodeId, each_side: usize) -> Vec<EpisodeRow> {
        let Some(thread) = self
            .episodes
            .get(episode)
            .and_then(|row| row.episode.thread_id.clone())
        else {
            return Vec::new();
        };
        let rows = self.in_order(|row| row.episode.thread_id.as_ref() == Some(&thread));
        let own = rows
            .iter()
            .position(|row| row.episode.episode_id == *episode);
        let own = own.unwrap_or_default();
        let around = own.saturating_sub(each_side)..=own + each_side;
        let rows = rows.into_iter().enumerate();
        rows.filter(|(index, _)| around.contains(index) && *index != own)
            .map(|(_, row)| row)
            .collect()
    }

    pub(super) fn entity(&self, entity: EntityId) -> Option<EntityRow> {
        let mut row = self.entities.get(&entity)?.clone();
        row.summary = self.summaries.get(&entity).cloned();
        Some(row)
    }

    pub(super) fn living(&self, after: Option<EntityId>, limit: usize) -> Vec<EntityRow> {
        let living = self.entities.values().filter(|row| {
            row.merged_into.is_none() && after.is_none_or(|after| row.entity_id > after)
        });
        living
            .filter_map(|row| self.entity(row.entity_id))
            .take(limit)
            .collect()
    }

    pub(super) fn named(&self, key: &NameKey) -> Vec<EntityRow> {
        let mut rows = self.living(None, usize::MAX);
        rows.retain(|row| {
            NameKey::of(&row.name) == *key
                || row.aliases.iter().any(|alias| NameKey::of(alias) == *key)
        });
        rows
    }

    fn with_names(&self, row: &FactVersionRow) -> FactVersionRow {
        let rename = |end: &mut ResolvedEntity| {
            if let Some(entity) = self.entities.get(&end.entity_id) {
                end.name.clone_from(&entity.name);
                end.entity_type.clone_from(&entity.entity_type);
            }
        };
        let mut row = row.clone();
        rename(&mut row.subject);
        if let FactObject::Entity(object) = &mut row.object {
            rename(object);
        }
        row
    }

    pub(super) fn version(&self, version: Uuid) -> Option<FactVersionRow> {
        self.versions.get(&version).map(|row| self.with_names(row))
    }

    /// The versions that pass, in the order of facts.
    pub(super) fn facts(&self, keep: impl Fn(&FactVersionRow) -> bool) -> Vec<FactVersionRow> {
        let mut rows: Vec<FactVersionRow> = self
            .versions
            .values()
            .filter(|row| keep(row))
            .map(|row| self.with_names(row))
            .collect();
        rows.sort_by_key(|row| {
            let object = match &row.object {
                FactObject::Entity(entity) => (Some(entity.entity_id), None),
                FactObject::Literal(literal) => (None, Some(literal.clone())),
            };
            let object = (object.0.is_none(), object);
            let start = row.valid_at.at;
            (
                row.subject.entity_id,
                row.relation.clone(),
                object,
                start,
                row.version_id,
            )
        });
        rows
    }

    pub(super) fn facts_of(&self, entity: EntityId, time: &TimeView) -> Vec<FactVersionRow> {
        let mut rows = self.facts(|row| {
            time.sees(row)
                && (row.subject.entity_id == entity || row.object.entity_id() == Some(entity))
        });
        rows.sort_by_key(|row| std::cmp::Reverse((row.valid_at.at, row.version_id)));
        rows
    }

    pub(super) fn attributes_of(&self, entity: EntityId, time: &TimeView) -> Vec<FactVersionRow> {
        let mut rows = self.facts_of(entity, time);
        rows.retain(|row| row.object.entity_id().is_none());
        rows
    }

    pub(super) fn facts_from(&self, episode: &EpisodeId, time: &TimeView) -> Vec<FactVersionRow> {
        self.facts(|row| {
            let supported = self.support.values().any(|support| {
                support.episode_id == *episode
                    && support.fact_id == row.fact_id
                    && support.supports(row)
            });
            time.sees(row) && (row.episode_id == *episode || supported)
        })
    }

    pub(super) fn history(&self, fact: FactId) -> Vec<FactVersionRow> {
        let mut rows = self.facts(|row| row.fact_id == fact);
        rows.sort_by_key(|row| (row.created_at, row.valid_at.at, row.version_id));
        rows
    }

    pub(super) fn support(&self, fact: FactId) -> Vec<SupportRow> {
        let mut rows: Vec<SupportRow> = self
            .support
            .values()
            .filter(|row| row.fact_id == fact)
            .cloned()
            .collect();
        rows.sort_by_key(|row| (row.valid_at.at, row.statement_id));
        rows
    }

    pub(super) fn mentions_of(&self, entity: EntityId) -> Vec<MentionRow> {
        let rows = self.mentions.values();
        rows.filter(|row| row.entity_id == entity)
            .cloned()
            .collect()
    }

    /// The least distance of each version within `depth` steps.
    pub(super) fn distances(
        &self,
        from: &[EntityId],
        depth: u32,
        time: &TimeView,
    ) -> BTreeMap<Uuid, u32> {
        let mut reached: Vec<EntityId> = from.to_vec();
        let mut distances = BTreeMap::new();
        for distance in 1..=depth {
            let here = std::mem::take(&mut reached);
            for row in here.iter().flat_map(|&entity| self.facts_of(entity, time)) {
                distances.entry(row.version_id).or_insert(distance);
                reached.push(row.subject.entity_id);
                reached.extend(row.object.entity_id());
            }
            reached.sort();
            reached.dedup();
        }
        distances
    }
}
