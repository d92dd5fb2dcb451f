//! Adding one episode, and erasing one.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mneme_api::{
    Body, ChangeAccepted, ChangeState, EpisodeAccepted, EpisodeBody, EpisodePath, Params, Problem,
    StateDto, WaitParams,
};

use super::changes::Answer;
use super::refusals::Refusals;
use crate::Gateway;
use crate::accept::Accepted;
use crate::episode::Submission;

/// Adds an episode. `episode_id` is the key of idempotency: the same content again answers the first
/// result, other content is a conflict.
#[utoipa::path(
    post,
    path = "/v1/episodes",
    tag = "episodes",
    params(WaitParams),
    request_body = EpisodeBody,
    responses((status = 202, description = "It is durable.", body = EpisodeAccepted), Refusals),
)]
pub async fn add(
    State(gateway): State<Gateway>,
    Params(wait): Params<WaitParams>,
    Body(body): Body<EpisodeBody>,
) -> Result<(StatusCode, Json<EpisodeAccepted>), Problem> {
    let shared = &gateway.shared;
    let time = shared.time_to_wait(&wait)?;
    let submission = Submission::check(body)?;
    gateway.ready().await?;
    let accepted = shared.submit(vec![submission]).await.pop();
    let accepted = accepted.unwrap_or_else(|| Err(Problem::internal()))?;
    let state = match time {
        Some(time) => {
            let (group, episode) = (&accepted.group_id, accepted.last_id());
            shared
                .wait_episode(group, episode, accepted.position, time)
                .await?
        }
        None => gateway.state_now(&accepted).await?,
    };
    Ok((StatusCode::ACCEPTED, Json(answer(accepted, state))))
}

impl Gateway {
    /// How far an episode is without waiting: one that is new has only just been accepted.
    pub(super) async fn state_now(&self, accepted: &Accepted) -> Result<StateDto, Problem> {
        if !accepted.duplicate {
            return Ok(StateDto::Accepted);
        }
        let (group, episode) = (&accepted.group_id, accepted.last_id());
        self.shared.state_of(group, episode).await
    }
}

/// The answer about an episode.
pub(super) fn answer(accepted: Accepted, state: StateDto) -> EpisodeAccepted {
    EpisodeAccepted {
        group_id: accepted.group_id,
        episode_id: accepted.episode_id,
        state,
        duplicate: accepted.duplicate,
        parts: accepted.parts,
    }
}

/// Erases an episode: its text, and all that no other episode supports. Of a text that was split all
/// parts are erased.
#[utoipa::path(
    delete,
    path = "/v1/groups/{group_id}/episodes/{episode_id}",
    tag = "episodes",
    params(("group_id" = String, Path), ("episode_id" = String, Path), WaitParams),
    responses((status = 202, description = "The erasure is durable.", body = ChangeAccepted), Refusals),
)]
pub async fn erase(
    State(gateway): State<Gateway>,
    path: EpisodePath,
    Params(wait): Params<WaitParams>,
) -> Answer {
    let shared = &gateway.shared;
    shared.time_to_wait(&wait)?;
    gateway.ready().await?;
    let (group, episode) = (&path.group_id, &path.episode_id);
    let position = shared.erase_episode(group, episode).await?;
    let states = (ChangeState::Erasing, ChangeState::Erased);
    gateway.applied(group, position, &wait, states).await
}
