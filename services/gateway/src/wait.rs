//! `?wait=applied`: the answer comes when every projection has passed what follows from a record.
//! For an episode these are its facts, or it waits for an operator: then it goes on by itself later.
//! For a change, which may take away what summaries and communities say, these too.

use std::time::Duration;

use mneme_api::{NotApplied, Problem, StateDto, UpTo, WaitParams};
use mneme_model::{EpisodeId, GroupId};
use tokio::time::Instant;

use crate::gateway::{Shared, store_problem};
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

    /// Waits until a change is applied, so that nothing found tells of what was before it.
    pub async fn wait_changed(
        &self,
        group: &GroupId,
        position: u64,
        time: Duration,
    ) -> Result<(), Problem> {
        let end = Instant::now() + time;
        loop {
            // Once the facts are passed it shows what is held. That must have gone on before the whole
            // chain is passed, and nothing must be held on the rest of it.
            let mut passed = self.has_passed(group, position, UpTo::Facts, end).await?;
            if passed && !self.is_held(group, position).await? {
                let all = UpTo::Communities;
                passed = self.has_passed(group, position, all, end).await?;
                if passed && !self.is_held(group, position).await? {
                    return Ok(());
                }
            }
            next_look(passed, end).await?;
        }
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
        let mut is_first = true;
        loop {
            let look = end.min(Instant::now() + LOOK);
            let passed = self.has_passed(group, position, UpTo::Facts, look).await?;
            match self.state_of(group, episode).await? {
                state @ (StateDto::Waiting | StateDto::Parked) => return Ok(state),
                state @ (StateDto::Done | StateDto::Failed) if passed => {
                    // It may have been held meanwhile: then only the graph is known to have it.
                    let anew = UpTo::FactsAnew;
                    if is_first || self.has_passed(group, position, anew, end).await? {
                        return Ok(state);
                    }
                }
                state if passed && self.is_gone(group, episode).await? => return Ok(state),
                // Not everywhere yet, or a question about it is under way.
                _ => {}
            }
            is_first = false;
            next_look(passed, end).await?;
        }
    }

    /// Whether an episode was erased meanwhile, so that nothing more will be told of it.
    async fn is_gone(&self, group: &GroupId, episode: &EpisodeId) -> Result<bool, Problem> {
        let row = self.records.episode(group, episode).await;
        Ok(row.map_err(store_problem)?.is_none())
    }

    async fn is_held(&self, group: &GroupId, position: u64) -> Result<bool, Problem> {
        let held = self.records.is_held(group, position).await;
        held.map_err(store_problem)
    }

    /// Whether the projections pass a record until `end`. They pass one that is held, too.
    async fn has_passed(
        &self,
        group: &GroupId,
        position: u64,
        up_to: UpTo,
        end: Instant,
    ) -> Result<bool, Problem> {
        let time = end.saturating_duration_since(Instant::now());
        match self.applied.wait(group, position, up_to, time).await {
            Ok(()) => Ok(true),
            Err(NotApplied::TimedOut) => Ok(false),
            Err(error @ NotApplied::Unavailable(_)) => {
                tracing::warn!(%error, "can't tell what is applied");
                Err(Problem::unavailable(1))
            }
        }
    }
}

/// Returns when it is time to look again: at once after a look that has waited. An error when there
/// is no time left.
async fn next_look(passed: bool, end: Instant) -> Result<(), Problem> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Problem::timeout(
            "it was accepted and is durable, but is not applied yet; ask for its state later",
        ));
    }
    if passed {
        tokio::time::sleep(left.min(LOOK)).await;
    }
    Ok(())
}
