//! The log in a folder of this machine.
//!
//! 1. One thread writes. What waits for it goes into one atomic batch with one fsync, so many
//!    appends at once cost little more than one; none is answered before the fsync.
//! 2. A record is visible only after its batch is durable: readers stop at the end that the writer
//!    announced.
//! 3. After a failed write nothing more is written or read: what the disk holds is then known only
//!    to the next opening, which finds a batch whole or not at all.
//! 4. One process has the folder at a time.

mod committer;
mod entry;
mod layout;
mod stage;
mod store;
mod tail;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use mneme_events::{Event, Topic};
use mneme_model::GroupId;

use crate::partition::partition_of;
use crate::{EventLog, LogError, NewRecord, Partition, Record, StageLog};
use committer::Committer;
use entry::{Entry, entries};
use stage::EmbeddedStage;
use store::Store;

/// Where the log is and what it may take.
#[derive(Debug, Clone)]
pub struct EmbeddedLogConfig {
    /// The folder; made if it is not there.
    pub folder: PathBuf,
    /// How many partitions each topic has. Fixed when the log is made.
    pub partitions: Partition,
    /// Whether acknowledged means fsynced. Without it a crash of the machine may lose the last
    /// records, a crash of the process none.
    pub fsync: bool,
    /// The most records of a topic that are kept decoded for readers that follow the end.
    pub cache_records: usize,
    /// The most bytes of a topic, as encoded, that are kept so; decoded they take about three times
    /// as much.
    pub cache_bytes: usize,
}

impl EmbeddedLogConfig {
    /// One partition, fsync, and a tail of 20,000 records or 8 MiB a topic.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            partitions: 1,
            fsync: true,
            cache_records: 20_000,
            cache_bytes: 8 << 20,
        }
    }
}

/// The log in a folder.
#[derive(Clone)]
pub struct EmbeddedLog {
    // The thread ends when the last handle goes, and before the database is closed.
    committer: Arc<Committer>,
    store: Arc<Store>,
}

impl EmbeddedLog {
    /// Opens or makes the log. Refuses a folder that another process has, and one with another
    /// number of partitions.
    pub fn open(config: EmbeddedLogConfig) -> Result<Self, LogError> {
        let store = Arc::new(Store::open(&config)?);
        let committer = Arc::new(Committer::start(store.clone(), config.fsync)?);
        Ok(Self { committer, store })
    }

    /// Appends bytes as they are, whether or not they decode. For tests of what does not.
    pub async fn append_raw(
        &self,
        topic: Topic,
        group: &GroupId,
        bytes: Vec<u8>,
    ) -> Result<u64, LogError> {
        let entry = Entry::raw(topic, self.partition_of(group), group.clone(), bytes);
        let offsets = self.committer.append(vec![entry]).await?;
        offsets.first().copied().ok_or_else(committer::gone)
    }

    /// Bytes on disk.
    pub fn disk_bytes(&self) -> Result<u64, LogError> {
        self.store.disk_bytes()
    }

    fn entries(&self, records: Vec<NewRecord>) -> Result<Vec<Entry>, String> {
        entries(records, self.partitions())
    }

    fn check(&self, partition: Partition) -> Result<(), LogError> {
        self.store.check(partition)
    }
}

#[async_trait]
impl EventLog for EmbeddedLog {
    fn partitions(&self) -> Partition {
        self.store.partitions()
    }

    fn partition_of(&self, group: &GroupId) -> Partition {
        partition_of(group, self.partitions())
    }

    async fn append(&self, records: Vec<NewRecord>) -> Result<Vec<u64>, LogError> {
        let entries = self.entries(records).map_err(LogError::Broken)?;
        self.committer.append(entries).await
    }

    async fn read(
        &self,
        topic: Topic,
        partition: Partition,
        from: u64,
        max: usize,
    ) -> Result<Vec<Record>, LogError> {
        self.check(partition)?;
        store::read(&self.store, topic, partition, from, max, usize::MAX).await
    }

    async fn end(&self, topic: Topic, partition: Partition) -> Result<u64, LogError> {
        self.check(partition)?;
        Ok(self.store.end(topic, partition))
    }

    async fn grown(
        &self,
        topic: Topic,
        partition: Partition,
        known_end: u64,
    ) -> Result<(), LogError> {
        self.check(partition)?;
        let until = |ends: &[u64]| {
            ends.get(partition as usize)
                .is_some_and(|&end| end > known_end)
        };
        self.store.wait(topic, until).await
    }

    async fn position(
        &self,
        stage: &'static str,
        input: Topic,
        partition: Partition,
    ) -> Result<u64, LogError> {
        self.check(partition)?;
        Ok(self.store.position(stage, input, partition))
    }

    async fn join(&self, stage: &'static str, input: Topic) -> Result<Box<dyn StageLog>, LogError> {
        let tenure = self.committer.join(stage, input).await?;
        Ok(Box::new(EmbeddedStage::new(
            self.clone(),
            stage,
            input,
            tenure,
        )))
    }
}

/// The event that stands in a record, or what can't be decoded.
fn decoded(bytes: &[u8]) -> Result<Arc<Event>, crate::Undecodable> {
    mneme_events::decode(bytes)
        .map(Arc::new)
        .map_err(|error| crate::Undecodable {
            bytes: bytes.to_vec(),
            key: None,
            schema_id: None,
            reason: error.to_string(),
        })
}

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod tests;
