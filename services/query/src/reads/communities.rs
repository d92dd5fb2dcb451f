//! The communities of a group with their members.

use mneme_api::{CommunitiesResponse, CommunityDto};
use mneme_model::GroupId;

use crate::{QueryError, QueryService, answer};

/// The most communities that are listed.
const MAX_COMMUNITIES: usize = 10_000;

impl QueryService {
    /// The communities in order of id, each with all its members.
    pub async fn communities(&self, group: &GroupId) -> Result<CommunitiesResponse, QueryError> {
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let group = group.clone();
        let read = async move { graph.communities(generation, &group, MAX_COMMUNITIES).await };
        let rows = self.ask_graph(read).await?;
        let members = self.members(rows.iter(), usize::MAX).await?;
        let communities = rows.into_iter().zip(members);
        let communities: Vec<CommunityDto> = communities
            .map(|(row, members)| answer::community(row, members))
            .collect();
        Ok(CommunitiesResponse { communities })
    }
}
