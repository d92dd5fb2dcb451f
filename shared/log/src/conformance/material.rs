//! Events for the cases.

use std::sync::Arc;

use mneme_events::{EpisodeErased, Event, EventHeader, Topic, follow_up_id};
use mneme_model::{EpisodeId, GroupId, Instant};
use uuid::Uuid;

use crate::{Consumed, EventLog, NewRecord, Partition, Record, StageInput, StageLog};

/// A group by name.
pub fn group(name: &str) -> GroupId {
    GroupId::new(name).unwrap()
}

/// An event that says `name`.
pub fn event(group: &GroupId, name: &str) -> Arc<Event> {
    let header = EventHeader {
        event_id: follow_up_id(Uuid::NAMESPACE_OID, name, 0),
        group_id: group.clone(),
        seq: 0,
        cause: None,
        recorded_at: Instant::from_micros(1_700_000_000_000_000),
    };
    let episode_id = EpisodeId::new(name).unwrap();
    Arc::new(EpisodeErased { header, episode_id }.into())
}

/// A record that says `name`.
pub fn record(topic: Topic, group: &GroupId, name: &str) -> NewRecord {
    NewRecord::new(topic, event(group, name))
}

/// Records that say `prefix` and a number.
pub fn records(topic: Topic, group: &GroupId, prefix: &str, count: usize) -> Vec<NewRecord> {
    let one = |number| record(topic, group, &format!("{prefix}{number}"));
    (0..count).map(one).collect()
}

/// What an event says.
pub fn said(event: &Event) -> &str {
    match event {
        Event::EpisodeErased(event) => event.episode_id.as_str(),
        other => panic!("not an event of the suite: {:?}", other.kind()),
    }
}

/// What records say.
pub fn names(records: &[Record]) -> Vec<String> {
    let name = |record: &Record| said(record.event.as_ref().unwrap()).to_owned();
    records.iter().map(name).collect()
}

/// The committed records of a partition from `from` on, at most `max`: all of them, since the end
/// was asked before. Checks that offsets ascend and stay below the end.
pub async fn read(
    log: &impl EventLog,
    topic: Topic,
    partition: Partition,
    from: u64,
    max: usize,
) -> Vec<Record> {
    let end = log.end(topic, partition).await.unwrap();
    let records = log.read(topic, partition, from, max).await.unwrap();
    assert!(records.is_sorted_by(|a, b| a.offset < b.offset));
    if from == 0 && max == usize::MAX {
        let last = records.last().map_or(0, |record| record.offset + 1);
        assert!(
            last >= end,
            "the end is {end}, the last record before {last}"
        );
    }
    records
}

/// What a whole partition says.
pub async fn all(log: &impl EventLog, topic: Topic, partition: Partition) -> Vec<String> {
    names(&read(log, topic, partition, 0, usize::MAX).await)
}

/// Joins a stage and takes the first word, which is the assignment.
pub async fn joined(
    log: &impl EventLog,
    stage: &'static str,
    input: Topic,
) -> (Box<dyn StageLog>, Vec<Consumed>) {
    let mut instance = log.join(stage, input).await.unwrap();
    match instance.next().await.unwrap() {
        StageInput::Assigned(positions) => (instance, positions),
        other => panic!("not an assignment: {other:?}"),
    }
}
