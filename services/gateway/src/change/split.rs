//! Mentions that are of another entity.

use mneme_api::{Problem, SplitRequest};
use mneme_model::{EpisodeId, GroupId};

use super::may_be_lag;
use crate::accept::Draft;
use crate::episode::name;
use crate::gateway::{Shared, store_problem};
use crate::limits::SPLIT_EPISODES;

impl Shared {
    /// Asks for a split; returns the position of the request.
    pub async fn split(&self, group: &GroupId, asked: SplitRequest) -> Result<u64, Problem> {
        let entity = name("entity", asked.entity)?;
        let episodes = asked.episodes;
        if episodes.is_empty() || episodes.len() > SPLIT_EPISODES {
            let text = format!("must name 1 to {SPLIT_EPISODES} episodes");
            return Err(Problem::invalid_field("episodes", text));
        }
        let mut checked = self.check_split(group, &entity, &episodes).await;
        if may_be_lag(&checked) {
            self.settle(group).await?;
            checked = self.check_split(group, &entity, &episodes).await;
        }
        checked?;
        self.append_change(group, Draft::Split { entity, episodes })
            .await
    }

    async fn check_split(
        &self,
        group: &GroupId,
        entity: &str,
        episodes: &[EpisodeId],
    ) -> Result<(), Problem> {
        let entity = self.entity_meant(group, "entity", entity).await?;
        for (index, episode) in episodes.iter().enumerate() {
            let mentions = self
                .records
                .mentions_in(group, episode)
                .await
                .map_err(store_problem)?;
            let mentioned =
                |mention: &mneme_stores::MentionRow| mention.entity_id == entity.entity_id;
            if !mentions.iter().any(mentioned) {
                let field = format!("episodes[{index}]");
                let detail = format!("{field}: no episode '{episode}' mentions the entity");
                return Err(Problem::not_found(detail).about(field));
            }
        }
        Ok(())
    }
}
