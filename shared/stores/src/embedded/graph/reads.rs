//! The reads of the port, each from one state of the store and of one group.

use async_trait::async_trait;
use mneme_model::{EntityId, EpisodeId, FactId, GroupId, Instant, NameKey, Ontology, ThreadId};
use uuid::Uuid;

use super::view::{View, decode};
use super::{EmbeddedGraph, blocking, entities, entries, episodes, facts, walk};
use crate::digest::RowIdentity;
use crate::{
    CommunityRow, EntityRow, EpisodeRow, FactVersionRow, Generation, GraphStore, HoldRow,
    MentionRow, StatusRow, StoreError, SupportRow, TimeView, Walk,
};

impl EmbeddedGraph {
    /// Reads a group; what a generation without anything gives is the default.
    fn read<T: Default>(
        &self,
        generation: Generation,
        group: &GroupId,
        read: impl FnOnce(View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.view(generation, group) {
            Some(view) => blocking(|| read(view)),
            None => Ok(T::default()),
        }
    }
}

fn ontology(view: &View<'_>) -> Result<Option<Ontology>, StoreError> {
    let Some(json) = view.row_bytes(&RowIdentity::ontology())? else {
        return Ok(None);
    };
    serde_json::from_slice(&json)
        .map(Some)
        .map_err(|error| StoreError::Broken(format!("the ontology does not decode: {error}")))
}

#[async_trait]
impl GraphStore for EmbeddedGraph {
    async fn episode(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<Option<EpisodeRow>, StoreError> {
        self.read(generation, group, |view| {
            view.row(&RowIdentity::episode(episode))
        })
    }

    async fn status(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<Option<StatusRow>, StoreError> {
        self.read(generation, group, |view| {
            if let Some(status) = view.row(&RowIdentity::status(episode))? {
                return Ok(Some(status));
            }
            let held = view.scan(&entries::holds_of(group, episode)).next();
            let Some(held) = held else { return Ok(None) };
            let hold: HoldRow = decode(&held?.1)?;
            Ok(Some(hold.status()))
        })
    }

    async fn is_held(
        &self,
        generation: Generation,
        group: &GroupId,
        position: u64,
    ) -> Result<bool, StoreError> {
        self.read(generation, group, |view| {
            for held in view.scan(&entries::holds(group)) {
                let hold: HoldRow = decode(&held?.1)?;
                if hold.may_be_of(position) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    async fn episodes(
        &self,
        generation: Generation,
        group: &GroupId,
        thread: Option<&ThreadId>,
        before: Option<Instant>,
        limit: usize,
    ) -> Result<Vec<EpisodeRow>, StoreError> {
        self.read(generation, group, |view| {
            episodes::latest(&view, thread, before, limit)
        })
    }

    async fn neighbours(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
        each_side: usize,
    ) -> Result<Vec<EpisodeRow>, StoreError> {
        self.read(generation, group, |view| {
            episodes::neighbours(&view, episode, each_side)
        })
    }

    async fn ontology(
        &self,
        generation: Generation,
        group: &GroupId,
    ) -> Result<Option<Ontology>, StoreError> {
        self.read(generation, group, |view| ontology(&view))
    }

    async fn entity(
        &self,
        generation: Generation,
        group: &GroupId,
        entity: EntityId,
    ) -> Result<Option<EntityRow>, StoreError> {
        self.read(generation, group, |view| view.entity(entity))
    }

    async fn entities_named(
        &self,
        generation: Generation,
        group: &GroupId,
        key: &NameKey,
    ) -> Result<Vec<EntityRow>, StoreError> {
        self.read(generation, group, |view| entities::named(&view, key))
    }

    async fn entities(
        &self,
        generation: Generation,
        group: &GroupId,
        after: Option<EntityId>,
        limit: usize,
    ) -> Result<Vec<EntityRow>, StoreError> {
        self.read(generation, group, |view| {
            entities::page(&view, after, limit)
        })
    }

    async fn mentions_of(
        &self,
        generation: Generation,
        group: &GroupId,
        entity: EntityId,
        limit: usize,
    ) -> Result<Vec<MentionRow>, StoreError> {
        self.read(generation, group, |view| {
            entities::mentions_of(&view, entity, limit)
        })
    }

    async fn mentions_in(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<Vec<MentionRow>, StoreError> {
        self.read(generation, group, |view| {
            entities::mentions_in(&view, episode)
        })
    }

    async fn fact_version(
        &self,
        generation: Generation,
        group: &GroupId,
        version: Uuid,
    ) -> Result<Option<FactVersionRow>, StoreError> {
        self.read(generation, group, |view| view.fact_version(version))
    }

    async fn facts(
        &self,
        generation: Generation,
        group: &GroupId,
        time: &TimeView,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<FactVersionRow>, StoreError> {
        self.read(generation, group, |view| {
            facts::page(&view, time, after, limit)
        })
    }

    async fn facts_of(
        &self,
        generation: Generation,
        group: &GroupId,
        entity: EntityId,
        time: &TimeView,
        limit: usize,
    ) -> Result<Vec<FactVersionRow>, StoreError> {
        self.read(generation, group, |view| {
            facts::of_entity(&view, entity, time, limit)
        })
    }

    async fn attributes_of(
        &self,
        generation: Generation,
        group: &GroupId,
        entity: EntityId,
        time: &TimeView,
        limit: usize,
    ) -> Result<Vec<FactVersionRow>, StoreError> {
        self.read(generation, group, |view| {
            facts::attributes_of(&view, entity, time, limit)
        })
    }

    async fn facts_from(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
        time: &TimeView,
        limit: usize,
    ) -> Result<Vec<FactVersionRow>, StoreError> {
        self.read(generation, group, |view| {
            facts::from_episode(&view, episode, time, limit)
        })
    }

    async fn history(
        &self,
        generation: Generation,
        group: &GroupId,
        fact: FactId,
    ) -> Result<Vec<FactVersionRow>, StoreError> {
        self.read(generation, group, |view| facts::history(&view, fact))
    }

    async fn support(
        &self,
        generation: Generation,
        group: &GroupId,
        fact: FactId,
        limit: usize,
    ) -> Result<Vec<SupportRow>, StoreError> {
        self.read(generation, group, |view| facts::support(&view, fact, limit))
    }

    async fn walk(
        &self,
        generation: Generation,
        group: &GroupId,
        walk: &Walk,
    ) -> Result<Vec<(FactVersionRow, u32)>, StoreError> {
        self.read(generation, group, |view| walk::walk(&view, walk))
    }

    async fn communities(
        &self,
        generation: Generation,
        group: &GroupId,
        limit: usize,
    ) -> Result<Vec<CommunityRow>, StoreError> {
        self.read(generation, group, |view| {
            entities::communities(&view, limit)
        })
    }

    async fn community(
        &self,
        generation: Generation,
        group: &GroupId,
        community: Uuid,
    ) -> Result<Option<CommunityRow>, StoreError> {
        self.read(generation, group, |view| {
            view.row(&RowIdentity::community(community))
        })
    }

    async fn groups(&self, generation: Generation) -> Result<Vec<GroupId>, StoreError> {
        Ok(self.sums(generation)?.into_keys().collect())
    }
}
