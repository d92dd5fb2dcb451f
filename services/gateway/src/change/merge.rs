//! Two entities that are one.

use mneme_api::{MergeRequest, Problem, ProblemCode};
use mneme_model::GroupId;

use super::may_be_lag;
use crate::accept::Draft;
use crate::episode::name;
use crate::gateway::Shared;

impl Shared {
    /// Asks for a merge; returns the position of the request.
    pub async fn merge(&self, group: &GroupId, asked: MergeRequest) -> Result<u64, Problem> {
        let from = name("from", asked.from)?;
        let into = name("into", asked.into)?;
        let mut checked = self.check_merge(group, &from, &into).await;
        if may_be_lag(&checked) {
            self.settle(group).await?;
            checked = self.check_merge(group, &from, &into).await;
        }
        checked?;
        self.append_change(group, Draft::Merge { from, into }).await
    }

    async fn check_merge(&self, group: &GroupId, from: &str, into: &str) -> Result<(), Problem> {
        let from = self.entity_meant(group, "from", from).await?;
        let into = self.entity_meant(group, "into", into).await?;
        if from.entity_id == into.entity_id {
            let detail = "into: both names are of one entity already";
            return Err(Problem::new(ProblemCode::Conflict, detail).about("into"));
        }
        Ok(())
    }
}
