//! The port that carries the guarantees of the log.
//!
//! ```text
//!                  read(from)                         end
//!                      │                               │
//!   partition   0 1 2 3 4 5 6 7 8 9 …  committed  … n-1 n
//!                          │
//!                          └ position of a consumer: the next record it is to process
//! ```
//!
//! 1. Records of a group are on one partition, in the order of their commit. Offsets grow and may
//!    have gaps.
//! 2. [`EventLog::append`] returns when the records are durable: they outlive a crash of the process
//!    and of the machine.
//! 3. [`StageLog::commit`] makes the outputs visible and moves the positions together, or neither.
//! 4. What is not committed is never read. What is committed may be read a moment later; a read that
//!    begins after [`EventLog::end`] has answered sees all records before that end.
//! 5. One instance writes the outputs of a partition at a time. One that was replaced is
//!    [`CommitError::Fenced`] and has written nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use mneme_events::{Event, Topic};
use mneme_model::GroupId;
use mneme_telemetry::TraceParent;

/// The number of a partition, the same for a group on every topic.
pub type Partition = u32;

/// A record to be written; its key is the event's group.
#[derive(Debug, Clone)]
pub struct NewRecord {
    /// Where to.
    pub topic: Topic,
    /// What.
    pub event: Arc<Event>,
    /// The trace that it belongs to.
    pub trace: Option<TraceParent>,
}

impl NewRecord {
    /// A record that belongs to no trace.
    pub fn new(topic: Topic, event: impl Into<Arc<Event>>) -> Self {
        Self {
            topic,
            event: event.into(),
            trace: None,
        }
    }

    /// The same record, of a trace.
    pub fn within(self, trace: Option<TraceParent>) -> Self {
        Self { trace, ..self }
    }
}

/// A record that could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecodable {
    /// The bytes as they are.
    pub bytes: Vec<u8>,
    /// The record's key as it is, where the log keeps keys.
    pub key: Option<Vec<u8>>,
    /// The number of the schema that the record names, where the log has a schema registry.
    pub schema_id: Option<u32>,
    /// Why, without the content.
    pub reason: String,
}

/// A committed record.
#[derive(Debug, Clone)]
pub struct Record {
    /// The topic.
    pub topic: Topic,
    /// The partition.
    pub partition: Partition,
    /// The position within the partition.
    pub offset: u64,
    /// The key, where it is one.
    pub group_id: Option<GroupId>,
    /// The event, or what stands in its place.
    pub event: Result<Arc<Event>, Undecodable>,
    /// The trace that it belongs to. The embedded log forgets it when the process ends.
    pub trace: Option<TraceParent>,
}

/// How far a consumer is: the next offset that it has not processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Consumed {
    /// The topic.
    pub topic: Topic,
    /// The partition.
    pub partition: Partition,
    /// The next offset.
    pub next: u64,
}

/// Where a commit wrote: the offset after its last record on a partition of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The topic.
    pub topic: Topic,
    /// The partition.
    pub partition: Partition,
    /// The offset after the last record.
    pub next: u64,
}

impl Written {
    /// Where records ended that were written at these offsets, in order.
    pub fn after(places: impl IntoIterator<Item = (Topic, Partition, u64)>) -> Vec<Self> {
        let mut ends = BTreeMap::new();
        for (topic, partition, offset) in places {
            ends.insert((topic, partition), offset + 1);
        }
        let written = |((topic, partition), next)| Self {
            topic,
            partition,
            next,
        };
        ends.into_iter().map(written).collect()
    }
}

/// What a stage hears from the log.
#[derive(Debug)]
pub enum StageInput {
    /// These partitions are this instance's from now on; each with the position to go on from.
    /// The stage reads its own output to the end before it takes records.
    Assigned(Vec<Consumed>),
    /// These partitions are not this instance's any longer: drop what is in flight.
    Revoked(Vec<Partition>),
    /// Records of assigned partitions, in order within each; at least one.
    Records(Vec<Record>),
}

/// Why the log could not be read or appended to.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Try again later; nothing was written.
    #[error("the log is away: {0}")]
    Unavailable(String),
    /// The log does not take these records, whenever it is asked; nothing was written.
    #[error("the log does not take it: {0}")]
    Refused(String),
    /// An operator must mend it; the process should end.
    #[error("the log can't be used: {0}")]
    Broken(String),
    /// Another process has the log.
    #[error("{0}")]
    Locked(String),
}

/// Why a commit did not happen. Nothing of it is visible.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The same commit may go through when tried again.
    #[error("the commit did not go through: {0}")]
    Retry(String),
    /// The work since the last commit is void: start again from the committed positions, which
    /// [`StageLog::next`] assigns anew.
    #[error("the transaction was aborted: {0}")]
    Abort(String),
    /// Another instance has taken over: end.
    #[error("another instance has taken over: {0}")]
    Fenced(String),
    /// Trying again would not help: end.
    #[error("the commit can't be made: {0}")]
    Broken(String),
}

/// A log of events.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// How many partitions each topic has; fixed when the log is made.
    fn partitions(&self) -> Partition;

    /// The partition of a group.
    fn partition_of(&self, group: &GroupId) -> Partition;

    /// Appends records in order, all or nothing, and returns their offsets when they are durable.
    async fn append(&self, records: Vec<NewRecord>) -> Result<Vec<u64>, LogError>;

    /// Reads up to `max` committed records from `from` on, without waiting for more to come; fewer or
    /// none at the end.
    async fn read(
        &self,
        topic: Topic,
        partition: Partition,
        from: u64,
        max: usize,
    ) -> Result<Vec<Record>, LogError>;

    /// The offset after the last committed record. Commits under way are waited for: whoever sees a
    /// position and then asks for the end of an output topic gets one that covers all outputs that
    /// were committed with it.
    async fn end(&self, topic: Topic, partition: Partition) -> Result<u64, LogError>;

    /// Returns when the partition's end may have moved beyond `known_end`.
    async fn grown(
        &self,
        topic: Topic,
        partition: Partition,
        known_end: u64,
    ) -> Result<(), LogError>;

    /// The committed position of a stage in its input; 0 before the first commit. Whoever sees a
    /// position and then asks for [`Self::end`] sees all outputs that were committed with it or
    /// before.
    async fn position(
        &self,
        stage: &'static str,
        input: Topic,
        partition: Partition,
    ) -> Result<u64, LogError>;

    /// Joins as an instance of a stage that reads `input`. Fences an earlier holder.
    async fn join(&self, stage: &'static str, input: Topic) -> Result<Box<dyn StageLog>, LogError>;
}

/// One instance's place in a stage.
#[async_trait]
pub trait StageLog: Send {
    /// Waits for the next thing to happen. The first is an assignment. Cancel safe.
    async fn next(&mut self) -> Result<StageInput, LogError>;

    /// Commits outputs and positions together, and tells where the outputs ended. Outputs keep their
    /// order within each partition. Only what was assigned by [`Self::next`] can be committed:
    /// positions of assigned partitions, and outputs to them. Dead letters may go to any.
    async fn commit(
        &mut self,
        outputs: Vec<NewRecord>,
        consumed: Vec<Consumed>,
    ) -> Result<Vec<Written>, CommitError>;
}
