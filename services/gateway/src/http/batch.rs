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

/// An episode that was refused, with its id where that could be read.
pub(super) struct Refused {
    pub episode_id: Option<String>,
    pub problem: Problem,
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
                episode_id: from_json(bytes)
                    .ok()
                    .and_then(|identified: Identified| identified.episode_id),
                problem: problem.within(&format!("episodes[{index}]")),
            })
    });
    let read = read.collect();
    gateway.add_all(read, time).await
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
    /// Submits what was read and tells what became of each.
    pub(super) async fn add_all(
        &self,
        read: Vec<Result<Submission, Refused>>,
        time: Option<Duration>,
    ) -> Result<(StatusCode, Json<BatchResponse>), Problem> {
        self.ready().await?;
        let mut submissions = Vec::with_capacity(read.len());
        let mut results: Vec<Option<BatchResult>> = Vec::with_capacity(read.len());
        for one in read {
            results.push(match one {
                Ok(submission) => {
                    submissions.push(submission);
                    None
                }
                Err(Refused {
                    episode_id,
                    problem,
                }) => Some(BatchResult::Refused {
                    episode_id,
                    problem,
                }),
            });
        }
        let ids: Vec<String> = submissions
            .iter()
            .map(|submission| submission.episode_id.to_string())
            .collect();
        let submitted = self.shared.submit(submissions).await;
        if let Some(time) = time {
            self.wait_all(&submitted, time).await?;
        }
        let mut open = results.iter_mut().filter(|result| result.is_none());
        for (one, id) in submitted.into_iter().zip(ids) {
            let told = match one {
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
                Err(problem) => BatchResult::Refused {
                    episode_id: Some(id),
                    problem,
                },
            };
            if let Some(place) = open.next() {
                *place = Some(told);
            }
        }
        let results = results.into_iter().flatten().collect();
        Ok((StatusCode::ACCEPTED, Json(BatchResponse { results })))
    }

    /// Waits for the last record of each group.
    async fn wait_all(
        &self,
        submitted: &[Result<Accepted, Problem>],
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
