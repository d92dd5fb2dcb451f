//! The [`Gateway`]: its ports, and what all of its operations share.

use std::sync::Arc;

use mneme_api::{Applied, Problem, StateDto, UpTo};
use mneme_events::Topic;
use mneme_log::{EventLog, LogError};
use mneme_model::{Clock, EpisodeId, GroupId};
use mneme_stores::{EpisodeState, StoreError};
use tokio::sync::OnceCell;

use crate::GatewayConfig;
use crate::accept::{Known, Writer};
use crate::intake::{Mapping, Mappings};
use crate::records::Records;

/// Checks what is sent and appends it to the log. Cheap to clone; all clones are one gateway.
#[derive(Clone)]
pub struct Gateway {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub config: GatewayConfig,
    pub log: Arc<dyn EventLog>,
    pub records: Arc<dyn Records>,
    pub applied: Arc<dyn Applied>,
    pub known: Arc<Known>,
    pub writer: Writer,
    pub mappings: Mappings,
    ready: OnceCell<()>,
}

impl Gateway {
    /// A gateway on a log, with the mappings that `POST /v1/intake/{mapping}` knows. Needs a tokio
    /// runtime: it starts the task that appends.
    pub fn new(
        config: GatewayConfig,
        log: Arc<dyn EventLog>,
        records: Arc<dyn Records>,
        applied: Arc<dyn Applied>,
        clock: Arc<dyn Clock>,
        mappings: Mappings,
    ) -> Self {
        let known = Arc::new(Known::new(config.unprojected_max));
        let writer = Writer::start(log.clone(), clock, known.clone(), config.append_max);
        Self {
            shared: Arc::new(Shared {
                config,
                log,
                records,
                applied,
                known,
                writer,
                mappings,
                ready: OnceCell::new(),
            }),
        }
    }

    /// A mapping by its name or its topic.
    pub fn mapping(&self, name_or_topic: &str) -> Option<&Mapping> {
        self.shared.mappings.get(name_or_topic)
    }

    /// Erases an episode, with all parts if its text was split.
    pub async fn erase(&self, group: &GroupId, episode: &EpisodeId) -> Result<(), Problem> {
        self.ready().await?;
        self.shared.erase_episode(group, episode).await.map(|_| ())
    }

    /// Reads what the log holds beyond the graph, so that repeats of it are recognised. Each write
    /// does it where it was not done; call it at start to have the first write not wait.
    pub async fn ready(&self) -> Result<(), Problem> {
        let shared = &self.shared;
        shared
            .ready
            .get_or_try_init(|| shared.catch_up_known())
            .await?;
        Ok(())
    }
}

impl Shared {
    /// How far an episode is.
    pub async fn state_of(
        &self,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<StateDto, Problem> {
        let status = self.records.status(group, episode).await;
        Ok(match status.map_err(store_problem)?.map(|row| row.state) {
            None | Some(EpisodeState::Accepted) => StateDto::Accepted,
            Some(EpisodeState::Waiting) => StateDto::Waiting,
            Some(EpisodeState::Parked) => StateDto::Parked,
            Some(EpisodeState::Failed) => StateDto::Failed,
            Some(EpisodeState::Done) => StateDto::Done,
        })
    }

    /// Waits for a short time until the graph has all that the log holds of a group's partition, so
    /// that what was just accepted can be named. No matter if it takes longer: the caller looks
    /// again and answers from what is there.
    pub async fn settle(&self, group: &GroupId) -> Result<(), Problem> {
        let partition = self.log.partition_of(group);
        let end = self.log.end(Topic::Episodes, partition).await;
        let end = end.map_err(|error| log_problem(&error))?;
        if let Some(last) = end.checked_sub(1) {
            let timeout = self.config.catch_up();
            if let Err(error) = self.applied.wait(group, last, UpTo::Facts, timeout).await {
                tracing::debug!(%group, %error, "the graph lags behind the log");
            }
        }
        Ok(())
    }
}

/// What a failure of the log means for who asked.
pub(crate) fn log_problem(error: &LogError) -> Problem {
    match error {
        LogError::Unavailable(_) => {
            tracing::warn!(%error, "the log did not take an append");
            Problem::unavailable(1)
        }
        LogError::Refused(reason) => Problem::too_large(reason),
        LogError::Broken(_) | LogError::Locked(_) => {
            tracing::error!(%error, "the log is broken");
            Problem::internal()
        }
    }
}

/// What a failure of the graph store means for who asked.
pub(crate) fn store_problem(error: StoreError) -> Problem {
    match error {
        StoreError::Unavailable(_) => {
            tracing::warn!(%error, "the graph store did not answer");
            Problem::unavailable(1)
        }
        StoreError::Broken(_) | StoreError::Refused(_) => {
            tracing::error!(%error, "the graph store failed");
            Problem::internal()
        }
    }
}
