//! Instances of stages: assignment, delivery, fencing.

use std::time::Duration;

use mneme_events::Topic;

use super::Harness;
use super::material::*;
use crate::{CommitError, Consumed, EventLog, StageInput, StageLog};

async fn delivered(stage: &mut dyn StageLog, count: usize) -> Vec<String> {
    let mut said = Vec::new();
    while said.len() < count {
        match stage.next().await.unwrap() {
            StageInput::Records(records) => {
                assert!(!records.is_empty());
                said.extend(names(&records));
            }
            other => panic!("not records: {other:?}"),
        }
    }
    said
}

/// An instance hears first which partitions it has and from where; it is alone, so all.
pub async fn the_first_word_is_the_assignment(harness: &impl Harness) {
    let log = harness.make(3).await;
    let records = records(Topic::Episodes, &group("g"), "e", 2);
    log.append(records).await.unwrap();
    let (_stage, mut positions) = joined(&log, "extractor", Topic::Episodes).await;
    positions.sort_by_key(|position| position.partition);
    let expected = |partition| Consumed {
        topic: Topic::Episodes,
        partition,
        next: 0,
    };
    assert_eq!(positions, [expected(0), expected(1), expected(2)]);
}

/// Each record is handed over once, those of a partition in order, old and new alike.
pub async fn records_come_once_and_in_order(harness: &impl Harness) {
    let log = harness.make(3).await;
    let groups: Vec<_> = (0..9).map(|number| group(&format!("g{number}"))).collect();
    let mut expected = Vec::new();
    let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
    let mut said = Vec::new();
    for round in 0..3 {
        for group in &groups {
            let prefix = format!("{group}-{round}-");
            let batch = records(Topic::Episodes, group, &prefix, 200);
            log.append(batch).await.unwrap();
            expected.extend((0..200).map(|number| format!("{prefix}{number}")));
        }
        said.extend(delivered(&mut *stage, expected.len() - said.len()).await);
    }
    for group in &groups {
        let prefix = format!("{group}-");
        let of_group = |names: &[String]| -> Vec<String> {
            let own = names.iter().filter(|name| name.starts_with(&prefix));
            own.cloned().collect()
        };
        assert_eq!(of_group(&said), of_group(&expected));
    }
    assert_eq!(said.len(), expected.len());
}

/// A dropped wait loses no record.
pub async fn waiting_may_be_cancelled(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
    let mut said = Vec::new();
    for round in 0..20 {
        let cancelled = tokio::time::timeout(Duration::from_millis(2), stage.next()).await;
        assert!(cancelled.is_err());
        let prefix = format!("{round}-");
        let batch = records(Topic::Episodes, &group, &prefix, 2);
        log.append(batch).await.unwrap();
        said.extend(delivered(&mut *stage, 2).await);
    }
    assert_eq!(said, all(&log, Topic::Episodes, 0).await);
}

/// The later instance has the positions; the earlier one can write nothing and hears of it.
pub async fn a_later_instance_fences_the_earlier(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    let next = |next| {
        vec![Consumed {
            topic: Topic::Episodes,
            partition: 0,
            next,
        }]
    };
    let (mut earlier, _) = joined(&log, "extractor", Topic::Episodes).await;
    let outputs = records(Topic::Extractions, &group, "earlier", 1);
    earlier.commit(outputs, next(1)).await.unwrap();

    let mut later = log.join("extractor", Topic::Episodes).await.unwrap();
    let outputs = records(Topic::Extractions, &group, "late", 1);
    let refused = earlier.commit(outputs, next(5)).await;
    assert!(matches!(refused, Err(CommitError::Fenced(_))));
    let told = earlier.next().await;
    assert!(matches!(told, Ok(StageInput::Revoked(_))), "{told:?}");

    let Ok(StageInput::Assigned(positions)) = later.next().await else {
        panic!("the first word is the assignment");
    };
    assert_eq!(positions[0].next, 1);
    let outputs = records(Topic::Extractions, &group, "later", 1);
    later.commit(outputs, next(2)).await.unwrap();
    assert_eq!(
        all(&log, Topic::Extractions, 0).await,
        ["earlier0", "later0"]
    );
    let position = log.position("extractor", Topic::Episodes, 0).await;
    assert_eq!(position.unwrap(), 2);

    let (_other, _) = joined(&log, "resolver", Topic::Extractions).await;
    later.commit(Vec::new(), next(3)).await.unwrap();
}

/// What was handed over but not committed comes again to the next instance.
pub async fn uncommitted_records_come_again(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    log.append(records(Topic::Episodes, &group, "", 10))
        .await
        .unwrap();
    let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
    assert_eq!(delivered(&mut *stage, 10).await.len(), 10);
    let four = Consumed {
        topic: Topic::Episodes,
        partition: 0,
        next: 4,
    };
    stage.commit(Vec::new(), vec![four]).await.unwrap();
    drop(stage);
    let log = harness.reopen(log).await;
    let (mut stage, positions) = joined(&log, "extractor", Topic::Episodes).await;
    assert_eq!(positions, [four]);
    let again = delivered(&mut *stage, 6).await;
    assert_eq!(again, ["4", "5", "6", "7", "8", "9"]);
}
