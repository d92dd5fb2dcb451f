//! The last records of a partition, decoded: readers that follow the end share one decoded event
//! with its writer and with each other. Bounded in records and in encoded bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use mneme_events::{Event, Topic};
use mneme_model::GroupId;
use mneme_telemetry::TraceParent;

use crate::{Partition, Record, Undecodable};

pub(super) struct Cached {
    pub group: GroupId,
    pub event: Result<Arc<Event>, Undecodable>,
    pub trace: Option<TraceParent>,
    /// The length of its encoding.
    pub bytes: usize,
}

pub(super) struct Tail {
    records: VecDeque<Cached>,
    /// The offset of the first record that is kept.
    start: u64,
    bytes: usize,
    most_records: usize,
    most_bytes: usize,
}

impl Tail {
    /// An empty tail at the end of a partition.
    pub fn new(end: u64, most_records: usize, most_bytes: usize) -> Self {
        Self {
            records: VecDeque::new(),
            start: end,
            bytes: 0,
            most_records,
            most_bytes,
        }
    }

    /// Adds the record that follows the last.
    pub fn push(&mut self, cached: Cached) {
        self.bytes += cached.bytes;
        self.records.push_back(cached);
        while self.records.len() > self.most_records || self.bytes > self.most_bytes {
            let Some(first) = self.records.pop_front() else {
                break;
            };
            self.bytes -= first.bytes;
            self.start += 1;
        }
    }

    /// The records from `from` up to `until`, if all of them are kept: at most `max`, and no more
    /// than fit `max_bytes`, but at least one.
    pub fn read(
        &self,
        (topic, partition): (Topic, Partition),
        (from, until): (u64, u64),
        max: usize,
        max_bytes: usize,
    ) -> Option<Vec<Record>> {
        let first = usize::try_from(from.checked_sub(self.start)?).ok()?;
        let count = usize::try_from(until.saturating_sub(from)).ok()?.min(max);
        let kept = self.records.iter().skip(first).take(count);
        let mut records = Vec::with_capacity(count);
        let mut bytes = 0;
        for (offset, cached) in (from..).zip(kept) {
            bytes += cached.bytes;
            if bytes > max_bytes && !records.is_empty() {
                break;
            }
            records.push(Record {
                topic,
                partition,
                offset,
                group_id: Some(cached.group.clone()),
                event: cached.event.clone(),
                trace: cached.trace,
            });
        }
        Some(records)
    }
}
