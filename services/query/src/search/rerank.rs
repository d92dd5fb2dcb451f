//! The rerankers that need more of the stores than the lists: marginal relevance, mentions and
//! distance. Each orders what was found by evidence, and keeps that order among equals.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use mneme_api::RerankDto;
use mneme_model::GroupId;
use mneme_stores::{CommunityRow, DocumentKind, EntityRow, EpisodeRow, FactVersionRow, StoreError};

use super::order::Ordered;
use super::{Ask, Walked};
use crate::rank::distance::by_distance;
use crate::rank::mentions::by_mentions;
use crate::rank::mmr::diversify;
use crate::rank::{Candidate, Key};
use crate::stores::{VECTORS, ask as ask_store};
use crate::{QueryError, QueryService};

/// The most mentions of an entity that are counted.
const MENTIONS_COUNTED: usize = 1_000;

/// All kinds, in order.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    pub facts: Ordered<FactVersionRow>,
    pub entities: Ordered<EntityRow>,
    pub episodes: Ordered<EpisodeRow>,
    pub communities: Ordered<CommunityRow>,
}

impl Ranking {
    /// The candidates of each kind, to be put in another order.
    fn each(&mut self) -> [(DocumentKind, &mut Vec<Candidate>); 4] {
        [
            (DocumentKind::Fact, &mut self.facts.candidates),
            (DocumentKind::Entity, &mut self.entities.candidates),
            (DocumentKind::Episode, &mut self.episodes.candidates),
            (DocumentKind::Community, &mut self.communities.candidates),
        ]
    }
}

impl QueryService {
    /// Puts what was found in the order that the request asks for.
    pub(crate) async fn rerank(
        &self,
        ask: &Arc<Ask>,
        ranking: &mut Ranking,
        walked: &Walked,
    ) -> Result<(), QueryError> {
        match ask.rerank {
            RerankDto::Evidence | RerankDto::Rrf => {}
            RerankDto::Mmr => {
                for (kind, candidates) in ranking.each() {
                    let vectors = self.vectors_of(ask, kind, candidates).await?;
                    let found = std::mem::take(candidates);
                    *candidates = diversify(found, &vectors, ask.limit, &self.settings.mmr);
                }
            }
            RerankDto::EpisodeMentions => {
                let mentions = self.mentions(ask, ranking).await?;
                for (_, candidates) in ranking.each() {
                    *candidates = by_mentions(std::mem::take(candidates), &mentions);
                }
            }
            RerankDto::NodeDistance => {
                let of_communities = community_distances(ranking, walked);
                for (kind, candidates) in ranking.each() {
                    let distances = match kind {
                        DocumentKind::Community => &of_communities,
                        _ => &walked.distances(kind),
                    };
                    *candidates = by_distance(std::mem::take(candidates), distances);
                }
            }
        }
        Ok(())
    }

    async fn vectors_of(
        &self,
        ask: &Arc<Ask>,
        kind: DocumentKind,
        candidates: &[Candidate],
    ) -> Result<Vec<Option<Vec<f32>>>, QueryError> {
        let mut wanted: BTreeMap<GroupId, Vec<(usize, String)>> = BTreeMap::new();
        for (place, candidate) in candidates.iter().enumerate() {
            let of_group = wanted.entry(candidate.key.group_id.clone()).or_default();
            of_group.push((place, candidate.key.id.clone()));
        }
        let (store, generation, count) = (
            self.stores.vectors.clone(),
            ask.generation,
            candidates.len(),
        );
        let call = async move {
            let mut vectors = vec![None; count];
            for (group, wanted) in wanted {
                let (places, ids): (Vec<usize>, Vec<String>) = wanted.into_iter().unzip();
                let found = store.vectors(generation, &group, kind, &ids).await?;
                for (place, vector) in places.into_iter().zip(found) {
                    vectors[place] = vector;
                }
            }
            Ok::<_, StoreError>(vectors)
        };
        ask_store(VECTORS, self.settings.store_timeout(), call).await
    }

    /// How many episodes mention each: those that support a fact, those that mention an entity. An
    /// episode counts the found facts that were drawn from it.
    async fn mentions(
        &self,
        ask: &Arc<Ask>,
        ranking: &Ranking,
    ) -> Result<HashMap<Key, usize>, QueryError> {
        let mut counts: HashMap<Key, usize> = HashMap::new();
        let supports = self.supports(ranking.facts.rows.values()).await?;
        for (key, row) in &ranking.facts.rows {
            let statements = supports.get(&row.fact_id).into_iter().flatten();
            let supporting = statements.filter(|statement| statement.supports(row));
            let episodes: HashSet<_> = supporting.map(|statement| &statement.episode_id).collect();
            for episode in &episodes {
                let key = Key::new(row.group_id.clone(), episode.as_str());
                *counts.entry(key).or_default() += 1;
            }
            counts.insert(key.clone(), episodes.len());
        }
        let entities: Vec<(Key, uuid::Uuid)> = ranking
            .entities
            .rows
            .iter()
            .map(|(key, row)| (key.clone(), row.entity_id))
            .collect();
        let (graph, generation) = (self.stores.graph.clone(), ask.generation);
        let mentioned = self.ask_graph(async move {
            let mut counts = Vec::with_capacity(entities.len());
            for (key, entity) in entities {
                let mentions = graph
                    .mentions_of(generation, &key.group_id, entity, MENTIONS_COUNTED)
                    .await?;
                let episodes: HashSet<_> = mentions.iter().map(|m| &m.episode_id).collect();
                let count = episodes.len();
                counts.push((key, count));
            }
            Ok(counts)
        });
        counts.extend(mentioned.await?);
        Ok(counts)
    }
}

/// A community is as near as its nearest member.
fn community_distances(ranking: &Ranking, walked: &Walked) -> HashMap<Key, u32> {
    let mut distances = HashMap::new();
    for (key, row) in &ranking.communities.rows {
        let members = row.members.iter();
        let members = members.map(|id| Key::new(row.group_id.clone(), id.to_string()));
        let nearest = members
            .filter_map(|member| walked.entities.get(&member))
            .min();
        distances.extend(nearest.map(|distance| (key.clone(), *distance)));
    }
    distances
}
