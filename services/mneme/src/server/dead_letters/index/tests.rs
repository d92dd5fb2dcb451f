use std::sync::Arc;

use mneme_events::{
    DeadLetterReplayed, DeadLettered, Event, EventHeader, RecordParked, RecordReleased,
};
use mneme_log::{MemoryLog, NewRecord};

use super::*;

fn header(id: u128, group: &str, second: i64) -> EventHeader {
    EventHeader {
        event_id: Uuid::from_u128(id),
        group_id: GroupId::new(group).unwrap(),
        seq: 0,
        cause: Some(Uuid::from_u128(1_000 + id)),
        recorded_at: Instant::from_micros(second * 1_000_000),
    }
}

fn dead(id: u128, group: &str, second: i64) -> Event {
    let letter = DeadLettered {
        header: header(id, group, second),
        stage: "extractor".to_owned(),
        source_topic: Topic::Episodes.name().to_owned(),
        source_offset: 0,
        kind: "extraction".to_owned(),
        reason: "no".to_owned(),
        payload: b"secret".to_vec(),
        source_partition: None,
        source_key: None,
        version: None,
        attempts: None,
        schema_id: None,
    };
    letter.into()
}

fn parked(id: u128, group: &str, second: i64) -> Event {
    let held = RecordParked {
        header: header(id, group, second),
        stage: "resolver".to_owned(),
        source_offset: 0,
        waiting: true,
        reason: "no".to_owned(),
        episode_id: None,
        payload: Vec::new(),
    };
    held.into()
}

async fn append(log: &MemoryLog, topic: Topic, event: Event) {
    let record = NewRecord::new(topic, Arc::new(event));
    log.append(vec![record]).await.unwrap();
}

fn ids(index: &Index, with_replayed: bool) -> Vec<u128> {
    let letters = index.newest(with_replayed);
    letters.map(|letter| letter.id.as_u128()).collect()
}

/// Whatever partition a letter is on and in which order partitions are read.
#[tokio::test]
async fn the_newest_come_first_and_what_is_done_with_goes() {
    let log = MemoryLog::new(8);
    let groups = ["a", "b", "c", "d", "e", "f"];
    for (number, group) in (1..).zip(groups) {
        let second = [30, 10, 60, 20, 50, 40][number as usize - 1];
        append(&log, Topic::DeadLetters, dead(number, group, second)).await;
    }
    append(&log, Topic::Parked, parked(7, "a", 35)).await;
    let mut index = Index::default();
    index.refresh(&log).await.unwrap();
    assert_eq!(ids(&index, false), [3, 5, 6, 7, 1, 4, 2]);
    assert_eq!(index.open(), 6, "what is held is not dead");

    // Told anew, as after a crash: nothing changes.
    append(&log, Topic::DeadLetters, dead(3, "c", 60)).await;
    append(&log, Topic::Parked, parked(7, "a", 35)).await;
    index.refresh(&log).await.unwrap();
    assert_eq!(ids(&index, false), [3, 5, 6, 7, 1, 4, 2]);

    let replayed = DeadLetterReplayed {
        header: EventHeader {
            cause: Some(Uuid::from_u128(5)),
            ..header(100, "e", 70)
        },
    };
    let released = RecordReleased {
        header: EventHeader {
            event_id: Uuid::from_u128(101),
            ..header(7, "a", 35)
        },
        stage: "resolver".to_owned(),
        source_offset: 0,
        episode_id: None,
    };
    append(&log, Topic::DeadLetters, replayed.into()).await;
    append(&log, Topic::Parked, released.into()).await;
    index.refresh(&log).await.unwrap();
    assert_eq!(ids(&index, false), [3, 6, 1, 4, 2]);
    assert_eq!(ids(&index, true), [3, 5, 6, 1, 4, 2]);
    assert_eq!(index.open(), 5);

    let mut anew = Index::default();
    anew.refresh(&log).await.unwrap();
    assert_eq!(ids(&anew, true), ids(&index, true));
    assert_eq!(anew.open(), 5);
}
