//! The loop of a stage instance: join, restore, then take records, commit, fold, until told to stop.

mod commit;
mod decide;
mod retry;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mneme_log::{Consumed, EventLog, LogError, Partition, StageInput, StageLog};
use mneme_model::GroupId;
use mneme_stage::Stage;
use mneme_telemetry::metric;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::answers::Answerer;
use crate::deadline::Deadline;
use crate::desk::Desk;
use crate::parked::PausedGroups;
use crate::restore::{Restored, restore};
use crate::state::{State, StateFailure};
use crate::workshop::Workshop;

/// The pause before a log that is away is joined again.
const AWAY_PAUSE: Duration = Duration::from_secs(1);
/// The shortest and the longest pause before a commit is tried again.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Why a stage instance ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The log is broken. (One that is away is waited for.)
    #[error(transparent)]
    Log(#[from] LogError),
    /// Another instance has taken over.
    #[error("{0}")]
    Fenced(String),
    /// The rows could not be read or written.
    #[error(transparent)]
    State(#[from] StateFailure),
    /// What was written before can't be understood; the text says what.
    #[error("{0}")]
    Broken(String),
}

/// The settings of a stage instance.
#[derive(Debug, Clone, Copy)]
pub struct RunnerConfig {
    /// The most inputs in one commit; 500 by default.
    pub max_inputs: usize,
    /// How long a question is asked again before its group is made to wait; 5 s by default.
    pub patience: Duration,
    /// How long a commit waits for questions under way, from the first input that was taken on;
    /// 200 ms by default. A group that still waits for an answer then is paused until it is there.
    pub batch_patience: Duration,
    /// No new records are read while this many wait for answers that are under way, since they are
    /// kept in memory; 1,000 by default.
    pub most_answering: usize,
}

impl Default for RunnerConfig {
    fn default() -> Self {
        Self {
            max_inputs: 500,
            patience: Duration::from_secs(5),
            batch_patience: Duration::from_millis(200),
            most_answering: 1_000,
        }
    }
}

/// A stage instance.
pub struct StageRunner<S> {
    stage: Arc<dyn Stage>,
    log: Arc<dyn EventLog>,
    state: S,
    config: RunnerConfig,
    shutdown: CancellationToken,
    desk: Desk,
    /// Groups whose question is no longer under way.
    answered: mpsc::UnboundedReceiver<GroupId>,
    paused: PausedGroups,
    /// The next offset of the `parked` topic to look for requests of operators at.
    requests: BTreeMap<Partition, u64>,
}

/// What became of work.
enum Committed {
    Yes,
    Aborted,
}

impl<S: State> StageRunner<S> {
    /// Builds an instance; nothing runs yet.
    pub fn new(
        stage: Arc<dyn Stage>,
        log: Arc<dyn EventLog>,
        state: S,
        answerer: Arc<dyn Answerer>,
        config: RunnerConfig,
    ) -> Self {
        let (desk, answered) = Desk::new(stage.name(), answerer, config.patience);
        let (paused, requests) = (PausedGroups::default(), BTreeMap::new());
        let shutdown = CancellationToken::new();
        Self {
            stage,
            log,
            state,
            config,
            shutdown,
            desk,
            answered,
            paused,
            requests,
        }
    }

    /// Runs until `shutdown`, which ends it after the commit under way. Questions under way then are
    /// dropped.
    pub async fn run(mut self, shutdown: CancellationToken) -> Result<(), RunError> {
        self.shutdown = shutdown;
        loop {
            match self.join().await {
                Err(RunError::Log(LogError::Unavailable(reason))) => {
                    tracing::warn!(stage = self.stage.name(), reason, "the log is away");
                    if !self.pause(AWAY_PAUSE).await {
                        return Ok(());
                    }
                }
                ended => return ended,
            }
        }
    }

    async fn join(&mut self) -> Result<(), RunError> {
        self.let_go(None);
        let mut input = self.log.join(self.stage.name(), self.stage.input()).await?;
        let mut pause = FIRST_PAUSE;
        while !self.shutdown.is_cancelled() {
            if let Committed::Yes = self.take_turn(input.as_mut(), &mut pause).await? {
                continue;
            }
            // The log assigns anew what was committed; until then nothing is this instance's.
            self.let_go(None);
            if !self.pause(pause).await {
                break;
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Ok(())
    }

    /// Does the next thing that is to be done.
    async fn take_turn(
        &mut self,
        input: &mut dyn StageLog,
        abort_pause: &mut Duration,
    ) -> Result<Committed, RunError> {
        let due = self.paused.next_due();
        let is_due = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        let is_full = self.paused.still_answering() >= self.config.most_answering;
        let (shutdown, mut answered) = (self.shutdown.clone(), Vec::new());
        // Not in a fixed order: a stream of input must not keep waiting groups from their turn.
        tokio::select! {
            () = shutdown.cancelled() => Ok(Committed::Yes),
            heard = input.next(), if !is_full => match heard? {
                StageInput::Assigned(positions) => {
                    self.take_over(&positions).await?;
                    Ok(Committed::Yes)
                }
                StageInput::Revoked(partitions) => {
                    self.let_go(Some(&partitions));
                    Ok(Committed::Yes)
                }
                StageInput::Records(records) => {
                    let committed = self.process(input, records).await?;
                    if let Committed::Yes = committed {
                        *abort_pause = FIRST_PAUSE;
                    }
                    Ok(committed)
                }
            },
            () = is_due => {
                let due = self.paused.due(Instant::now());
                self.retry(input, due).await
            }
            _ = self.answered.recv_many(&mut answered, usize::MAX) => {
                self.retry_answered(input, answered).await
            }
            asked = retry::requests(self.log.as_ref(), &self.requests) => {
                let asked = asked?;
                self.release_requested(input, asked).await
            }
        }
    }

    async fn take_over(&mut self, positions: &[Consumed]) -> Result<(), RunError> {
        let partitions: Vec<Partition> = positions.iter().map(|at| at.partition).collect();
        self.let_go(Some(&partitions));
        let (stage, log) = (self.stage.as_ref(), self.log.as_ref());
        let Restored { paused, parked } = restore(stage, log, &mut self.state, &partitions).await?;
        self.paused.extend(paused);
        self.requests.extend(parked);
        self.note_paused();
        Ok(())
    }

    /// Forgets what is held of partitions, or of all. It is read again when they come back.
    fn let_go(&mut self, partitions: Option<&[Partition]>) {
        let log = &self.log;
        let keep = |partition: &Partition| partitions.is_some_and(|gone| !gone.contains(partition));
        self.paused.retain(|group| keep(&log.partition_of(group)));
        self.requests.retain(|partition, _| keep(partition));
    }

    /// Waits; false on shutdown.
    async fn pause(&self, pause: Duration) -> bool {
        tokio::select! {
            () = self.shutdown.cancelled() => false,
            () = tokio::time::sleep(pause) => true,
        }
    }

    fn workshop(&self, deadline: Deadline) -> Workshop<'_, S> {
        let stage = self.stage.as_ref();
        Workshop {
            stage,
            state: &self.state,
            desk: &self.desk,
            deadline,
        }
    }

    fn note_paused(&self) {
        metrics::gauge!(metric::PAUSED_GROUPS, "stage" => self.stage.name())
            .set(self.paused.len() as f64);
    }
}
