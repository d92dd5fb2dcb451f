//! Roles as processes over Kafka are one service to whoever asks: the gateway describes all that it
//! answers or passes on. And each role tells what operators watch: how far it is behind, how long commits take, how
//! large batches are, what is paused or dead, and how old the newest episode is.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a panic is the report of a test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mneme_conformance::{Kafka, SKIPPED};
use mneme_end_to_end::Place;
use reqwest::Method;
use serde_json::{Value, json};

/// The value of the first line that begins so.
fn value(metrics: &str, name: &str) -> Option<f64> {
    let line = metrics.lines().find(|line| line.starts_with(name))?;
    line.rsplit_once(' ')?.1.parse().ok()
}

async fn metrics_of(place: &Place, role: &str) -> String {
    let mut instances = place.server.instances();
    let instance = instances.find(|instance| instance.name().starts_with(role));
    let base = instance.unwrap().base().unwrap();
    let answer = reqwest::get(format!("{base}/metrics")).await.unwrap();
    answer.text().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_tell_what_operators_watch() {
    let Some(kafka) = Kafka::find() else {
        eprintln!("{SKIPPED}");
        return;
    };
    let place = Place::over(kafka).await;
    for number in 0..5 {
        let episode = json!({
            "group_id": format!("g{number}"), "episode_id": "e1", "source": "message",
            "reference_time": "2026-01-05T10:00:00Z", "author": {"name": "Ann Lee"},
            "body": "I work at Acme since March 2024.",
        });
        let added = place.client().add(&episode).await.unwrap();
        assert_eq!(added.status, 202, "{}", added.brief());
    }
    for stage in ["extractor", "resolver", "temporal-invalidator"] {
        let metrics = metrics_of(&place, stage).await;
        let of_stage = |name: &str| value(&metrics, &format!("{name}{{stage=\"{stage}\""));
        for name in [
            "mneme_stage_inputs_total",
            "mneme_stage_outputs_total",
            "mneme_stage_batch_inputs_count",
            "mneme_stage_batch_seconds_count",
            "mneme_kafka_commit_seconds_count",
            "mneme_kafka_transactions_total",
            "mneme_kafka_rebalances_total",
        ] {
            assert!(
                of_stage(name).is_some_and(|value| value >= 1.0),
                "{stage} {name}: {metrics}"
            );
        }
        assert_eq!(of_stage("mneme_stage_paused_groups"), Some(0.0), "{stage}");
    }
    let gateway = metrics_of(&place, "gateway").await;
    assert_eq!(value(&gateway, "mneme_dead_letters_open"), Some(0.0));
    assert_eq!(
        value(&gateway, "mneme_gateway_episodes_accepted_total"),
        Some(5.0)
    );
    let query = metrics_of(&place, "query").await;
    for store in ["graph", "text", "vectors"] {
        let of_store = |name: &str| value(&query, &format!("{name}{{store=\"{store}\""));
        assert_eq!(
            of_store("mneme_projector_episode_seconds_count"),
            Some(5.0),
            "{store}"
        );
        let newest = of_store("mneme_projector_newest_episode_timestamp_seconds");
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs_f64();
        let age = now - newest.unwrap();
        assert!((0.0..60.0).contains(&age), "{store}: {age} seconds");
    }
    // A rebuild applies what was applied before, which takes no time to tell of.
    let verified = place
        .client()
        .send(
            Method::POST,
            &["v1", "admin", "verify"],
            &[],
            Some(&json!({})),
        )
        .await
        .unwrap();
    assert_eq!(verified.json()["equal"], true, "{}", verified.text);
    let query = metrics_of(&place, "query").await;
    let applied = "mneme_projector_episode_seconds_count{store=\"graph\"";
    assert_eq!(value(&query, applied), Some(5.0));
    // It is noted now and then.
    let mut lag = None;
    for _ in 0..100 {
        lag = value(
            &metrics_of(&place, "extractor").await,
            "mneme_kafka_lag_offsets",
        );
        if lag.is_some_and(|lag| lag <= 1.0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(
        lag.is_some_and(|lag| lag <= 1.0),
        "the extractor lags by {lag:?}"
    );
}

/// The methods of each path that a description names.
fn described(api: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let paths = api["paths"].as_object().unwrap().iter();
    let methods = |path: &Value| path.as_object().unwrap().keys().cloned().collect();
    paths
        .map(|(name, path)| (name.clone(), methods(path)))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateway_describes_what_one_process_does() {
    let Some(kafka) = Kafka::find() else {
        eprintln!("{SKIPPED}");
        return;
    };
    let (one, many) = (Place::new().await, Place::over(kafka).await);
    let mut of_each = Vec::new();
    for place in [&one, &many] {
        let answer = place.client().get(&["openapi.json"], &[]).await.unwrap();
        of_each.push(described(&answer.json()));
    }
    assert!(of_each[0].contains_key("/v1/search"), "{of_each:?}");
    assert_eq!(of_each[0], of_each[1]);
}
