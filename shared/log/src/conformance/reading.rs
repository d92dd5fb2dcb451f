//! Reads: exact, without waiting, never blocked by a record that does not decode.

use std::time::Duration;

use mneme_events::Topic;

use super::Harness;
use super::material::*;
use crate::{EventLog, StageInput};

/// A read gives the asked records and no others.
pub async fn ranges_are_exact(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    log.append(records(Topic::Facts, &group, "", 10))
        .await
        .unwrap();
    assert_eq!(log.end(Topic::Facts, 0).await.unwrap(), 10);
    for from in 0..12u64 {
        for max in 0..12usize {
            let read = log.read(Topic::Facts, 0, from, max).await.unwrap();
            let until = (from + max as u64).min(10);
            let expected: Vec<String> = (from..until).map(|number| number.to_string()).collect();
            assert_eq!(names(&read), expected, "from {from}, {max} at most");
            for (record, offset) in read.iter().zip(from..) {
                assert_eq!((record.topic, record.partition), (Topic::Facts, 0));
                assert_eq!(record.offset, offset);
            }
        }
    }
}

/// Old records are read as exactly as new ones, before and after the process ended.
pub async fn from_the_first_record_whatever_is_cached(harness: &impl Harness) {
    let (mut log, group) = (harness.make(1).await, group("g"));
    for batch in 0..30 {
        let prefix = format!("{batch}-");
        let records = records(Topic::Episodes, &group, &prefix, 100);
        log.append(records).await.unwrap();
    }
    let expected: Vec<String> = (0..3000)
        .map(|number| format!("{}-{}", number / 100, number % 100))
        .collect();
    for life in 0..2 {
        assert_eq!(all(&log, Topic::Episodes, 0).await, expected, "life {life}");
        let mut from = 0;
        let mut said = Vec::new();
        while let read = log.read(Topic::Episodes, 0, from, 77).await.unwrap()
            && let Some(last) = read.last()
        {
            from = last.offset + 1;
            said.extend(names(&read));
        }
        assert_eq!(said, expected, "life {life}");
        log = harness.reopen(log).await;
    }
}

/// A waiter wakes when the partition grows beyond what it knew, and at once if it has already.
pub async fn growth_wakes(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    let waiter = {
        let log = log.clone();
        tokio::spawn(async move { log.grown(Topic::Episodes, 0, 0).await })
    };
    tokio::task::yield_now().await;
    assert!(!waiter.is_finished());
    log.append(records(Topic::Episodes, &group, "a", 1))
        .await
        .unwrap();
    waiter.await.unwrap().unwrap();
    log.grown(Topic::Episodes, 0, 0).await.unwrap();
}

/// A waiter sleeps on while others grow.
pub async fn growth_of_another_partition_does_not(harness: &impl Harness) {
    let log = harness.make(2).await;
    let of_partition = |wanted| {
        (0..)
            .map(|number| group(&format!("g{number}")))
            .find(|group| log.partition_of(group) == wanted)
            .unwrap()
    };
    log.append(records(Topic::Episodes, &of_partition(1), "a", 3))
        .await
        .unwrap();
    log.append(records(Topic::Facts, &of_partition(0), "a", 3))
        .await
        .unwrap();
    let grown = log.grown(Topic::Episodes, 0, 0);
    let waited = tokio::time::timeout(Duration::from_millis(30), grown).await;
    assert!(waited.is_err());
    log.append(records(Topic::Episodes, &of_partition(0), "b", 1))
        .await
        .unwrap();
    log.grown(Topic::Episodes, 0, 0).await.unwrap();
}

/// Bytes that are no event stand in their place with the reason and the group; what follows is read.
pub async fn what_does_not_decode_stops_nobody(harness: &impl Harness) {
    let (mut log, group) = (harness.make(1).await, group("g"));
    log.append(records(Topic::Episodes, &group, "before", 1))
        .await
        .unwrap();
    let good = mneme_events::encode(&event(&group, "cut")).unwrap();
    let foreign = [
        b"no event at all".to_vec(),
        Vec::new(),
        good[..good.len() - 1].to_vec(),
    ];
    for bytes in &foreign {
        let raw = harness.append_raw(&log, Topic::Episodes, &group, bytes.clone());
        raw.await.unwrap();
    }
    log.append(records(Topic::Episodes, &group, "after", 1))
        .await
        .unwrap();
    for _life in 0..2 {
        let read = read(&log, Topic::Episodes, 0, 0, 10).await;
        assert_eq!(read.len(), 5);
        assert_eq!(said(read[0].event.as_ref().unwrap()), "before0");
        assert_eq!(said(read[4].event.as_ref().unwrap()), "after0");
        for (record, bytes) in read[1..4].iter().zip(&foreign) {
            let undecodable = record.event.as_ref().unwrap_err();
            assert_eq!(&undecodable.bytes, bytes);
            assert!(!undecodable.reason.is_empty());
            assert_eq!(record.group_id.as_ref(), Some(&group));
        }
        let (mut stage, _) = joined(&log, "reader", Topic::Episodes).await;
        let mut handed = 0;
        while handed < 5 {
            match stage.next().await {
                Ok(StageInput::Records(records)) => handed += records.len(),
                other => panic!("not records: {other:?}"),
            }
        }
        assert_eq!(handed, 5);
        drop(stage);
        log = harness.reopen(log).await;
    }
}
