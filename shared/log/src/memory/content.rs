//! What the log in memory holds, and the failures that were ordered.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mneme_events::{Event, Topic};
use mneme_model::GroupId;
use mneme_telemetry::TraceParent;

use super::Fault;
use crate::partition::partition_of;
use crate::{Consumed, NewRecord, Partition, Record, Undecodable};

#[derive(Clone)]
pub(super) struct Stored {
    group: GroupId,
    event: Result<Arc<Event>, Undecodable>,
    trace: Option<TraceParent>,
}

impl Stored {
    pub fn raw(group: GroupId, bytes: Vec<u8>) -> Self {
        let event = mneme_events::decode(&bytes)
            .map(Arc::new)
            .map_err(|error| Undecodable {
                bytes,
                key: None,
                schema_id: None,
                reason: error.to_string(),
            });
        Self {
            group,
            event,
            trace: None,
        }
    }
}

/// Counts calls and strikes those that were ordered to fail.
#[derive(Default)]
pub(super) struct Faults {
    count: u64,
    ordered: BTreeMap<u64, Fault>,
}

impl Faults {
    pub fn order(&mut self, nth: u64, fault: Fault) {
        self.ordered.insert(self.count + nth, fault);
    }

    pub fn strike(&mut self) -> Option<Fault> {
        self.count += 1;
        self.ordered.remove(&self.count)
    }

    pub fn count(&self) -> u64 {
        self.count
    }
}

pub(super) struct Content {
    partitions: Partition,
    records: HashMap<(Topic, Partition), Vec<Stored>>,
    positions: HashMap<(&'static str, Topic, Partition), u64>,
    tenures: HashMap<(&'static str, Topic), u64>,
    pub commits: Faults,
    pub appends: Faults,
}

impl Content {
    pub fn new(partitions: Partition) -> Self {
        Self {
            partitions,
            records: HashMap::new(),
            positions: HashMap::new(),
            tenures: HashMap::new(),
            commits: Faults::default(),
            appends: Faults::default(),
        }
    }

    pub fn partitions(&self) -> Partition {
        self.partitions
    }

    pub fn push(&mut self, topic: Topic, partition: Partition, stored: Stored) -> u64 {
        let records = self.records.entry((topic, partition)).or_default();
        records.push(stored);
        records.len() as u64 - 1
    }

    /// Pushes records, and tells where each stands.
    pub fn push_all(&mut self, records: Vec<NewRecord>) -> Vec<(Topic, Partition, u64)> {
        let mut places = Vec::with_capacity(records.len());
        for NewRecord {
            topic,
            event,
            trace,
        } in records
        {
            let group = event.group_id().clone();
            let partition = partition_of(&group, self.partitions);
            let stored = Stored {
                group,
                event: Ok(event),
                trace,
            };
            let offset = self.push(topic, partition, stored);
            places.push((topic, partition, offset));
        }
        places
    }

    pub fn end(&self, topic: Topic, partition: Partition) -> u64 {
        self.records
            .get(&(topic, partition))
            .map_or(0, |records| records.len() as u64)
    }

    pub fn read(&self, topic: Topic, partition: Partition, from: u64, max: usize) -> Vec<Record> {
        let records = self.records.get(&(topic, partition));
        let records = records.map_or(&[][..], Vec::as_slice).iter();
        let from_here = records.skip(usize::try_from(from).unwrap_or(usize::MAX));
        (from..)
            .zip(from_here.take(max))
            .map(|(offset, stored)| Record {
                topic,
                partition,
                offset,
                group_id: Some(stored.group.clone()),
                event: stored.event.clone(),
                trace: stored.trace,
            })
            .collect()
    }

    pub fn position(&self, stage: &'static str, input: Topic, partition: Partition) -> u64 {
        let position = self.positions.get(&(stage, input, partition));
        position.copied().unwrap_or(0)
    }

    pub fn set_positions(&mut self, stage: &'static str, consumed: &[Consumed]) {
        for position in consumed {
            let key = (stage, position.topic, position.partition);
            self.positions.insert(key, position.next);
        }
    }

    pub fn join(&mut self, stage: &'static str, input: Topic) -> u64 {
        let number = self.tenures.entry((stage, input)).or_default();
        *number += 1;
        *number
    }

    pub fn newest(&self, stage: &'static str, input: Topic) -> u64 {
        self.tenures.get(&(stage, input)).copied().unwrap_or(0)
    }
}
