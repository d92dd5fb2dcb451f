//! Appends: ordered, all or nothing, durable when answered.

use std::collections::{HashMap, HashSet};

use mneme_events::Topic;

use super::Harness;
use super::material::*;
use crate::EventLog;

/// Offsets of an untouched partition are 0, 1, 2 …; those of later calls are greater, and the end is
/// after the last.
pub async fn offsets_count_from_zero_in_order(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    assert_eq!(log.end(Topic::Episodes, 0).await.unwrap(), 0);
    let first = log.append(records(Topic::Episodes, &group, "a", 3)).await;
    assert_eq!(first.unwrap(), [0, 1, 2]);
    assert_eq!(log.end(Topic::Episodes, 0).await.unwrap(), 3);
    let second = log.append(records(Topic::Episodes, &group, "b", 2)).await;
    let [fourth, fifth] = second.unwrap()[..] else {
        panic!("two records have two offsets");
    };
    assert!(fourth >= 3 && fifth == fourth + 1, "{fourth}, {fifth}");
    assert_eq!(log.append(Vec::new()).await.unwrap(), [0; 0]);
    assert_eq!(log.end(Topic::Episodes, 0).await.unwrap(), fifth + 1);
    let said = all(&log, Topic::Episodes, 0).await;
    assert_eq!(said, ["a0", "a1", "a2", "b0", "b1"]);
}

/// One call may write several topics; each has its own offsets.
pub async fn a_batch_keeps_its_order_over_topics(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    let batch = vec![
        record(Topic::Facts, &group, "f0"),
        record(Topic::Parked, &group, "p0"),
        record(Topic::Facts, &group, "f1"),
    ];
    assert_eq!(log.append(batch).await.unwrap(), [0, 0, 1]);
    assert_eq!(all(&log, Topic::Facts, 0).await, ["f0", "f1"]);
    assert_eq!(all(&log, Topic::Parked, 0).await, ["p0"]);
    assert_eq!(log.end(Topic::Communities, 0).await.unwrap(), 0);
}

/// Concurrent appends each get offsets of their own, where their record stands.
pub async fn many_at_once_lose_and_double_nothing(harness: &impl Harness) {
    let log = harness.make(1).await;
    let tasks: Vec<_> = (0..64)
        .map(|caller| {
            let log = log.clone();
            tokio::spawn(async move {
                let mut offsets = Vec::new();
                for number in 0..8 {
                    let name = format!("{caller}-{number}");
                    let record = record(Topic::Episodes, &group("g"), &name);
                    let offset = log.append(vec![record]).await.unwrap()[0];
                    assert!(log.end(Topic::Episodes, 0).await.unwrap() > offset);
                    offsets.push((offset, name));
                }
                offsets
            })
        })
        .collect();
    let said = all(&log, Topic::Episodes, 0).await.len();
    assert!(said <= 512);
    let mut acknowledged = Vec::new();
    for task in tasks {
        acknowledged.extend(task.await.unwrap());
    }
    let read = read(&log, Topic::Episodes, 0, 0, usize::MAX).await;
    let found: HashMap<u64, String> = read
        .iter()
        .map(|record| record.offset)
        .zip(names(&read))
        .collect();
    assert_eq!(found.len(), 512);
    for (offset, name) in acknowledged {
        assert_eq!(found[&offset], name);
    }
}

/// What one caller appends after another append was answered stands after it.
pub async fn each_callers_order_is_kept(harness: &impl Harness) {
    let log = harness.make(3).await;
    let tasks = (0..8).map(|caller| {
        let log = log.clone();
        tokio::spawn(async move {
            let group = group(&format!("group{caller}"));
            for number in 0..20 {
                let name = number.to_string();
                let append = log.append(vec![record(Topic::Episodes, &group, &name)]);
                append.await.unwrap();
            }
            let partition = log.partition_of(&group);
            let read = read(&log, Topic::Episodes, partition, 0, 1000).await;
            let own: Vec<_> = read
                .into_iter()
                .filter(|record| record.group_id.as_ref() == Some(&group))
                .collect();
            let expected: Vec<String> = (0..20).map(|number| number.to_string()).collect();
            assert_eq!(names(&own), expected);
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

/// Acknowledged records are there after the process ended without notice, and later offsets follow
/// them.
pub async fn what_was_acknowledged_outlives_the_process(harness: &impl Harness) {
    let (mut log, group) = (harness.make(2).await, group("g"));
    let partition = log.partition_of(&group);
    let (mut expected, mut end) = (Vec::new(), 0);
    for life in 0..3 {
        let prefix = format!("life{life}-");
        let batch = records(Topic::Resolutions, &group, &prefix, 50);
        let offsets = log.append(batch).await.unwrap();
        assert!(offsets[0] >= end);
        end = offsets[49] + 1;
        expected.extend((0..50).map(|number| format!("{prefix}{number}")));
        log = harness.reopen(log).await;
        assert_eq!(all(&log, Topic::Resolutions, partition).await, expected);
        let found = log.end(Topic::Resolutions, partition).await.unwrap();
        assert_eq!(found, end);
    }
}

/// All records of a group are on the partition that the log names for it, on every topic.
pub async fn groups_stay_on_their_partition(harness: &impl Harness) {
    let log = harness.make(5).await;
    assert_eq!(log.partitions(), 5);
    let mut used = HashSet::new();
    for number in 0..40 {
        let group = group(&format!("group-{number}"));
        let partition = log.partition_of(&group);
        assert!(partition < 5);
        used.insert(partition);
        for topic in [Topic::Episodes, Topic::Facts] {
            let name = format!("of-{number}");
            let offset = log
                .append(vec![record(topic, &group, &name)])
                .await
                .unwrap()[0];
            let read = read(&log, topic, partition, offset, 1).await;
            assert_eq!(names(&read), [name]);
            assert_eq!(read[0].group_id.as_ref(), Some(&group));
        }
    }
    assert_eq!(used.len(), 5);
}
