//! What was believed, and when: all versions of a fact, or of all facts of an entity, also those
//! that are believed no longer.

use std::collections::BTreeSet;

use mneme_api::HistoryResponse;
use mneme_model::{EntityId, FactId, GroupId, Instant};
use mneme_stores::{FactVersionRow, TimeView};

use crate::{QueryError, QueryService};

/// The most facts of an entity whose versions are told.
const MAX_FACTS: usize = 10_000;
/// The most mentions of an entity that are followed back in time.
const MAX_MENTIONS: usize = 1_000;

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
    /// A fact is found by what was believed now or at any instant that an episode that mentions the
    /// entity was received: a version begins with the episode that states it.
    pub async fn entity_history(
        &self,
        group: &GroupId,
        entity: EntityId,
    ) -> Result<HistoryResponse, QueryError> {
        let now = self.time_view(None, None, true);
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let group = group.clone();
        let rows = self.ask_graph(async move {
            let mut instants: BTreeSet<Instant> = BTreeSet::from([now.known_at]);
            for mention in graph.mentions_of(generation, &group, entity, MAX_MENTIONS).await? {
                let episode = graph.episode(generation, &group, &mention.episode_id).await?;
                instants.extend(episode.map(|row| row.recorded_at));
            }
            let mut facts: BTreeSet<FactId> = BTreeSet::new();
            for known_at in instants {
                let time = TimeView { known_at, ..now };
                let rows = graph.facts_of(generation, &group, entity, &time, MAX_FACTS).await?;
                facts.extend(rows.iter().map(|row| row.fact_id));
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
