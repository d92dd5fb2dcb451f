//! Where things stand in the database.
//!
//! A keyspace for each topic, with ascending keys, so that what is written out is never merged with
//! what was there; one for the positions of stages; one for what is fixed when the log is made.
//!
//! ```text
//! mneme.episodes.v1 …   partition u32 | offset u64   →   length of group u8 | group | single object
//! positions             stage 0 topic 0 partition u32 →   next offset u64
//! log                   "partitions"                  →   u32
//! ```
//!
//! Numbers are big endian, so that the order of keys is that of numbers.

use fjall::config::FilterPolicy;
use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use mneme_events::Topic;
use mneme_model::GroupId;

use crate::{LogError, Partition};

pub(super) const POSITIONS: &str = "positions";
const LOG: &str = "log";
const PARTITIONS: &str = "partitions";

/// Options of a topic's keyspace: nothing is looked up that is not there, so filters would be of no
/// use; memory is bounded by eight topics of this size and the few that are being written out.
pub(super) fn topic_options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(8 << 20)
        .filter_policy(FilterPolicy::disabled())
}

/// Options of the small keyspaces.
pub(super) fn small_options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default().max_memtable_size(1 << 20)
}

pub(super) fn record_key(partition: Partition, offset: u64) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&partition.to_be_bytes());
    key[4..].copy_from_slice(&offset.to_be_bytes());
    key
}

pub(super) fn offset_of(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.get(4..12)?.try_into().ok()?))
}

pub(super) fn record_value(group: &GroupId, bytes: &[u8]) -> Vec<u8> {
    let group = group.as_str().as_bytes();
    let mut value = Vec::with_capacity(1 + group.len() + bytes.len());
    // A group id has at most 128 bytes.
    value.push(group.len() as u8);
    value.extend_from_slice(group);
    value.extend_from_slice(bytes);
    value
}

/// The group, where it is one, and the single object.
pub(super) fn split_value(value: &[u8]) -> (Option<GroupId>, &[u8]) {
    let Some((&length, rest)) = value.split_first() else {
        return (None, value);
    };
    let Some((group, bytes)) = rest.split_at_checked(usize::from(length)) else {
        return (None, value);
    };
    let group = std::str::from_utf8(group)
        .ok()
        .and_then(|group| GroupId::new(group).ok());
    (group, bytes)
}

/// A stage's input on one partition, as the positions know it.
pub(super) fn position_key(stage: &str, input: Topic, partition: Partition) -> Vec<u8> {
    let mut key = Vec::with_capacity(stage.len() + 32);
    key.extend_from_slice(stage.as_bytes());
    key.push(0);
    key.extend_from_slice(input.name().as_bytes());
    key.push(0);
    key.extend_from_slice(&partition.to_be_bytes());
    key
}

/// Fills a new database.
pub(super) fn create(database: &Database, partitions: Partition) -> fjall::Result<()> {
    for topic in Topic::ALL {
        database.keyspace(topic.name(), topic_options)?;
    }
    database.keyspace(POSITIONS, small_options)?;
    let log = database.keyspace(LOG, small_options)?;
    log.insert(PARTITIONS, partitions.to_be_bytes())
}

/// Refuses another number of partitions than the log was made with.
pub(super) fn check_partitions(database: &Database, wanted: Partition) -> Result<(), LogError> {
    let log = database.keyspace(LOG, small_options).map_err(broken)?;
    let there = log
        .get(PARTITIONS)
        .map_err(broken)?
        .and_then(|value| value.as_ref().try_into().ok())
        .map(u32::from_be_bytes)
        .ok_or_else(|| malformed("number of partitions"))?;
    if there == wanted {
        return Ok(());
    }
    Err(LogError::Broken(format!(
        "the log was made with {there} partitions and can't be opened with {wanted}: the number is \
         fixed when the log is made"
    )))
}

/// The offset after the last record of a partition.
pub(super) fn end_of(records: &Keyspace, partition: Partition) -> Result<u64, LogError> {
    let Some(last) = records.prefix(partition.to_be_bytes()).next_back() else {
        return Ok(0);
    };
    let key = last.key().map_err(broken)?;
    offset_of(&key)
        .map(|offset| offset + 1)
        .ok_or_else(|| malformed("record key"))
}

pub(super) fn broken(error: fjall::Error) -> LogError {
    LogError::Broken(error.to_string())
}

pub(super) fn malformed(what: &str) -> LogError {
    LogError::Broken(format!("a {what} is malformed"))
}
