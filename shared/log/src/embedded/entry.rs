//! Records ready to be written: encoded on the thread of whoever writes them.

use std::sync::Arc;

use mneme_events::{Event, Topic};
use mneme_model::GroupId;
use mneme_telemetry::TraceParent;

use super::decoded;
use crate::partition::partition_of;
use crate::{NewRecord, Partition, Undecodable};

/// A record ready to be written.
pub(super) struct Entry {
    pub topic: Topic,
    pub partition: Partition,
    pub group: GroupId,
    pub event: Result<Arc<Event>, Undecodable>,
    pub bytes: Vec<u8>,
    pub trace: Option<TraceParent>,
}

impl Entry {
    pub fn raw(topic: Topic, partition: Partition, group: GroupId, bytes: Vec<u8>) -> Self {
        Self {
            topic,
            partition,
            group,
            event: decoded(&bytes),
            bytes,
            trace: None,
        }
    }
}

/// Encodes records, on the caller's thread.
pub(super) fn entries(
    records: Vec<NewRecord>,
    partitions: Partition,
) -> Result<Vec<Entry>, String> {
    let entry = |record: NewRecord| {
        let group = record.event.group_id().clone();
        Ok(Entry {
            topic: record.topic,
            partition: partition_of(&group, partitions),
            bytes: mneme_events::encode(&record.event).map_err(|error| error.to_string())?,
            event: Ok(record.event),
            group,
            trace: record.trace,
        })
    };
    records.into_iter().map(entry).collect()
}
