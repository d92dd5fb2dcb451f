//! Changes that an operator asks for, and the ontology.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mneme_api::{
    Body, ChangeAccepted, ChangeState, CorrectionRequest, GroupPath, MergeRequest, OntologyDto,
    Params, Problem, SplitRequest, WaitParams,
};
use mneme_model::GroupId;

use super::refusals::Refusals;
use crate::Gateway;
use crate::accept::Draft;

pub(super) type Answer = Result<(StatusCode, Json<ChangeAccepted>), Problem>;

/// Erases a group: all that it holds.
#[utoipa::path(
    delete,
    path = "/v1/groups/{group_id}",
    tag = "groups",
    params(("group_id" = String, Path), WaitParams),
    responses((status = 202, description = "The erasure is durable.", body = ChangeAccepted), Refusals),
)]
pub async fn erase_group(
    State(gateway): State<Gateway>,
    GroupPath { group_id }: GroupPath,
    Params(wait): Params<WaitParams>,
) -> Answer {
    gateway.shared.time_to_wait(&wait)?;
    gateway.ready().await?;
    let position = gateway
        .shared
        .append_change(&group_id, Draft::EraseGroup)
        .await?;
    let states = (ChangeState::Erasing, ChangeState::Erased);
    gateway.applied(&group_id, position, &wait, states).await
}

/// Replaces the ontology of a group.
#[utoipa::path(
    put,
    path = "/v1/groups/{group_id}/ontology",
    tag = "groups",
    params(("group_id" = String, Path), WaitParams),
    request_body = OntologyDto,
    responses((status = 202, description = "The change is durable.", body = ChangeAccepted), Refusals),
)]
pub async fn put_ontology(
    State(gateway): State<Gateway>,
    GroupPath { group_id }: GroupPath,
    Params(wait): Params<WaitParams>,
    Body(ontology): Body<OntologyDto>,
) -> Answer {
    gateway.shared.time_to_wait(&wait)?;
    let position = gateway.shared.put_ontology(&group_id, ontology).await?;
    gateway.changed(&group_id, position, &wait).await
}

/// The ontology of a group; empty where none was put.
#[utoipa::path(
    get,
    path = "/v1/groups/{group_id}/ontology",
    tag = "groups",
    params(("group_id" = String, Path)),
    responses((status = 200, description = "The ontology.", body = OntologyDto), Refusals),
)]
pub async fn get_ontology(
    State(gateway): State<Gateway>,
    GroupPath { group_id }: GroupPath,
) -> Result<Json<OntologyDto>, Problem> {
    let ontology = gateway.shared.ontology(&group_id).await?;
    Ok(Json(ontology.into()))
}

/// Makes two entities one. A split of the same episodes undoes it.
#[utoipa::path(
    post,
    path = "/v1/groups/{group_id}/merge",
    tag = "groups",
    params(("group_id" = String, Path), WaitParams),
    request_body = MergeRequest,
    responses((status = 202, description = "The change is durable.", body = ChangeAccepted), Refusals),
)]
pub async fn merge(
    State(gateway): State<Gateway>,
    GroupPath { group_id }: GroupPath,
    Params(wait): Params<WaitParams>,
    Body(asked): Body<MergeRequest>,
) -> Answer {
    gateway.shared.time_to_wait(&wait)?;
    let position = gateway.shared.merge(&group_id, asked).await?;
    gateway.changed(&group_id, position, &wait).await
}

/// Moves the mentions of some episodes out of an entity, to one of their own.
#[utoipa::path(
    post,
    path = "/v1/groups/{group_id}/split",
    tag = "groups",
    params(("group_id" = String, Path), WaitParams),
    request_body = SplitRequest,
    responses((status = 202, description = "The change is durable.", body = ChangeAccepted), Refusals),
)]
pub async fn split(
    State(gateway): State<Gateway>,
    GroupPath { group_id }: GroupPath,
    Params(wait): Params<WaitParams>,
    Body(asked): Body<SplitRequest>,
) -> Answer {
    gateway.shared.time_to_wait(&wait)?;
    let position = gateway.shared.split(&group_id, asked).await?;
    gateway.changed(&group_id, position, &wait).await
}

/// Corrects a stored fact.
#[utoipa::path(
    post,
    path = "/v1/groups/{group_id}/corrections",
    tag = "groups",
    params(("group_id" = String, Path), WaitParams),
    request_body = CorrectionRequest,
    responses((status = 202, description = "The change is durable.", body = ChangeAccepted), Refusals),
)]
pub async fn correct(
    State(gateway): State<Gateway>,
    GroupPath { group_id }: GroupPath,
    Params(wait): Params<WaitParams>,
    Body(asked): Body<CorrectionRequest>,
) -> Answer {
    gateway.shared.time_to_wait(&wait)?;
    let position = gateway.shared.correct(&group_id, asked).await?;
    gateway.changed(&group_id, position, &wait).await
}

impl Gateway {
    async fn changed(&self, group: &GroupId, position: u64, wait: &WaitParams) -> Answer {
        let states = (ChangeState::Accepted, ChangeState::Applied);
        self.applied(group, position, wait, states).await
    }

    /// Answers with the first state, or once it is applied with the second where that is asked for.
    pub(super) async fn applied(
        &self,
        group: &GroupId,
        position: u64,
        wait: &WaitParams,
        (durable, done): (ChangeState, ChangeState),
    ) -> Answer {
        let state = match self.shared.time_to_wait(wait)? {
            Some(time) => {
                self.shared.wait_changed(group, position, time).await?;
                done
            }
            None => durable,
        };
        Ok((StatusCode::ACCEPTED, Json(ChangeAccepted { state })))
    }
}
