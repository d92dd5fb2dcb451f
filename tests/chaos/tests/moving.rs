//! Partitions are on their way from one instance to another, in two rounds, when the broker and both
//! instances crash between the rounds. Afterwards each partition has an owner, and everything is applied.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::time::{Duration, Instant};

use mneme_chaos::{Broker, Tails, servers};
use mneme_conformance::{Instance, Kafka};
use mneme_end_to_end::{Place, episodes, every_episode_is_done};
use tokio::time::sleep;

const GROUPS: usize = 12;

/// How often an instance has told this.
fn told(place: &Place, instance: &Instance, what: &str) -> usize {
    let output = place.server.output().join(instance.name()).join("stderr");
    let text = std::fs::read_to_string(output).unwrap_or_default();
    text.lines().filter(|line| line.contains(what)).count()
}

async fn until(what: &str, is_it: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_it() {
        assert!(begun.elapsed() < Duration::from_secs(90), "not yet: {what}");
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn partitions_that_were_given_up_find_an_owner() {
    let Some(kafka) = servers() else { return };
    let kafka = Kafka {
        partitions: 12,
        instances: 2,
        ..kafka
    };
    let broker = Broker::local(&kafka);
    let place = Place::over(kafka.clone()).await;
    let _tails = Tails::of(place.server.output());
    let named = |name: &str| place.server.instances().find(|each| each.name() == name);
    let (stays, comes) = (named("extractor-1").unwrap(), named("extractor-2").unwrap());

    // One has all of them.
    comes.kill().await.unwrap();
    let given = told(&place, stays, "partitions were given");
    until("the other's partitions", || {
        told(&place, stays, "partitions were given") > given
    })
    .await;
    // The other comes back, and is given some of them: first they are given up.
    let taken = told(&place, stays, "partitions were taken");
    comes.start().await.unwrap();
    until("some are given up", || {
        told(&place, stays, "partitions were taken") > taken
    })
    .await;
    // It hears of the second round with its next heartbeat; it does not come to that.
    broker.kill().await;
    stays.kill().await.unwrap();
    comes.kill().await.unwrap();
    broker.up().await;
    stays.start().await.unwrap();
    comes.start().await.unwrap();

    let client = place.client();
    for number in 0..GROUPS {
        let group = format!("moving-{number}");
        for mut episode in episodes(2) {
            episode["group_id"] = group.clone().into();
            let added = client.add(&episode).await.unwrap();
            // Accepted, and applied when its partition has an owner.
            assert!(
                added.is_success() || added.status == 504,
                "{}",
                added.brief()
            );
        }
    }
    for number in 0..GROUPS {
        every_episode_is_done(&client, &format!("moving-{number}"), 2).await;
    }
}
