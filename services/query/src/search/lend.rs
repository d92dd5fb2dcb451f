//! What facts and entities lend to the episodes they come from: someone, or some rule, read the
//! episode and saw what was asked for.

use std::collections::HashMap;
use std::sync::Arc;

use mneme_api::RerankDto;
use mneme_stores::{EntityRow, FactVersionRow};

use super::{Ask, Ordered};
use crate::rank::{Candidate, Key, Scale, ScoredList};
use crate::{QueryError, QueryService};

/// How many of the best facts lend.
const FACTS: usize = 20;
/// How many of the best entities lend.
const ENTITIES: usize = 5;
/// An entity that more episodes mention tells none of them apart.
const MENTIONS: usize = 64;

impl QueryService {
    /// The lists that episodes are lent.
    pub(crate) async fn lent(
        &self,
        ask: &Arc<Ask>,
        facts: &Ordered<FactVersionRow>,
        entities: &Ordered<EntityRow>,
    ) -> Result<Vec<ScoredList>, QueryError> {
        let weights = &self.settings.episodes;
        // The filter of episodes is the stores': with one, nothing may come in beside them.
        if ask.filter.is_some() || ask.rerank == RerankDto::Rrf {
            return Ok(Vec::new());
        }
        let mut lists = Vec::new();
        if weights.fact != 0.0 {
            lists.push(list("fact", weights.fact, by_facts(facts)));
        }
        if weights.entity != 0.0 {
            let lent = self.by_entities(ask, entities).await?;
            lists.push(list("entity", weights.entity, lent));
        }
        Ok(lists)
    }

    /// An entity lends its score, shared by the episodes that mention it.
    async fn by_entities(
        &self,
        ask: &Arc<Ask>,
        entities: &Ordered<EntityRow>,
    ) -> Result<HashMap<Key, f64>, QueryError> {
        let lenders: Vec<Candidate> = worthy(&entities.candidates)
            .take(ENTITIES)
            .cloned()
            .collect();
        let (graph, generation) = (self.stores.graph.clone(), ask.generation);
        self.ask_graph(async move {
            let mut lent = HashMap::new();
            for lender in lenders {
                let Ok(id) = lender.key.id.parse() else {
                    continue;
                };
                let group = &lender.key.group_id;
                let mentions = graph
                    .mentions_of(generation, group, id, MENTIONS + 1)
                    .await?;
                if mentions.len() > MENTIONS {
                    continue;
                }
                let share = lender.score / (mentions.len() as f64).sqrt();
                for mention in mentions {
                    lend(
                        &mut lent,
                        Key::new(group.clone(), mention.episode_id.as_str()),
                        share,
                    );
                }
            }
            Ok(lent)
        })
        .await
    }
}

/// A fact lends its score to the episode that it was drawn from.
fn by_facts(facts: &Ordered<FactVersionRow>) -> HashMap<Key, f64> {
    let mut lent = HashMap::new();
    for lender in worthy(&facts.candidates).take(FACTS) {
        if let Some(row) = facts.rows.get(&lender.key) {
            let key = Key::new(row.group_id.clone(), row.episode_id.as_str());
            lend(&mut lent, key, lender.score);
        }
    }
    lent
}

/// What is above the mean of its pool.
fn worthy(candidates: &[Candidate]) -> impl Iterator<Item = &Candidate> {
    candidates.iter().filter(|candidate| candidate.score > 0.0)
}

/// An episode has what the best of its lenders gives, not the sum: saying one thing in many facts
/// makes it no truer.
fn lend(lent: &mut HashMap<Key, f64>, episode: Key, amount: f64) {
    let known = lent.entry(episode).or_default();
    *known = known.max(amount);
}

fn list(name: &'static str, weight: f64, lent: HashMap<Key, f64>) -> ScoredList {
    let mut hits: Vec<(Key, f64)> = lent.into_iter().collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ScoredList {
        name,
        weight,
        scale: Scale::ShareOfBest,
        hits,
    }
}
