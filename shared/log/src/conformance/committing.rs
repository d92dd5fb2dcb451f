//! Commits: outputs and positions together, or neither.

use mneme_events::Topic;
use mneme_telemetry::TraceParent;

use super::Harness;
use super::material::*;
use crate::{Consumed, EventLog, StageInput, Written};

fn consumed(topic: Topic, next: u64) -> Vec<Consumed> {
    let partition = 0;
    vec![Consumed {
        topic,
        partition,
        next,
    }]
}

/// After a commit both are there, for this process and the next one.
pub async fn outputs_and_positions_move_together(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    log.append(records(Topic::Episodes, &group, "e", 3))
        .await
        .unwrap();
    let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
    let outputs = records(Topic::Extractions, &group, "x", 2);
    stage
        .commit(outputs, consumed(Topic::Episodes, 2))
        .await
        .unwrap();
    drop(stage);
    let log = harness.reopen(log).await;
    assert_eq!(all(&log, Topic::Extractions, 0).await, ["x0", "x1"]);
    let position = log.position("extractor", Topic::Episodes, 0).await;
    assert_eq!(position.unwrap(), 2);
}

/// Inputs that give nothing still move the position; nothing at all is fine too.
pub async fn an_empty_commit_is_one(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    log.append(records(Topic::Episodes, &group, "e", 1))
        .await
        .unwrap();
    let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
    stage.commit(Vec::new(), Vec::new()).await.unwrap();
    let before = log.position("extractor", Topic::Episodes, 0).await;
    assert_eq!(before.unwrap(), 0);
    stage
        .commit(Vec::new(), consumed(Topic::Episodes, 1))
        .await
        .unwrap();
    let after = log.position("extractor", Topic::Episodes, 0).await;
    assert_eq!(after.unwrap(), 1);
    assert_eq!(log.end(Topic::Extractions, 0).await.unwrap(), 0);
}

/// The next process goes on from the committed position.
pub async fn positions_outlive_the_process(harness: &impl Harness) {
    let (mut log, group) = (harness.make(1).await, group("g"));
    log.append(records(Topic::Episodes, &group, "e", 6))
        .await
        .unwrap();
    for life in 0..3u64 {
        let (mut stage, positions) = joined(&log, "extractor", Topic::Episodes).await;
        assert_eq!(positions[0].next, life * 2);
        let next = consumed(Topic::Episodes, life * 2 + 2);
        stage.commit(Vec::new(), next).await.unwrap();
        drop(stage);
        log = harness.reopen(log).await;
        let position = log.position("extractor", Topic::Episodes, 0).await;
        assert_eq!(position.unwrap(), life * 2 + 2);
    }
}

/// A commit tells where its outputs end, by topic and partition.
pub async fn a_commit_tells_where_it_wrote(harness: &impl Harness) {
    let (log, group) = (harness.make(2).await, group("g"));
    let partition = log.partition_of(&group);
    let (mut stage, _) = joined(&log, "resolver", Topic::Extractions).await;
    for number in 0..3 {
        let mut outputs = records(Topic::Resolutions, &group, &format!("{number}-"), 4);
        outputs.push(record(Topic::Parked, &group, "parked"));
        let next = Consumed {
            topic: Topic::Extractions,
            partition,
            next: number + 1,
        };
        let mut written = stage.commit(outputs, vec![next]).await.unwrap();
        written.sort_by_key(|written| written.topic);
        let mut expected = Vec::new();
        for topic in [Topic::Resolutions, Topic::Parked] {
            let next = log.end(topic, partition).await.unwrap();
            expected.push(Written {
                topic,
                partition,
                next,
            });
        }
        assert_eq!(written, expected);
    }
    let written = stage.commit(Vec::new(), Vec::new()).await.unwrap();
    assert_eq!(written, []);
}

/// Positions of one stage are not those of another, nor of another topic.
pub async fn stages_and_topics_have_positions_of_their_own(harness: &impl Harness) {
    let log = harness.make(1).await;
    let (mut one, _) = joined(&log, "one", Topic::Episodes).await;
    let (mut two, _) = joined(&log, "two", Topic::Episodes).await;
    one.commit(Vec::new(), consumed(Topic::Episodes, 7))
        .await
        .unwrap();
    two.commit(Vec::new(), consumed(Topic::Episodes, 9))
        .await
        .unwrap();
    drop((one, two));
    let log = harness.reopen(log).await;
    for (stage, topic, position) in [
        ("one", Topic::Episodes, 7),
        ("two", Topic::Episodes, 9),
        ("one", Topic::Facts, 0),
        ("three", Topic::Episodes, 0),
    ] {
        assert_eq!(log.position(stage, topic, 0).await.unwrap(), position);
    }
}

