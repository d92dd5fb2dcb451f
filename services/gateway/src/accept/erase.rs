//! Erasing: an episode that is known, with all parts if its text was split, or a whole group.

use mneme_api::Problem;
use mneme_model::{EpisodeId, GroupId};
use mneme_telemetry::spans;

use super::Draft;
use crate::episode::{is_part, part_id};
use crate::gateway::Shared;

impl Shared {
    /// Erases an episode; returns the position of the (last) erasure.
    pub async fn erase_episode(
        &self,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<u64, Problem> {
        if is_part(episode) {
            let text = format!(
                "'{episode}' is a part of a long text: erase the whole, by the id before \"#\""
            );
            return Err(Problem::conflict(text));
        }
        let claim = loop {
            match self.known.claim(group, [episode.clone()]) {
                Ok(claim) => break claim,
                Err(busy) => busy.ended().await,
            }
        };
        let mut episodes = Vec::new();
        if self.find(group, episode).await?.is_some() {
            episodes.push(episode.clone());
        } else {
            for number in 1.. {
                match part_id(episode, number) {
                    Ok(part) if self.find(group, &part).await?.is_some() => episodes.push(part),
                    _ => break,
                }
            }
        }
        if episodes.is_empty() {
            return Err(Problem::not_found(format!(
                "there is no episode '{episode}' in the group '{group}'"
            )));
        }
        let erasures = episodes.into_iter().map(Draft::EraseEpisode);
        let drafts = erasures.map(|draft| (group.clone(), draft)).collect();
        self.append_changes(drafts, vec![claim]).await
    }

    /// Appends one change of a group; returns its position.
    pub async fn append_change(&self, group: &GroupId, draft: Draft) -> Result<u64, Problem> {
        self.append_changes(vec![(group.clone(), draft)], Vec::new())
            .await
    }

    async fn append_changes(
        &self,
        drafts: Vec<(GroupId, Draft)>,
        claims: Vec<super::Claim>,
    ) -> Result<u64, Problem> {
        let trace = spans::current();
        let drafts = drafts.into_iter();
        let drafts = drafts.map(|(group, draft)| (group, draft, trace)).collect();
        let positions = self.writer.append(drafts, claims).await?;
        positions.last().copied().ok_or_else(Problem::internal)
    }
}
