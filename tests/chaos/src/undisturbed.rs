//! The same input on an embedded memory that nothing happens to.
//!
//! A memory is a function of what the log received, with the instants of its receipt. So the topic of
//! episodes, as Kafka holds it, is put into an embedded log, and the memory made of that must have
//! the same digests. That also compares one partition with many, and one process with seven or more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mneme_conformance::Client;
use mneme_end_to_end::Place;
use mneme_events::Topic;
use mneme_log::{EmbeddedLog, EmbeddedLogConfig, EventLog, NewRecord};
use serde_json::Value;
use tokio::time::sleep;

use crate::Topics;

/// How long both may take to come to the same digests.
const PATIENCE: Duration = Duration::from_secs(120);

/// An embedded memory of what the topic of episodes holds.
pub async fn undisturbed(topics: &Topics) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let mut config = EmbeddedLogConfig::new(folder.path().join("data/log"));
    config.fsync = false;
    std::fs::create_dir_all(&config.folder).unwrap();
    let log = EmbeddedLog::open(config).unwrap();
    let received = topics
        .of(Topic::Episodes)
        .map(|event| NewRecord::new(Topic::Episodes, Arc::clone(event)));
    log.append(received.collect()).await.unwrap();
    drop(log);
    Place::on(folder, None).await
}

/// Returns when both have the same digests of all groups in all stores; panics with the groups that
/// differ when that takes too long.
pub async fn digests_are_equal(one: &Client, other: &Client) {
    let started = Instant::now();
    loop {
        let (of_one, of_other) = (digests(one).await, digests(other).await);
        if of_one == of_other && !of_one.as_object().unwrap().is_empty() {
            return;
        }
        if started.elapsed() > PATIENCE {
            let groups = [&of_one, &of_other].map(|digests| digests.as_object().unwrap().keys());
            let groups: BTreeSet<&String> = groups.into_iter().flatten().collect();
            let differ = |group: &&String| of_one[group.as_str()] != of_other[group.as_str()];
            let differing: Vec<&String> = groups.into_iter().filter(differ).collect();
            let first = differing.first().map_or("", |group| group.as_str());
            let (one, other) = (&of_one[first], &of_other[first]);
            panic!("the digests differ for {differing:?}; of {first}: {one} and {other}");
        }
        sleep(Duration::from_millis(500)).await;
    }
}

async fn digests(client: &Client) -> Value {
    let answer = client.get(&["v1", "admin", "digest"], &[]).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.brief());
    answer.json()["groups"].clone()
}
