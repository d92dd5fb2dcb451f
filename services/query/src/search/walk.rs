//! The walk: what the best hits, or the entities that the request names, are connected with.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mneme_api::RerankDto;
use mneme_model::{EntityId, GroupId};
use mneme_stores::{DocumentKind, FactVersionRow, Walk};

use super::{Ask, Found};
use crate::rank::distance::nearness;
use crate::rank::{Candidate, Key, Scale, ScoredList, pool};
use crate::{QueryError, QueryService};

/// How many of the best hits a walk starts from.
const STARTS: usize = 3;
/// How far a walk goes that measures distances, and how many facts it meets at the most.
const DISTANCE_DEPTH: u32 = 4;
const DISTANCE_FACTS: usize = 2_000;

/// What a walk met.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// The facts, nearest first, each with its distance from 1.
    pub facts: Vec<(FactVersionRow, u32)>,
    /// The distances of entities; those it started from have 0.
    pub entities: HashMap<Key, u32>,
}

impl Walked {
    /// The distances of facts, of the episodes that they come from, and of entities.
    pub fn distances(&self, kind: DocumentKind) -> HashMap<Key, u32> {
        let key = |row: &FactVersionRow| match kind {
            DocumentKind::Fact => Some(Key::new(row.group_id.clone(), row.version_id.to_string())),
            DocumentKind::Episode => Some(Key::new(row.group_id.clone(), row.episode_id.as_str())),
            _ => None,
        };
        if kind == DocumentKind::Entity {
            return self.entities.clone();
        }
        let mut distances = HashMap::new();
        for (row, distance) in &self.facts {
            if let Some(key) = key(row) {
                distances.entry(key).or_insert(*distance);
            }
        }
        distances
    }

    /// The list of a kind for the pool: the nearer the better.
    pub fn list(&self, kind: DocumentKind, weight: f64) -> ScoredList {
        let distances = self.distances(kind).into_iter();
        let mut hits: Vec<(Key, f64)> = distances
            .map(|(key, distance)| (key, nearness(distance)))
            .collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        ScoredList {
            name: "graph",
            weight,
            scale: Scale::ShareOfBest,
            hits,
        }
    }
}

impl QueryService {
    /// Walks from where the request says, else from the entities that the query names, else from
    /// the best hits.
    pub(crate) async fn walk(&self, ask: &Arc<Ask>, found: &Found) -> Result<Walked, QueryError> {
        let starts = self.starts(ask, found).await?;
        let measures = ask.rerank == RerankDto::NodeDistance;
        let (depth, limit) = if measures {
            (DISTANCE_DEPTH, DISTANCE_FACTS)
        } else {
            (self.settings.walk_depth, self.settings.walk_facts)
        };
        let walks: Vec<(GroupId, Walk)> = starts
            .iter()
            .map(|(group, from)| {
                let walk = Walk {
                    from: from.clone(),
                    depth,
                    limit,
                    time: ask.time,
                };
                (group.clone(), walk)
            })
            .collect();
        let (graph, generation) = (self.stores.graph.clone(), ask.generation);
        let facts = self.ask_graph(async move {
            let mut facts = Vec::new();
            for (group, walk) in walks {
                facts.extend(graph.walk(generation, &group, &walk).await?);
            }
            Ok(facts)
        });
        let mut walked = Walked::default();
        for (group, from) in starts {
            let keys = from
                .into_iter()
                .map(|id| Key::new(group.clone(), id.to_string()));
            walked.entities.extend(keys.map(|key| (key, 0)));
        }
        for (row, distance) in facts.await? {
            for end in [Some(row.subject.entity_id), row.object.entity_id()]
                .into_iter()
                .flatten()
            {
                let key = Key::new(row.group_id.clone(), end.to_string());
                walked.entities.entry(key).or_insert(distance);
            }
            walked.facts.push((row, distance));
        }
        walked.facts.sort_by_key(|(_, distance)| *distance);
        walked.facts = self
            .facts_that_pass(walked.facts, ask.filter.as_ref())
            .await?;
        Ok(walked)
    }

    async fn starts(
        &self,
        ask: &Arc<Ask>,
        found: &Found,
    ) -> Result<BTreeMap<GroupId, Vec<EntityId>>, QueryError> {
        let mut starts: BTreeMap<GroupId, Vec<EntityId>> = BTreeMap::new();
        if !ask.centers.is_empty() {
            for group in ask.scope.groups() {
                starts.insert(group.clone(), ask.centers.clone());
            }
            return Ok(starts);
        }
        for (row, _) in &found.named {
            starts
                .entry(row.group_id.clone())
                .or_default()
                .push(row.entity_id);
        }
        if !starts.is_empty() {
            return Ok(starts);
        }
        for candidate in best(found, DocumentKind::Entity) {
            if let Ok(entity) = candidate.key.id.parse() {
                starts
                    .entry(candidate.key.group_id)
                    .or_default()
                    .push(entity);
            }
        }
        let facts = best(found, DocumentKind::Fact)
            .into_iter()
            .map(|fact| fact.key);
        for row in self.fact_rows(facts.collect()).await?.into_values() {
            let from = starts.entry(row.group_id.clone()).or_default();
            from.push(row.subject.entity_id);
            from.extend(row.object.entity_id());
        }
        for from in starts.values_mut() {
            from.sort_unstable();
            from.dedup();
        }
        Ok(starts)
    }
}

fn best(found: &Found, kind: DocumentKind) -> Vec<Candidate> {
    let mut best = found
        .lists
        .get(&kind)
        .map(|lists| pool(lists))
        .unwrap_or_default();
    best.truncate(STARTS);
    best
}
