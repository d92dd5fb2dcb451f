//! What the log holds, for readers: the database up to the announced ends, the tails, and the
//! committed positions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use fjall::Keyspace;
use mneme_disk::{DatabaseOptions, DiskError, LockedDatabase};
use mneme_events::Topic;
use tokio::sync::watch;

use super::layout::{
    self, broken, end_of, malformed, offset_of, position_key, record_key, split_value,
};
use super::tail::Tail;
use super::{EmbeddedLogConfig, decoded};
use crate::{LogError, Partition, Record};

pub(super) struct TopicStore {
    pub records: Keyspace,
    /// The end of each partition: what lies before is durable.
    pub ends: watch::Sender<Vec<u64>>,
    tails: Vec<Mutex<Tail>>,
}

impl TopicStore {
    pub fn tail(&self, partition: Partition) -> Option<MutexGuard<'_, Tail>> {
        let tail = self.tails.get(partition as usize)?;
        Some(tail.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(super) struct Store {
    topics: Vec<TopicStore>,
    pub positions: Keyspace,
    known_positions: Mutex<HashMap<Vec<u8>, u64>>,
    broken: OnceLock<String>,
    partitions: Partition,
    // Dropped after the keyspaces.
    pub database: LockedDatabase,
}

impl Store {
    pub fn open(config: &EmbeddedLogConfig) -> Result<Self, LogError> {
        let partitions = config.partitions.max(1);
        let options = DatabaseOptions {
            cache_bytes: 16 << 20,
            journal_bytes: 64 << 20,
            synced: config.fsync,
            ..DatabaseOptions::default()
        };
        let database = mneme_disk::open(&config.folder, options, |database| {
            layout::create(database, partitions)
        })
        .map_err(|error| match error {
            DiskError::Locked(_) => LogError::Locked(format!("{error}: stop it first")),
            error => LogError::Broken(error.to_string()),
        })?;
        layout::check_partitions(&database, partitions)?;
        let keyspace = |name: &str, options: fn() -> fjall::KeyspaceCreateOptions| {
            database.keyspace(name, options).map_err(broken)
        };
        let mut topics = Vec::with_capacity(Topic::ALL.len());
        for topic in Topic::ALL {
            let records = keyspace(topic.name(), layout::topic_options)?;
            let ends = (0..partitions)
                .map(|partition| end_of(&records, partition))
                .collect::<Result<Vec<u64>, LogError>>()?;
            let share = partitions as usize;
            let tail = |&end| {
                let (records, bytes) = (config.cache_records / share, config.cache_bytes / share);
                Mutex::new(Tail::new(end, records, bytes))
            };
            topics.push(TopicStore {
                records,
                tails: ends.iter().map(tail).collect(),
                ends: watch::Sender::new(ends),
            });
        }
        let positions = keyspace(layout::POSITIONS, layout::small_options)?;
        let mut known_positions = HashMap::new();
        for row in positions.iter() {
            let (key, value) = row.into_inner().map_err(broken)?;
            let value = value
                .as_ref()
                .try_into()
                .map_err(|_| malformed("position"))?;
            known_positions.insert(key.to_vec(), u64::from_be_bytes(value));
        }
        Ok(Self {
            topics,
            positions,
            known_positions: Mutex::new(known_positions),
            broken: OnceLock::new(),
            partitions,
            database,
        })
    }

    pub fn partitions(&self) -> Partition {
        self.partitions
    }

    pub fn topic(&self, topic: Topic) -> &TopicStore {
        // `Topic::ALL` is in the order of the variants (a test proves it).
        &self.topics[topic as usize]
    }

    pub fn end(&self, topic: Topic, partition: Partition) -> u64 {
        let ends = self.topic(topic).ends.borrow();
        ends.get(partition as usize).copied().unwrap_or(0)
    }

    pub fn position(&self, stage: &str, input: Topic, partition: Partition) -> u64 {
        let key = position_key(stage, input, partition);
        self.known_positions().get(&key).copied().unwrap_or(0)
    }

    pub fn known_positions(&self) -> MutexGuard<'_, HashMap<Vec<u8>, u64>> {
        self.known_positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the log is of no use to this process; wakes all who wait.
    pub fn set_broken(&self, reason: String) {
        let _ = self.broken.set(reason);
        for topic in &self.topics {
            topic.ends.send_modify(|_| {});
        }
    }

    /// Whether the log is usable and has the partition.
    pub fn check(&self, partition: Partition) -> Result<(), LogError> {
        if let Some(reason) = self.broken.get() {
            return Err(LogError::Broken(reason.clone()));
        }
        if partition < self.partitions {
            return Ok(());
        }
        Err(LogError::Broken(format!(
            "there is no partition {partition}: the log has {}",
            self.partitions
        )))
    }

    /// Waits until the ends of a topic's partitions are as wanted.
    pub async fn wait(&self, topic: Topic, until: impl Fn(&[u64]) -> bool) -> Result<(), LogError> {
        let mut ends = self.topic(topic).ends.subscribe();
        let woken = ends
            .wait_for(|ends| self.broken.get().is_some() || until(ends))
            .await
            .is_ok();
        match self.broken.get() {
            None if woken => Ok(()),
            None => Err(LogError::Broken("the log is closed".to_owned())),
            Some(reason) => Err(LogError::Broken(reason.clone())),
        }
    }

    pub fn disk_bytes(&self) -> Result<u64, LogError> {
        self.database.disk_space().map_err(broken)
    }

    fn read_disk(
        &self,
        (topic, partition): (Topic, Partition),
        (from, until): (u64, u64),
        max: usize,
        max_bytes: usize,
    ) -> Result<Vec<Record>, LogError> {
        let keys = record_key(partition, from)..record_key(partition, until);
        let mut records = Vec::new();
        let mut bytes = 0;
        for row in self.topic(topic).records.range(keys).take(max) {
            let (key, value) = row.into_inner().map_err(broken)?;
            bytes += value.len();
            if bytes > max_bytes && !records.is_empty() {
                break;
            }
            let (group_id, object) = split_value(&value);
            records.push(Record {
                topic,
                partition,
                offset: offset_of(&key).ok_or_else(|| malformed("record key"))?,
                group_id,
                event: decoded(object),
                trace: None,
            });
        }
        Ok(records)
    }
}

/// Reads committed records: from the tail if they are there, else from disk on a thread that may
/// block.
pub(super) async fn read(
    store: &Arc<Store>,
    topic: Topic,
    partition: Partition,
    from: u64,
    max: usize,
    max_bytes: usize,
) -> Result<Vec<Record>, LogError> {
    let place = (topic, partition);
    let range = (from, store.end(topic, partition));
    if range.0 >= range.1 || max == 0 {
        return Ok(Vec::new());
    }
    if let Some(tail) = store.topic(topic).tail(partition)
        && let Some(records) = tail.read(place, range, max, max_bytes)
    {
        return Ok(records);
    }
    let store = store.clone();
    tokio::task::spawn_blocking(move || store.read_disk(place, range, max, max_bytes))
        .await
        .map_err(|error| LogError::Unavailable(error.to_string()))?
}
