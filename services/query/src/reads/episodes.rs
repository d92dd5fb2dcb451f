//! Episodes with how far they are.

use mneme_api::{EpisodeDto, EpisodesParams, EpisodesResponse};
use mneme_model::{EpisodeId, GroupId};

use crate::{QueryError, QueryService, answer};

const DEFAULT_LAST: usize = 20;
const MAX_LAST: usize = 1_000;

impl QueryService {
    /// The latest episodes, newest reference time first.
    pub async fn episodes(
        &self,
        group: &GroupId,
        params: EpisodesParams,
    ) -> Result<EpisodesResponse, QueryError> {
        let last = params.last.unwrap_or(DEFAULT_LAST);
        if !(1..=MAX_LAST).contains(&last) {
            return Err(QueryError::invalid("last", "must be from 1 to 1000"));
        }
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let group = group.clone();
        let rows = self
            .ask_graph(async move {
                let thread = params.thread_id.as_ref();
                graph.episodes(generation, &group, thread, None, last).await
            })
            .await?;
        let statuses = self.statuses(rows.iter()).await?;
        let episodes = rows.into_iter().zip(statuses);
        Ok(EpisodesResponse {
            episodes: episodes
                .map(|(row, status)| answer::episode(row, status))
                .collect(),
        })
    }

    /// An episode; `None` when the stores have none of this id, or no longer.
    pub async fn episode(
        &self,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<Option<EpisodeDto>, QueryError> {
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let (group, episode) = (group.clone(), episode.clone());
        self.ask_graph(async move {
            let Some(row) = graph.episode(generation, &group, &episode).await? else {
                return Ok(None);
            };
            let status = graph.status(generation, &group, &episode).await?;
            Ok(Some(answer::episode(row, status)))
        })
        .await
    }
}
