//! Partitions are on their way from one instance to another, in two rounds, when the broker and both
//! instances crash between the rounds. Afterwards each partition has an owner, and everything is applied.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::time::{Duration, Instant};

use mneme_chaos::{Broker, Tails, lines_with, servers};
use mneme_conformance::{Instance, Kafka};
use mneme_end_to_end::{Place, episodes, every_episode_is_done};
use tokio::time::sleep;

/// Enough that each partition has some.
const GROUPS: usize = 12;

/// How often an instance has told this.
fn told(place: &Place, instance: &Instance, what: &str) -> usize {
    lines_with(&place.server.output().join(instance.name()), what)
}

async fn until(what: &str, mut is_it: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_it() {
        assert!(begun.elapsed() < Duration::from_secs(90), "not yet: {what}");
        sleep(Duration::from_millis(1)).await;
    }
}

/// Waits until both have partitions and the group has come to rest.
async fn both_have_some(place: &Place, instances: [&Instance; 2]) {
    let given = || instances.map(|each| told(place, each, "partitions were "));
    let (mut last, mut since) = (given(), Instant::now());
    until("both have partitions", || {
        if given() != last {
            (last, since) = (given(), Instant::now());
        }
        let both = instances
            .iter()
            .all(|each| told(place, each, "partitions were given") > 0);
        both && since.elapsed() > Duration::from_secs(3)
    })
    .await;
}

/// All of it; tells whether the second round was prevented.
async fn crash_between_rounds(place: &Place, broker: &Broker, attempt: usize) -> bool {
    let named = |name: &str| place.server.instances().find(|each| each.name() == name);
    let (stays, comes) = (named("extractor-1").unwrap(), named("extractor-2").unwrap());
    both_have_some(place, [stays, comes]).await;

    // One has all of them.
    comes.kill().await.unwrap();
    let given = told(place, stays, "partitions were given");
    until("the other's partitions", || {
        told(place, stays, "partitions were given") > given
    })
    .await;
    // The other comes back, and is due some of them: first they are given up.
    let taken = told(place, stays, "partitions were taken");
    comes.start().await.unwrap();
    until("some are given up", || {
        told(place, stays, "partitions were taken") > taken
    })
    .await;
    // It hears of the second round with its next heartbeat; it does not come to that.
    broker.kill().await;
    stays.kill().await.unwrap();
    comes.kill().await.unwrap();
    broker.up().await;
    let (one, other) = futures::join!(stays.start(), comes.start());
    one.and(other).unwrap();

    let client = place.client();
    let group = |number: usize| format!("moving-{attempt}-{number}");
    for number in 0..GROUPS {
        for mut episode in episodes(2) {
            episode["group_id"] = group(number).into();
            // Accepted is enough: it is applied when its partition has an owner.
            let taken = async || {
                let status = client.add(&episode).await.unwrap().status;
                matches!(status, 200..300 | 504)
            };
            while !taken().await {
                sleep(Duration::from_millis(200)).await;
            }
        }
    }
    for number in 0..GROUPS {
        every_episode_is_done(&client, &group(number), 2).await;
    }
    [stays, comes]
        .iter()
        .any(|each| told(place, each, "partitions have no owner") > 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn partitions_that_were_given_up_find_an_owner() {
    let Some(kafka) = servers() else { return };
    let kafka = Kafka {
        partitions: 3,
        instances: 2,
        session: Duration::from_secs(10),
        ..kafka
    };
    let broker = Broker::local(&kafka);
    let place = Place::over(kafka).await;
    let _tails = Tails::of(place.server.output());
    for attempt in 0..4 {
        if crash_between_rounds(&place, &broker, attempt).await {
            return;
        }
    }
    panic!("the crash came too late each time");
}