/// Outputs of one commit and of commits in a row stand in that order.
pub async fn outputs_keep_their_order(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    let (mut stage, _) = joined(&log, "resolver", Topic::Extractions).await;
    let mut expected = Vec::new();
    for number in 0..20 {
        let prefix = format!("{number}-");
        let outputs = records(Topic::Resolutions, &group, &prefix, 7);
        stage
            .commit(outputs, consumed(Topic::Extractions, number))
            .await
            .unwrap();
        expected.extend((0..7).map(|place| format!("{prefix}{place}")));
    }
    assert_eq!(all(&log, Topic::Resolutions, 0).await, expected);
}

/// Several stages and producers write at once; each commit stands together and nothing is lost.
pub async fn commits_and_appends_at_once(harness: &impl Harness) {
    let log = harness.make(1).await;
    let mut tasks = Vec::new();
    for stage in ["one", "two", "three"] {
        let log = log.clone();
        tasks.push(tokio::spawn(async move {
            let (mut instance, _) = joined(&log, stage, Topic::Episodes).await;
            for number in 0..15u64 {
                let prefix = format!("{stage}-{number}-");
                let outputs = records(Topic::Facts, &group("g"), &prefix, 3);
                let next = consumed(Topic::Episodes, number + 1);
                instance.commit(outputs, next).await.unwrap();
                let position = log.position(stage, Topic::Episodes, 0).await.unwrap();
                assert_eq!(position, number + 1);
            }
        }));
    }
    for caller in 0..3 {
        let log = log.clone();
        tasks.push(tokio::spawn(async move {
            for number in 0..15 {
                let prefix = format!("append{caller}-{number}-");
                let batch = records(Topic::Facts, &group("g"), &prefix, 3);
                log.append(batch).await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let said = all(&harness.reopen(log).await, Topic::Facts, 0).await;
    assert_eq!(said.len(), 6 * 15 * 3);
    for together in said.chunks(3) {
        let prefix = together[0].strip_suffix('0').unwrap();
        assert_eq!(together[1], format!("{prefix}1"));
        assert_eq!(together[2], format!("{prefix}2"));
    }
}

/// Whoever sees a position and then asks for the end sees the outputs that were committed with it, also while a commit is
/// being made visible.
pub async fn a_position_is_never_ahead_of_its_outputs(harness: &impl Harness) {
    const COMMITS: u64 = 200;
    let (log, group) = (harness.make(1).await, group("g"));
    log.append(records(Topic::Episodes, &group, "e", COMMITS as usize))
        .await
        .unwrap();
    let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
    let commit = async {
        for number in 0..COMMITS {
            let output = record(Topic::Extractions, &group, &format!("x{number}"));
            stage
                .commit(vec![output], consumed(Topic::Episodes, number + 1))
                .await
                .unwrap();
        }
    };
    let look = async {
        let mut seen = 0;
        while seen < COMMITS {
            seen = log.position("extractor", Topic::Episodes, 0).await.unwrap();
            assert!(log.end(Topic::Extractions, 0).await.unwrap() >= seen);
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(commit, look);
}

/// The trace of a record goes with it, and each record has its own.
pub async fn records_keep_their_trace(harness: &impl Harness) {
    let (log, group) = (harness.make(1).await, group("g"));
    let trace = |span| TraceParent::new(7, span, 1);
    let traces = [trace(1), None, trace(3)];
    let traced = |topic| {
        let numbered = records(topic, &group, "e", 3).into_iter().zip(traces);
        numbered
            .map(|(record, trace)| record.within(trace))
            .collect()
    };
    log.append(traced(Topic::Episodes)).await.unwrap();
    let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
    let StageInput::Records(taken) = stage.next().await.unwrap() else {
        panic!("no records");
    };
    assert_eq!(taken.first().unwrap().trace, traces[0]);
    let outputs = traced(Topic::Extractions);
    stage
        .commit(outputs, consumed(Topic::Episodes, 3))
        .await
        .unwrap();
    for topic in [Topic::Episodes, Topic::Extractions] {
        let found = read(&log, topic, 0, 0, usize::MAX).await;
        let found: Vec<_> = found.iter().map(|record| record.trace).collect();
        assert_eq!(found, traces, "{topic}");
    }
}
