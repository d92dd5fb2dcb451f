//! A search: ask all stores at once, walk the graph from what they found, rank each kind, let facts
//! and entities lend to episodes, and read no more than is shown.

mod ask;
mod filtered;
mod gather;
mod lend;
mod order;
mod rerank;
mod results;
mod walk;

use std::sync::Arc;

use mneme_api::{RerankDto, SearchRequest, SearchResponse};
use mneme_stores::DocumentKind;

pub(crate) use ask::{Ask, MAX_LIMIT};
pub(crate) use gather::Found;
pub(crate) use order::Ordered;
pub(crate) use rerank::Ranking;
pub(crate) use walk::Walked;

use crate::stores::Partial;
use crate::{QueryError, QueryService};

impl QueryService {
    /// Searches; a query of nothing finds nothing.
    pub async fn search(&self, request: &SearchRequest) -> Result<SearchResponse, QueryError> {
        let ask = Arc::new(self.check(request)?);
        let mut partial = Partial::default();
        let mut ranking = self.ranking(&ask, &mut partial).await?;
        ranking.truncate(ask.limit);
        let results = self.results(&ask, ranking).await?;
        Ok(SearchResponse {
            results,
            partial: partial.names(),
        })
    }

    /// Finds and ranks; nothing but what ranking needs is read yet.
    pub(crate) async fn ranking(
        &self,
        ask: &Arc<Ask>,
        partial: &mut Partial,
    ) -> Result<Ranking, QueryError> {
        let mut ranking = Ranking::default();
        if ask.is_blank() {
            return Ok(ranking);
        }
        let found = self.gather(ask, &searched(ask), partial).await?;
        let walked = if needs_walk(ask) && !partial.has(crate::stores::GRAPH) {
            partial.take(self.walk(ask, &found).await)?
        } else {
            Walked::default()
        };
        let (facts, entities, communities) = tokio::join!(
            self.order_facts(ask, &found, &walked),
            self.order_entities(ask, &found, &walked),
            self.order_communities(ask, &found),
        );
        (ranking.facts, ranking.entities, ranking.communities) = (facts?, entities?, communities?);
        if ask.wants(DocumentKind::Episode) {
            let lent = self.lent(ask, &ranking.facts, &ranking.entities).await?;
            ranking.episodes = self.order_episodes(ask, &found, &walked, lent).await?;
        }
        if !ask.wants(DocumentKind::Fact) {
            ranking.facts = Ordered::default();
        }
        if !ask.wants(DocumentKind::Entity) {
            ranking.entities = Ordered::default();
        }
        let reranked = self.rerank(ask, &mut ranking, &walked).await;
        partial.take(reranked)?;
        Ok(ranking)
    }
}

/// The kinds that are searched: those wanted, and those that lend to episodes or start a walk.
fn searched(ask: &Ask) -> Vec<DocumentKind> {
    let all = [
        DocumentKind::Episode,
        DocumentKind::Fact,
        DocumentKind::Entity,
        DocumentKind::Community,
    ];
    let lends = |kind| {
        matches!(kind, DocumentKind::Fact | DocumentKind::Entity)
            && (ask.wants(DocumentKind::Episode) || needs_walk(ask))
    };
    all.into_iter()
        .filter(|kind| ask.wants(*kind) || lends(*kind))
        .collect()
}

/// Whether anything that a walk finds would be shown.
fn needs_walk(ask: &Ask) -> bool {
    let shows = ask.wants(DocumentKind::Fact) || ask.wants(DocumentKind::Entity);
    let is_only_method = !ask.words && !ask.vectors;
    ask.rerank == RerankDto::NodeDistance || (ask.graph && (shows || is_only_method))
}

impl Ranking {
    /// Keeps the best of each kind.
    pub(crate) fn truncate(&mut self, limit: usize) {
        self.facts.candidates.truncate(limit);
        self.entities.candidates.truncate(limit);
        self.episodes.candidates.truncate(limit);
        self.communities.candidates.truncate(limit);
    }
}
