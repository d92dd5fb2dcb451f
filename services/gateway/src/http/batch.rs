//! Adding several episodes: each stands alone, and all that are taken go to the log in one append.

use std::collections::HashMap;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mneme_api::{
    BatchRequest, BatchResponse, BatchResult, Body, EpisodeBody, Params, Problem, WaitParams,
    from_json,
};
use mneme_model::GroupId;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::episodes::answer;
use super::refusals::Refusals;
use crate::Gateway;
use crate::accept::Accepted;
use crate::episode::Submission;
use crate::limits::BATCH_EPISODES;
use crate::take::Refused;

/// The batch before its episodes are read, so that one that is bad is refused alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawBatch {
    episodes: Vec<Box<RawValue>>,
}

/// What can be told of an episode that may not be right.
#[derive(Deserialize)]
struct Identified {
    episode_id: Option<String>,
}

/// Adds up to 1000 episodes, in order. A bad one is refused with its reason and the rest is accepted.
#[utoipa::path(
    post,
    path = "/v1/episodes/batch",
    tag = "episodes",
    params(WaitParams),
    request_body = BatchRequest,
    responses(
        (status = 202, description = "What became of each, in order.", body = BatchResponse),
        Refusals,
    ),
)]
pub async fn add_batch(
    State(gateway): State<Gateway>,
    Params(wait): Params<WaitParams>,
    Body(batch): Body<RawBatch>,
) -> Result<(StatusCode, Json<BatchResponse>), Problem> {
    let time = gateway.shared.time_to_wait(&wait)?;
    check_count("episodes", batch.episodes.len())?;
    let read = batch.episodes.iter().enumerate().map(|(index, raw)| {
        let bytes = raw.get().as_bytes();
        from_json::<EpisodeBody>(bytes)
            .and_then(Submission::check)
            .map_err(|problem| Refused {
                group_id: None,
                episode_id: from_json(bytes)
                    .ok()
                    .and_then(|identified: Identified| identified.episode_id),
                problem: Box::new(problem.within(&format!("episodes[{index}]"))),
            })
    });
    let submitted = gateway.submit_all(read.collect()).await?;
    gateway.tell_all(submitted, time).await
}

/// Whether a list is neither empty nor too long.
pub(super) fn check_count(field: &str, count: usize) -> Result<(), Problem> {
    if (1..=BATCH_EPISODES).contains(&count) {
        return Ok(());
    }
    let text = format!("must be 1 to {BATCH_EPISODES}");
    Err(Problem::invalid_field(field, text))
}

impl Gateway {
    /// Tells what became of each, after the time to wait where there is one.
    pub(super) async fn tell_all(
        &self,
        submitted: Vec<Result<Accepted, Refused>>,
        time: Option<Duration>,
    ) -> Result<(StatusCode, Json<BatchResponse>), Problem> {
        if let Some(time) = time {
            self.wait_all(&submitted, time).await?;
        }
        let mut results = Vec::with_capacity(submitted.len());
        for one in submitted {
            results.push(match one {
                Ok(accepted) => {
                    let state = match time {
                        Some(_) => {
                            let (group, episode) = (&accepted.group_id, accepted.last_id());
                            self.shared.state_of(group, episode).await?
                        }
                        None => self.state_now(&accepted).await?,
                    };
                    BatchResult::Accepted(answer(accepted, state))
                }
                Err(Refused {
                    episode_id,
                    problem,
                    ..
                }) => BatchResult::Refused {
                    episode_id,
                    problem: *problem,
                },
            });
        }
        Ok((StatusCode::ACCEPTED, Json(BatchResponse { results })))
    }

    /// Waits for the last record of each group.
    async fn wait_all(
        &self,
        submitted: &[Result<Accepted, Refused>],
        time: Duration,
    ) -> Result<(), Problem> {
        let mut last: HashMap<&GroupId, &Accepted> = HashMap::new();
        for accepted in submitted.iter().flatten() {
            let group = last.entry(&accepted.group_id).or_insert(accepted);
            if group.position < accepted.position {
                *group = accepted;
            }
        }
        let end = Instant::now() + time;
        for (group, accepted) in last {
            let left = end.saturating_duration_since(Instant::now());
            self.shared
                .wait_episode(group, accepted.last_id(), accepted.position, left)
                .await?;
        }
        Ok(())
    }
}
