//! The stores of a deployment, each followed by its own task. A gate lets a rebuild stop them all at
//! a record's breadth, so that generations can be compared and changed over at equal positions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mneme_events::Topic;
use mneme_log::{EventLog, LogError, Partition};
use mneme_stores::{Projection, StoreError};
use mneme_telemetry::metric;
use tokio::sync::RwLock;
use tokio_util::sync::CancellationToken;

use crate::follow::{Follower, Positions, grown};
use crate::generations::{Generations, GenerationsError};

/// The pauses before a store or a log that is away is tried again: each is longer than the last.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Why projecting stopped.
#[derive(Debug, thiserror::Error)]
pub enum ProjectorError {
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file of generations failed.
    #[error(transparent)]
    Generations(#[from] GenerationsError),
    /// A store has what the log has not: the log was replaced or lost its tail.
    #[error(
        "{store} has applied {topic} up to {next}, but the log ends at {end}: it was made from \
         another log; remove the folder 'stores' to have it rebuilt from this one"
    )]
    Ahead {
        /// The store.
        store: &'static str,
        /// The topic.
        topic: Topic,
        /// The store's next offset.
        next: u64,
        /// The log's end.
        end: u64,
    },
    /// A task ended by itself.
    #[error("a projector ended: {0}")]
    Ended(String),
}

/// The read stores and the log that they follow.
pub struct Projections {
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) stores: Vec<Arc<dyn Projection>>,
    pub(crate) generations: tokio::sync::Mutex<Generations>,
    pub(crate) active: Arc<AtomicU32>,
    /// Held for reading while a store is written to, for writing while generations change over.
    pub(crate) gate: RwLock<()>,
    /// How far each store's active generation is.
    positions: Mutex<HashMap<&'static str, Positions>>,
}

impl Projections {
    /// Builds it; nothing runs yet.
    pub fn new(
        log: Arc<dyn EventLog>,
        stores: Vec<Arc<dyn Projection>>,
        generations: Generations,
    ) -> Self {
        Self {
            log,
            stores,
            active: generations.active(),
            generations: tokio::sync::Mutex::new(generations),
            gate: RwLock::new(()),
            positions: Mutex::new(HashMap::new()),
        }
    }

    /// The generation that is read.
    pub fn active(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.active)
    }

    /// Follows the log with all stores until `shutdown`.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) -> Result<(), ProjectorError> {
        let mut tasks = tokio::task::JoinSet::new();
        for store in self.stores.iter().cloned() {
            tasks.spawn(Arc::clone(&self).follow(store, shutdown.clone()));
        }
        while let Some(ended) = tasks.join_next().await {
            ended.map_err(|error| ProjectorError::Ended(error.to_string()))??;
        }
        Ok(())
    }

    async fn follow(
        self: Arc<Self>,
        store: Arc<dyn Projection>,
        shutdown: CancellationToken,
    ) -> Result<(), ProjectorError> {
        let mut follower: Option<Follower> = None;
        let mut pause = SHORTEST_PAUSE;
        while !shutdown.is_cancelled() {
            let waited = match self.follow_once(&store, &mut follower).await {
                Ok(0) => {
                    let Some(follower) = &follower else { continue };
                    tokio::select! {
                        () = shutdown.cancelled() => Ok(()),
                        waited = grown(self.log.as_ref(), &follower.positions) => {
                            waited.map_err(ProjectorError::from)
                        }
                    }
                }
                Ok(_) => {
                    pause = SHORTEST_PAUSE;
                    Ok(())
                }
                Err(error) => Err(error),
            };
            match waited {
                Ok(()) => {}
                Err(
                    error @ (ProjectorError::Store(StoreError::Unavailable(_))
                    | ProjectorError::Log(LogError::Unavailable(_))),
                ) => {
                    tracing::warn!(store = store.name(), %error, "it is tried again");
                    metrics::counter!(metric::APPLY_RETRIES, "store" => store.name()).increment(1);
                    follower = None;
                    tokio::select! {
                        () = shutdown.cancelled() => {}
                        () = tokio::time::sleep(pause) => {}
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn follow_once(
        &self,
        store: &Arc<dyn Projection>,
        follower: &mut Option<Follower>,
    ) -> Result<usize, ProjectorError> {
        let _open = self.gate.read().await;
        let active = self.active.load(Ordering::Acquire);
        let current = match follower
            .take()
            .filter(|follower| follower.generation == active)
        {
            Some(follower) => follower,
            None => {
                let opened = Follower::open(Arc::clone(&self.log), Arc::clone(store), active);
                opened.await?.telling()
            }
        };
        let current = follower.insert(current);
        let count = current.advance(None).await?;
        self.note(store.name(), &current.positions);
        Ok(count)
    }

    pub(crate) fn note(&self, store: &'static str, positions: &Positions) {
        let mut all = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.insert(store, positions.clone());
    }

    /// Whether every store has passed an offset of a partition of a topic.
    pub(crate) fn have_passed(&self, topic: Topic, partition: Partition, next: u64) -> bool {
        let all = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.stores.iter().all(|store| {
            let at = all
                .get(store.name())
                .and_then(|at| at.get(&(topic, partition)));
            at.is_some_and(|&at| at >= next)
        })
    }
}
