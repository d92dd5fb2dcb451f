//! What could not be taken is kept, shown, and taken again when it is asked for, once; what was erased
//! since stays erased. On the embedded log, and over Kafka where there are servers.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a panic is the report of a test"
)]

use std::time::Duration;

use mneme_conformance::{Answer, Kafka, SKIPPED};
use mneme_end_to_end::{Place, Setup};
use reqwest::Method;
use serde_json::{Value, json};

const GROUP: &str = "letters";

fn message(id: &str) -> Value {
    json!({
        "group_id": GROUP, "episode_id": id, "source": "message",
        "reference_time": "2026-01-05T10:00:00Z", "author": {"name": "Ann Lee"},
        "body": format!("Ann Lee works at Acme, says {id}."),
    })
}

fn refused(ids: &[&str]) -> Value {
    let refusal = |id: &&str| (format!("{GROUP}/{id}"), json!({"refused": "too long"}));
    Value::Object(ids.iter().map(refusal).collect())
}

async fn send(place: &Place, method: Method, path: &[&str]) -> Answer {
    let path = [&["v1", "admin", "dlq"][..], path].concat();
    let body = (method == Method::POST).then(|| json!({}));
    let client = place.client();
    client
        .send(method, &path, &[], body.as_ref())
        .await
        .unwrap()
}

/// The open letters, the newest first.
async fn letters(place: &Place) -> Vec<Value> {
    let answer = send(place, Method::GET, &[]).await;
    assert_eq!(answer.status, 200, "{}", answer.brief());
    answer.json()["letters"].as_array().unwrap().clone()
}

async fn state(place: &Place, episode: &str) -> String {
    let path = ["v1", "groups", GROUP, "episodes", episode];
    let answer = place.client().get(&path, &[]).await.unwrap();
    answer.json()["state"].as_str().unwrap_or("none").to_owned()
}

