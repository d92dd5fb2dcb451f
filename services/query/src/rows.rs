//! Reads of the graph by id, several at once: one task for all, within one time limit, and only
//! what is asked for. What is not there is left out.

use std::collections::HashMap;

use mneme_api::{MemberDto, SourceDto};
use mneme_model::{EntityId, EpisodeId, GroupId};
use mneme_stores::{
    CommunityRow, EntityRow, EpisodeRow, FactVersionRow, StatusRow, SupportRow, TimeView,
};
use uuid::Uuid;

use crate::rank::Key;
use crate::{QueryError, QueryService, answer};

/// The most attributes that are read of one entity.
const MAX_ATTRIBUTES: usize = 1_000;
/// The most statements that are read of one fact.
pub(crate) const SUPPORT_LIMIT: usize = 1_000;

impl QueryService {
    /// The episodes with these keys.
    pub(crate) async fn episode_rows(
        &self,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, EpisodeRow>, QueryError> {
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut rows = HashMap::with_capacity(keys.len());
            for key in keys {
                let Ok(id) = EpisodeId::new(&key.id) else {
                    continue;
                };
                if let Some(row) = graph.episode(generation, &key.group_id, &id).await? {
                    rows.insert(key, row);
                }
            }
            Ok(rows)
        })
        .await
    }

    /// The versions of facts with these keys.
    pub(crate) async fn fact_rows(
        &self,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, FactVersionRow>, QueryError> {
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut rows = HashMap::with_capacity(keys.len());
            for key in keys {
                let Ok(id) = key.id.parse() else { continue };
                if let Some(row) = graph.fact_version(generation, &key.group_id, id).await? {
                    rows.insert(key, row);
                }
            }
            Ok(rows)
        })
        .await
    }

    /// The living entities with these keys.
    pub(crate) async fn entity_rows(
        &self,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, EntityRow>, QueryError> {
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut rows = HashMap::with_capacity(keys.len());
            for key in keys {
                let Ok(id) = key.id.parse() else { continue };
                let row = graph.entity(generation, &key.group_id, id).await?;
                if let Some(row) = row.filter(|row| row.merged_into.is_none()) {
                    rows.insert(key, row);
                }
            }
            Ok(rows)
        })
        .await
    }

    /// The communities with these keys.
    pub(crate) async fn community_rows(
        &self,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, CommunityRow>, QueryError> {
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut rows = HashMap::with_capacity(keys.len());
            for key in keys {
                let Ok(id) = key.id.parse() else { continue };
                if let Some(row) = graph.community(generation, &key.group_id, id).await? {
                    rows.insert(key, row);
                }
            }
            Ok(rows)
        })
        .await
    }

    /// The statements of each fact.
    pub(crate) async fn supports(
        &self,
        facts: impl Iterator<Item = &FactVersionRow>,
    ) -> Result<HashMap<Uuid, Vec<SupportRow>>, QueryError> {
        let wanted: Vec<(GroupId, Uuid)> = facts
            .map(|fact| (fact.group_id.clone(), fact.fact_id))
            .collect();
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut supports = HashMap::with_capacity(wanted.len());
            for (group, fact) in wanted {
                if let std::collections::hash_map::Entry::Vacant(entry) = supports.entry(fact) {
                    entry.insert(
                        graph
                            .support(generation, &group, fact, SUPPORT_LIMIT)
                            .await?,
                    );
                }
            }
            Ok(supports)
        })
        .await
    }

    /// How far episodes are, in their order.
    pub(crate) async fn statuses(
        &self,
        episodes: impl Iterator<Item = &EpisodeRow>,
    ) -> Result<Vec<Option<StatusRow>>, QueryError> {
        let wanted: Vec<(GroupId, EpisodeId)> = episodes
            .map(|row| (row.group_id.clone(), row.episode.episode_id.clone()))
            .collect();
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut statuses = Vec::with_capacity(wanted.len());
            for (group, episode) in wanted {
                statuses.push(graph.status(generation, &group, &episode).await?);
            }
            Ok(statuses)
        })
        .await
    }

    /// The attributes of each entity that the view sees, in the order of the entities.
    pub(crate) async fn attributes(
        &self,
        entities: impl Iterator<Item = &EntityRow>,
        time: TimeView,
    ) -> Result<Vec<Vec<FactVersionRow>>, QueryError> {
        let wanted: Vec<(GroupId, EntityId)> = entities
            .map(|row| (row.group_id.clone(), row.entity_id))
            .collect();
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut all = Vec::with_capacity(wanted.len());
            for (group, entity) in wanted {
                all.push(
                    graph
                        .attributes_of(generation, &group, entity, &time, MAX_ATTRIBUTES)
                        .await?,
                );
            }
            Ok(all)
        })
        .await
    }

    /// The first `limit` episodes that mention each entity, in the order of the entities.
    pub(crate) async fn mention_sources(
        &self,
        entities: impl Iterator<Item = &EntityRow>,
        limit: usize,
    ) -> Result<Vec<Vec<SourceDto>>, QueryError> {
        let wanted: Vec<(GroupId, EntityId)> = entities
            .map(|row| (row.group_id.clone(), row.entity_id))
            .collect();
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut all = Vec::with_capacity(wanted.len());
            for (group, entity) in wanted {
                let mut sources: Vec<SourceDto> = Vec::new();
                for mention in graph.mentions_of(generation, &group, entity, limit).await? {
                    if sources
                        .iter()
                        .any(|known| known.episode_id == mention.episode_id)
                    {
                        continue;
                    }
                    let episode = graph
                        .episode(generation, &group, &mention.episode_id)
                        .await?;
                    sources.extend(episode.map(|row| answer::source(&row.episode)));
                }
                sources.sort_by_key(|source| source.reference_time);
                all.push(sources);
            }
            Ok(all)
        })
        .await
    }

    /// The names of the members of communities, up to `limit` of each, in their order.
    pub(crate) async fn members(
        &self,
        communities: impl Iterator<Item = &CommunityRow>,
        limit: usize,
    ) -> Result<Vec<Vec<MemberDto>>, QueryError> {
        let wanted: Vec<(GroupId, Vec<EntityId>)> = communities
            .map(|row| {
                let members = row.members.iter().take(limit).copied();
                (row.group_id.clone(), members.collect())
            })
            .collect();
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        self.ask_graph(async move {
            let mut all = Vec::with_capacity(wanted.len());
            for (group, ids) in wanted {
                let mut members = Vec::with_capacity(ids.len());
                for entity_id in ids {
                    let row = graph.entity(generation, &group, entity_id).await?;
                    members.extend(row.map(|row| MemberDto {
                        entity_id,
                        name: row.name,
                    }));
                }
                all.push(members);
            }
            Ok(all)
        })
        .await
    }
}
