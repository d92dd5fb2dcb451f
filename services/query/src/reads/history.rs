//! What was believed, and when: all versions of a fact, or of all facts of an entity, also those
//! that are believed no longer.

use std::collections::BTreeSet;

use mneme_api::HistoryResponse;
use mneme_model::{EntityId, FactId, GroupId};
use mneme_stores::{FactVersionRow, TimeView};

use crate::{QueryError, QueryService};

/// The most facts of an entity whose versions are told.
const MAX_FACTS: usize = 10_000;
/// The most mentions of an entity that are followed back in time.
const MAX_MENTIONS: usize = 10_000;

impl QueryService {
    /// All versions of a fact, by when they were believed and when they began.
    pub async fn fact_history(
        &self,
        group: &GroupId,
        fact: FactId,
    ) -> Result<HistoryResponse, QueryError> {
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let group = group.clone();
        let read = async move { graph.history(generation, &group, fact).await };
        let rows = self.ask_graph(read).await?;
        Ok(HistoryResponse {
            facts: self.with_sources(rows).await?,
        })
    }

    /// All versions of all facts of an entity.
    ///
    /// A fact is found by what is believed now, or by what was when an episode that mentions the
    /// entity had just been received: every version begins with an episode that states it.
    pub async fn entity_history(
        &self,
        group: &GroupId,
        entity: EntityId,
    ) -> Result<HistoryResponse, QueryError> {
        let now = self.time_view(None, None, true);
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let group = group.clone();
        let rows = self.ask_graph(async move {
            let mut facts: BTreeSet<FactId> = BTreeSet::new();
            let current = graph
                .facts_of(generation, &group, entity, &now, MAX_FACTS)
                .await?;
            facts.extend(current.iter().map(|row| row.fact_id));
            for mention in graph
                .mentions_of(generation, &group, entity, MAX_MENTIONS)
                .await?
            {
                let episode = mention.episode_id;
                let Some(row) = graph.episode(generation, &group, &episode).await? else {
                    continue;
                };
                let then = TimeView {
                    known_at: row.recorded_at,
                    ..now
                };
                let stated = graph
                    .facts_from(generation, &group, &episode, &then, MAX_FACTS)
                    .await?;
                let is_of_entity = |row: &&FactVersionRow| {
                    row.subject.entity_id == entity || row.object.entity_id() == Some(entity)
                };
                facts.extend(stated.iter().filter(is_of_entity).map(|row| row.fact_id));
            }
            let mut versions: Vec<FactVersionRow> = Vec::new();
            for fact in facts {
                versions.extend(graph.history(generation, &group, fact).await?);
            }
            Ok(versions)
        });
        let mut rows = rows.await?;
        rows.sort_by(|a, b| order(a).cmp(&order(b)));
        Ok(HistoryResponse {
            facts: self.with_sources(rows).await?,
        })
    }
}

fn order(row: &FactVersionRow) -> (&str, &str, i64, i64, FactId) {
    (
        &row.relation,
        row.object.text(),
        row.created_at.as_micros(),
        row.valid_at.at.as_micros(),
        row.fact_id,
    )
}
