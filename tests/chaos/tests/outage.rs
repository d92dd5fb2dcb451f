//! The broker is away for a while (`MNEME_OUTAGE_SECONDS`): writes are refused for now, reads are
//! answered, nothing acknowledged is lost, and all go on by themselves when it is back.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a panic is the report of a test"
)]

use std::time::{Duration, Instant};

use mneme_chaos::{Broker, Topics, digests_are_equal, servers, undisturbed};
use mneme_conformance::{Client, Kafka};
use mneme_end_to_end::{Place, every_episode_is_done, number_from};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

const GROUP: &str = "outage";

fn episode(number: usize) -> Value {
    json!({
        "group_id": GROUP, "episode_id": format!("e-{number:04}"), "source": "facts",
        "reference_time": "2024-05-01T00:00:00Z",
        "facts": [{
            "subject": "Mira", "subject_type": "Person", "relation": "VISITED",
            "object": format!("Place {number}"), "object_type": "Place",
            "fact": format!("Mira visited place {number}"), "valid_at": "2024-05-01T00:00:00Z",
        }],
    })
}

/// Sends an episode, once it is acknowledged says so.
async fn send(client: &Client, number: usize) -> bool {
    let body = episode(number);
    let path = ["v1", "episodes"];
    let answer = client.send(Method::POST, &path, &[], Some(&body)).await;
    let answer = answer.unwrap();
    if answer.is_success() {
        return true;
    }
    assert_eq!(answer.status, 503, "{}", answer.brief());
    let seconds = answer.retry_after.unwrap().parse::<u32>().unwrap();
    assert!(seconds > 0);
    false
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_broker_acknowledged_outlives_its_absence() {
    let Some(kafka) = servers() else { return };
    let kafka = Kafka {
        partitions: 3,
        ..kafka
    };
    let broker = Broker::local(&kafka);
    let place = Place::over(kafka.clone()).await;
    let client = place.client();
    let mut number = 0;
    while number < 40 {
        number += usize::from(send(&client, number).await);
    }
    // Some of them are still on their way through the stages.
    broker.kill().await;
    let away = Instant::now();
    let time = Duration::from_secs(number_from("MNEME_OUTAGE_SECONDS", 20));
    let (mut refused, mut longest) = (0, Duration::ZERO);
    while away.elapsed() < time {
        let asked = Instant::now();
        assert!(!send(&client, number).await, "nobody is there to take it");
        refused += 1;
        longest = longest.max(asked.elapsed());
        let found = client.get(&["v1", "groups", GROUP, "facts"], &[]).await;
        assert_eq!(found.unwrap().status, 200, "reads go on");
        sleep(Duration::from_millis(200)).await;
    }
    broker.up().await;
    let back = Instant::now();
    while !send(&client, number).await {
        sleep(Duration::from_millis(100)).await;
    }
    let taken = back.elapsed();
    every_episode_is_done(&client, GROUP, number + 1).await;
    println!(
        "away for {:.0?}: {refused} refused, each within {longest:.1?}; {taken:.1?} after the broker was \
         back the next was taken, and after {:.1?} all was applied",
        back - away,
        back.elapsed()
    );
    for instance in place.server.instances() {
        let ended = instance.ended().await.unwrap();
        assert!(ended.is_none(), "{} ended: {ended:?}", instance.name());
    }
    let topics = Topics::read(&kafka, place.server.namespace().unwrap()).await;
    topics.are_counted_without_gap_or_repeat();
    topics.hold_nothing_back();
    let ids: Vec<String> = (0..=number)
        .map(|number| format!("e-{number:04}"))
        .collect();
    topics.have_each_once_in_order(GROUP, &ids);
    digests_are_equal(&client, &undisturbed(&topics).await.client()).await;
}
