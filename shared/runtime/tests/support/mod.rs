//! What the tests of the runtime share: a log to look at, states that can be lost, a stage and a
//! model that do as they are told.
#![allow(dead_code, unused_imports, reason = "each test uses a part")]

mod episodes;
mod kept;
mod model;
mod probe;
mod world;

pub use episodes::*;
pub use kept::{Kept, Loss};
pub use model::Model;
pub use probe::{Probe, question};
pub use world::World;

use std::collections::BTreeMap;

use mneme_events::{Event, Topic, encode};
use mneme_log::{EventLog, MemoryLog};
use mneme_model::GroupId;

/// All events of a topic that decode, in the order of the log.
pub async fn events(log: &MemoryLog, topic: Topic) -> Vec<Event> {
    let mut events = Vec::new();
    for partition in 0..log.partitions() {
        let records = log.read(topic, partition, 0, usize::MAX).await.unwrap();
        events.extend(
            records
                .into_iter()
                .filter_map(|record| record.event.ok().map(|event| (*event).clone())),
        );
    }
    events
}

/// The bytes of each group's events of a topic, in order.
pub async fn bytes(log: &MemoryLog, topic: Topic) -> BTreeMap<GroupId, Vec<Vec<u8>>> {
    let mut groups: BTreeMap<GroupId, Vec<Vec<u8>>> = BTreeMap::new();
    for event in events(log, topic).await {
        groups
            .entry(event.group_id().clone())
            .or_default()
            .push(encode(&event).unwrap());
    }
    groups
}
