//! `?wait=applied`: the answer comes when every projection has passed what follows from a record,
//! or, for an episode, when it waits for an operator: then it goes on by itself later.

use std::time::Duration;

use mneme_api::{NotApplied, Problem, StateDto, WaitParams};
use mneme_model::{EpisodeId, GroupId};
use tokio::time::Instant;

use crate::gateway::Shared;
use crate::limits::WAIT_MILLISECONDS;

/// How often the state of an episode that is not applied yet is looked at.
const LOOK: Duration = Duration::from_millis(500);

impl Shared {
    /// The time that a request allows; none where it does not ask to wait.
    pub fn time_to_wait(&self, asked: &WaitParams) -> Result<Option<Duration>, Problem> {
        match asked.timeout_ms {
            Some(milliseconds) if milliseconds > WAIT_MILLISECONDS => Err(Problem::invalid_field(
                "timeout_ms",
                format!("may be {WAIT_MILLISECONDS} at the most"),
            )),
            Some(milliseconds) => Ok(asked.wait.map(|_| Duration::from_millis(milliseconds))),
            None => Ok(asked.wait.map(|_| self.config.wait())),
        }
    }

    /// Waits until a record is applied.
    pub async fn wait_applied(
        &self,
        group: &GroupId,
        position: u64,
        time: Duration,
    ) -> Result<(), Problem> {
        let waited = self.applied.wait(group, position, time).await;
        waited.map_err(|error| not_applied(&error))
    }

    /// Waits until an episode is applied or waits itself, and tells its state.
    pub async fn wait_episode(
        &self,
        group: &GroupId,
        episode: &EpisodeId,
        position: u64,
        time: Duration,
    ) -> Result<StateDto, Problem> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.applied.wait(group, position, left.min(LOOK)).await {
                Ok(()) => return self.state_of(group, episode).await,
                Err(NotApplied::TimedOut) if left > LOOK => {
                    let state = self.state_of(group, episode).await?;
                    if matches!(state, StateDto::Waiting | StateDto::Parked) {
                        return Ok(state);
                    }
                }
                Err(error) => return Err(not_applied(&error)),
            }
        }
    }
}

fn not_applied(error: &NotApplied) -> Problem {
    match error {
        NotApplied::TimedOut => Problem::timeout(
            "it was accepted and is durable, but is not applied yet; ask for its state later",
        ),
        NotApplied::Unavailable(_) => {
            tracing::warn!(%error, "can't tell what is applied");
            Problem::unavailable(1)
        }
    }
}
