//! Several instances of a stage.

use std::collections::BTreeMap;
use std::time::Duration;

use mneme_events::Topic;
use mneme_log::conformance::material::{all, group, joined, names, record, records};
use mneme_log::conformance::run;
use mneme_log::{CommitError, Consumed, EventLog, Record, StageInput};
use mneme_log_kafka::KafkaLog;

use crate::support::Namespace;

const PARTITIONS: u32 = 4;
const GROUPS: usize = 12;

/// What follows from records, and how far they reach.
pub fn work(handed: &[Record]) -> (Vec<mneme_log::NewRecord>, Vec<Consumed>) {
    let (mut outputs, mut consumed) = (Vec::new(), BTreeMap::new());
    for (handed, name) in handed.iter().zip(names(handed)) {
        let group = handed.group_id.clone().unwrap();
        outputs.push(record(Topic::Extractions, &group, &format!("x-{name}")));
        consumed.insert(handed.partition, handed.offset + 1);
    }
    let consumed = consumed.into_iter().map(|(partition, next)| Consumed {
        topic: Topic::Episodes,
        partition,
        next,
    });
    (outputs, consumed.collect())
}

/// Works as an instance until it is aborted or fenced.
async fn work_on(log: KafkaLog) {
    let mut stage = log.join("extractor", Topic::Episodes).await.unwrap();
    loop {
        if let StageInput::Records(handed) = stage.next().await.unwrap() {
            let (outputs, consumed) = work(&handed);
            match stage.commit(outputs, consumed).await {
                Ok(_) | Err(CommitError::Abort(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

async fn append(log: &KafkaLog, round: usize) -> Vec<String> {
    let mut names = Vec::new();
    for number in 0..GROUPS {
        let prefix = format!("{number}-{round}-");
        let group = group(&format!("group{number}"));
        let batch = records(Topic::Episodes, &group, &prefix, 20);
        log.append(batch).await.unwrap();
        names.extend((0..20).map(|place| format!("x-{prefix}{place}")));
    }
    names
}

async fn written(log: &KafkaLog) -> Vec<String> {
    let mut written = Vec::new();
    for partition in 0..PARTITIONS {
        written.extend(all(log, Topic::Extractions, partition).await);
    }
    written
}

async fn assigned(log: &KafkaLog) -> usize {
    log.health("extractor")
        .map_or(0, |health| health.assigned())
}

async fn wait_until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(30), async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("{what}"));
}

/// Two instances share the partitions; one dies without a word, and the other takes over all. Each
/// input is worked on once, in order.
#[test]
fn the_living_take_over_from_the_dead() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(PARTITIONS).await;
        let (one, two) = (namespace.open("one").await, namespace.open("two").await);
        let mut expected = append(&one, 0).await;
        let first = tokio::spawn(work_on(one.clone()));
        wait_until("the first takes all", async || assigned(&one).await == 4).await;
        let second = tokio::spawn(work_on(two.clone()));
        wait_until("both have their share", async || {
            assigned(&one).await == 2 && assigned(&two).await == 2
        })
        .await;
        expected.extend(append(&two, 1).await);
        wait_until("both work", async || {
            written(&two).await.len() == expected.len()
        })
        .await;
        first.abort();
        let _ = first.await;
        expected.extend(append(&two, 2).await);
        wait_until("the second takes all", async || assigned(&two).await == 4).await;
        wait_until("all is done", async || {
            written(&two).await.len() >= expected.len()
        })
        .await;
        second.abort();
        let mut written = written(&two).await;
        for number in 0..GROUPS {
            let prefix = format!("x-{number}-");
            let of_group = |names: &[String]| -> Vec<String> {
                let own = names.iter().filter(|name| name.starts_with(&prefix));
                own.cloned().collect()
            };
            assert_eq!(of_group(&written), of_group(&expected), "group {number}");
        }
        written.sort();
        expected.sort();
        assert_eq!(written, expected);
    });
}

/// Work that takes longer than the thread may be silent for costs nothing: the thread is not silent.
#[test]
fn slow_work_keeps_its_partitions() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(2).await;
        let log = namespace.open("0").await;
        append(&log, 0).await;
        let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
        let StageInput::Records(handed) = stage.next().await.unwrap() else {
            panic!("records come after the assignment");
        };
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert!(
            log.health("extractor")
                .unwrap()
                .is_polling(Duration::from_secs(1))
        );
        let (outputs, consumed) = work(&handed);
        let count = outputs.len();
        stage.commit(outputs, consumed).await.unwrap();
        // The rest of the records, and nothing else.
        let mut left = GROUPS * 20 - count;
        while left > 0 {
            match stage.next().await.unwrap() {
                StageInput::Records(records) => left -= records.len(),
                other => panic!("a rebalance: {other:?}"),
            }
        }
        let more = tokio::time::timeout(Duration::from_secs(2), stage.next()).await;
        assert!(more.is_err(), "{more:?}");
    });
}

/// What is read ahead is bounded, and all of it comes.
#[test]
fn what_is_read_ahead_is_bounded() {
    let Some(mut namespace) = Namespace::new() else {
        return;
    };
    namespace.config.window_records = 50;
    run(async {
        namespace.apply(2).await;
        let log = namespace.open("0").await;
        let mut expected = Vec::new();
        for round in 0..4 {
            expected.extend(append(&log, round).await);
        }
        let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
        let mut handed = Vec::new();
        while handed.len() < expected.len() {
            match stage.next().await.unwrap() {
                StageInput::Records(records) => handed.extend(names(&records)),
                other => panic!("not records: {other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let mut handed: Vec<String> = handed.iter().map(|name| format!("x-{name}")).collect();
        handed.sort();
        expected.sort();
        assert_eq!(handed, expected);
    });
}

/// An aborted commit hands everything over again from the committed positions.
#[test]
fn work_on_partitions_that_are_not_its_own_is_aborted() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let log = namespace.open("0").await;
        let batch = records(Topic::Episodes, &group("g"), "e", 3);
        log.append(batch).await.unwrap();
        let mut stage = log.join("extractor", Topic::Episodes).await.unwrap();
        let consumed = vec![Consumed {
            topic: Topic::Episodes,
            partition: 0,
            next: 3,
        }];
        // Before anything was assigned.
        let early = stage.commit(Vec::new(), consumed.clone()).await;
        assert!(matches!(early, Err(CommitError::Abort(_))), "{early:?}");
        let mut handed = Vec::new();
        while handed.len() < 3 {
            match stage.next().await.unwrap() {
                StageInput::Assigned(positions) => assert_eq!(positions[0].next, 0),
                StageInput::Records(records) => handed.extend(names(&records)),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(handed, ["e0", "e1", "e2"]);
        stage.commit(Vec::new(), consumed).await.unwrap();
    });
}
