//! The readers of a process: a bounded number, each left where it stopped, so that whoever reads on
//! finds the next records fetched.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mneme_events::Topic;
use mneme_log::{LogError, Partition};
use tokio::sync::Semaphore;

use crate::config::KafkaConfig;
use crate::names::Names;
use crate::raw::Raw;
use crate::reader::{PartitionReader, Place};

/// The readers that nobody uses now, the one used last at the end, and how many there are in all.
#[derive(Default)]
struct Pool {
    idle: VecDeque<PartitionReader>,
    made: usize,
}

/// How many there are at the most, and so how many reads go on at once.
const MOST: usize = 16;
/// The furthest that the last record is looked for at once.
const FIRST_STEP: u64 = 64;

/// The readers of a process.
pub(crate) struct Readers {
    pool: Mutex<Pool>,
    turns: Arc<Semaphore>,
    config: KafkaConfig,
    names: Names,
}

impl Readers {
    pub fn new(config: KafkaConfig, names: Names) -> Arc<Self> {
        Arc::new(Self {
            pool: Mutex::default(),
            turns: Arc::new(Semaphore::new(MOST)),
            config,
            names,
        })
    }

    /// Reads up to `max` records from a place on; fewer only where there are no more.
    pub async fn read(self: &Arc<Self>, from: Place, max: usize) -> Result<Vec<Raw>, LogError> {
        self.with(from, move |reader| reader.read(from, max)).await
    }

    /// The offset after the last record before `end`, where nothing is known from before `known` on:
    /// the offsets right before an end are those of transactions, which are no records.
    pub async fn last_record_before(
        self: &Arc<Self>,
        (topic, partition): (Topic, Partition),
        end: u64,
        known: Option<u64>,
    ) -> Result<Option<u64>, LogError> {
        let place = move |next| Place {
            topic,
            partition,
            next,
        };
        self.with(place(end), move |reader| {
            let lowest = match known {
                Some(known) => known,
                None => reader.bounds(topic, partition)?.0,
            };
            let (mut until, mut step) = (end, FIRST_STEP);
            while until > lowest {
                let from = until.saturating_sub(step).max(lowest);
                let span = usize::try_from(until - from).unwrap_or(usize::MAX);
                let found = reader.read(place(from), span)?;
                let before = |offset: &u64| *offset < end;
                let last = found.iter().map(|raw| raw.offset).filter(before).max();
                if let Some(last) = last {
                    return Ok(Some(last + 1));
                }
                (until, step) = (from, step * 8);
            }
            Ok(None)
        })
        .await
    }

    /// Lets a reader work on a thread that may block: the one that is at the place, where there is.
    async fn with<T: Send + 'static>(
        self: &Arc<Self>,
        place: Place,
        work: impl FnOnce(&mut PartitionReader) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|error| LogError::Broken(error.to_string()))?;
        let readers = Arc::clone(self);
        let worked = tokio::task::spawn_blocking(move || {
            let mut reader = readers.take(place)?;
            let worked = work(&mut reader);
            readers.pool().idle.push_back(reader);
            drop(turn);
            worked
        });
        let ended = |error: tokio::task::JoinError| LogError::Unavailable(error.to_string());
        worked.await.map_err(ended)?
    }

    fn take(&self, place: Place) -> Result<PartitionReader, LogError> {
        let mut pool = self.pool();
        let find = |is_fit: &dyn Fn(Option<Place>) -> bool| {
            let mut places = pool.idle.iter().map(PartitionReader::at);
            places.position(is_fit)
        };
        let index = find(&|at| at == Some(place))
            .or_else(|| find(&|at| at.is_none()))
            .or((pool.made >= MOST).then_some(0));
        if let Some(reader) = index.and_then(|index| pool.idle.remove(index)) {
            return Ok(reader);
        }
        let reader = PartitionReader::new(&self.config, &self.names)?;
        pool.made += 1;
        Ok(reader)
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