/// Waits until something is as wanted.
async fn until<F: Future<Output = bool>>(what: &str, is: impl Fn() -> F) {
    for _ in 0..300 {
        if is().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it is never so: {what}");
}

fn id_of(letter: &Value) -> &str {
    letter["id"].as_str().unwrap()
}

async fn a_refused_episode_is_taken_again(kafka: Option<Kafka>) {
    let setup = Setup {
        kafka,
        stub: Some(refused(&["e1", "e2"])),
        ..Setup::default()
    };
    let place = Place::set_up(tempfile::tempdir().unwrap(), setup).await;
    let client = place.client();
    for id in ["e1", "e2", "e3"] {
        let added = client.add(&message(id)).await.unwrap();
        assert_eq!(added.status, 202, "{}", added.brief());
    }
    let listed = letters(&place).await;
    assert_eq!(listed.len(), 2, "{listed:?}");
    let [of_e2, of_e1] = [&listed[0], &listed[1]];
    assert_eq!(of_e1["kind"], "extraction");
    assert_eq!(of_e1["stage"], "extractor");
    assert_eq!(of_e1["reason"], "too long");
    assert_eq!(of_e1["group_id"], GROUP);
    assert_eq!(of_e1["source_topic"], "mneme.episodes.v1");
    assert_eq!(of_e1["attempts"], 1);
    assert!(of_e1["source_partition"].is_number(), "{of_e1}");
    assert!(of_e1["version"].is_string(), "{of_e1}");
    assert!(!of_e1.to_string().contains("Acme"), "content in a list");

    let shown = send(&place, Method::GET, &[id_of(of_e1)]).await.json();
    assert_eq!(shown["content"]["event"], "EpisodeReceived");
    let body = &shown["content"]["fields"]["episode"]["body"];
    assert_eq!(body, "Ann Lee works at Acme, says e1.");
    assert_eq!(shown["source_key"]["text"], GROUP);

    // The model still refuses: there is a new letter, and the old one is used up.
    let old = id_of(of_e1).to_owned();
    let replayed = send(&place, Method::POST, &[&old, "replay"]).await;
    assert_eq!(replayed.status, 200, "{}", replayed.brief());
    until("a new letter", async || {
        let listed = letters(&place).await;
        listed.len() == 2 && listed.iter().all(|letter| id_of(letter) != old)
    })
    .await;
    let again = send(&place, Method::POST, &[&old, "replay"]).await;
    assert_eq!(again.status, 409, "{}", again.brief());

    // What was erased is not brought back.
    let path = ["v1", "groups", GROUP, "episodes", "e2"];
    let erased = client.write(Method::DELETE, &path, None).await.unwrap();
    assert!(erased.is_success(), "{}", erased.brief());
    let back = send(&place, Method::POST, &[id_of(of_e2), "replay"]).await;
    assert_eq!(back.status, 409, "{}", back.brief());
    assert!(back.text.contains("erased"), "{}", back.brief());

    let hidden = send(&place, Method::GET, &[id_of(of_e2)]).await.json();
    assert_eq!(hidden["content"], json!({"erased": true}));

    // The model takes it now.
    place.set_stub(&json!({}));
    place.server.restart().await.unwrap();
    let new = letters(&place).await;
    let new = new.iter().find(|letter| id_of(letter) != id_of(of_e2));
    let replayed = send(&place, Method::POST, &[id_of(new.unwrap()), "replay"]).await;
    assert_eq!(replayed.status, 200, "{}", replayed.brief());
    until("the episode is done", async || {
        state(&place, "e1").await == "done"
    })
    .await;
    assert_eq!(state(&place, "e2").await, "none");
    assert_eq!(state(&place, "e3").await, "done");

    for (id, status) in [
        ("no-id", 400),
        ("6fa1f7a2-6a3c-5b0e-9d6e-0c1b7f3f5a11", 404),
    ] {
        for (method, path) in [(Method::GET, &[id][..]), (Method::POST, &[id, "replay"])] {
            let answer = send(&place, method, path).await;
            assert_eq!(answer.status, status, "{id}: {}", answer.brief());
        }
    }
    assert!(place.server.stop().await.unwrap().success());
}

/// An episode whose model is away waits, says so, and is taken when the model is back, in its order.
async fn a_waiting_episode_is_taken_when_it_can_be(kafka: Option<Kafka>) {
    let away = json!({"away": "the model is being moved"});
    let setup = Setup {
        kafka,
        stub: Some(json!({ format!("{GROUP}/e1"): away })),
        ..Setup::default()
    };
    let place = Place::set_up(tempfile::tempdir().unwrap(), setup).await;
    for id in ["e1", "e2"] {
        let added = place.client().add(&message(id)).await.unwrap();
        assert_eq!(added.status, 202, "{}", added.brief());
        assert_eq!(added.json()["state"], "waiting", "{id}: {}", added.text);
    }
    let path = ["v1", "groups", GROUP, "episodes", "e1"];
    let found = place.client().get(&path, &[]).await.unwrap().json();
    let reason = found["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("the model is being moved"), "{found}");
    let held = letters(&place).await;
    let kinds: Vec<&Value> = held.iter().map(|letter| &letter["kind"]).collect();
    assert_eq!(kinds, ["waiting", "waiting"], "{held:?}");
    let shown = send(&place, Method::GET, &[id_of(&held[0])]).await.json();
    let body = &shown["content"]["fields"]["episode"]["body"];
    assert_eq!(body, "Ann Lee works at Acme, says e2.");

    place.set_stub(&json!({}));
    place.server.restart().await.unwrap();
    for id in ["e1", "e2"] {
        until("the episode is done", async || {
            state(&place, id).await == "done"
        })
        .await;
    }
    assert_eq!(letters(&place).await, Vec::<Value>::new());
    assert!(place.server.stop().await.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_episode_is_taken_when_it_can_be_on_the_embedded_log() {
    a_waiting_episode_is_taken_when_it_can_be(None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_episode_is_taken_when_it_can_be_over_kafka() {
    match Kafka::find() {
        Some(kafka) => a_waiting_episode_is_taken_when_it_can_be(Some(kafka)).await,
        None => eprintln!("{SKIPPED}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_episode_is_taken_again_on_the_embedded_log() {
    a_refused_episode_is_taken_again(None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_episode_is_taken_again_over_kafka() {
    match Kafka::find() {
        Some(kafka) => a_refused_episode_is_taken_again(Some(kafka)).await,
        None => eprintln!("{SKIPPED}"),
    }
}
