//! What a memory makes of its input does not depend on the log: Kafka with twelve partitions and
//! processes for all roles, or the embedded one with a single partition and one process. The input is
//! the example company, and groups in which much is corrected, merged and erased.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::path::Path;

use futures::future::join_all;
use mneme_chaos::{Topics, digests_are_equal, servers, undisturbed};
use mneme_conformance::{Client, Kafka};
use mneme_end_to_end::{Dice, Place, episodes, ontology};
use mneme_events::Topic;
use reqwest::Method;
use serde_json::{Value, json};

const GROUPS: usize = 10;
const EPISODES: usize = 120;
const COMPANY: &str = "tidelamp";

async fn write(client: &Client, method: Method, path: &[&str], body: Option<&Value>) {
    let answer = client.write(method, path, body).await.unwrap();
    assert!(answer.is_success(), "{path:?}: {}", answer.brief());
}

async fn add_all(client: &Client, episodes: &[Value]) {
    for some in episodes.chunks(50) {
        let path = ["v1", "episodes", "batch"];
        let body = json!({"episodes": some});
        write(client, Method::POST, &path, Some(&body)).await;
    }
}

fn company(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/company");
    std::fs::read_to_string(folder.join(file)).unwrap()
}

/// The example, as its demonstration has it.
async fn add_company(client: &Client) {
    let group = ["v1", "groups", COMPANY];
    let path = [&group[..], &["ontology"]].concat();
    let ontology = serde_json::from_str(&company("ontology.json")).unwrap();
    write(client, Method::PUT, &path, Some(&ontology)).await;
    for file in ["episodes-1.jsonl", "episodes-2.jsonl"] {
        let text = company(file);
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let episodes: Vec<Value> = lines.collect();
        add_all(client, &episodes).await;
    }
    let demo: Value = serde_json::from_str(&company("demo.json")).unwrap();
    for step in demo["steps"].as_array().unwrap() {
        if let Some(body) = step.get("correct") {
            let path = [&group[..], &["corrections"]].concat();
            write(client, Method::POST, &path, Some(body)).await;
        }
        if let Some(episode) = step.get("erase_episode") {
            let path = [&group[..], &["episodes", episode.as_str().unwrap()]].concat();
            write(client, Method::DELETE, &path, None).await;
        }
    }
}

/// A group in which people change employers and cities, and then some of it is taken back.
async fn add_group(client: &Client, number: usize) {
    let name = format!("same-{number}");
    let group = ["v1", "groups", &name];
    let path = [&group[..], &["ontology"]].concat();
    write(client, Method::PUT, &path, Some(&ontology())).await;
    let mut own: Vec<Value> = episodes(EPISODES)
        .into_iter()
        .skip(number)
        .step_by(GROUPS)
        .collect();
    for episode in &mut own {
        episode["group_id"] = name.clone().into();
    }
    add_all(client, &own).await;
    let mut dice = Dice::new(number as u64);
    let first = own[0]["facts"][0].clone();
    let fact = [&first["subject"], &first["relation"], &first["object"]];
    let body = json!({"fact": fact, "set": {"object": format!("Quay {number}")}});
    let path = [&group[..], &["corrections"]].concat();
    write(client, Method::POST, &path, Some(&body)).await;
    let people = own.iter().map(|episode| &episode["facts"][0]["subject"]);
    let mut people: Vec<&str> = people.filter_map(Value::as_str).collect();
    people.sort_unstable();
    people.dedup();
    if let [one, other, ..] = people[..] {
        let path = [&group[..], &["merge"]].concat();
        let body = json!({"from": one, "into": other});
        write(client, Method::POST, &path, Some(&body)).await;
    }
    for episode in own.iter().skip(1).filter(|_| dice.below(4) == 0) {
        let id = episode["episode_id"].as_str().unwrap();
        let path = [&group[..], &["episodes", id]].concat();
        write(client, Method::DELETE, &path, None).await;
    }
    // One goes as a whole, and something comes after it.
    if number == 0 {
        write(client, Method::DELETE, &group, None).await;
        add_all(client, &own[..2]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_input_gives_the_same_digests() {
    let Some(kafka) = servers() else { return };
    let kafka = Kafka {
        partitions: 12,
        ..kafka
    };
    let place = Place::over(kafka.clone()).await;
    let client = place.client();
    let groups = (0..GROUPS).map(|number| add_group(&client, number));
    futures::join!(add_company(&client), join_all(groups));
    let topics = Topics::read(&kafka, place.server.namespace().unwrap()).await;
    assert!(topics.of(Topic::Episodes).count() > EPISODES + 200);
    topics.are_counted_without_gap_or_repeat();
    let embedded = undisturbed(&topics).await;
    digests_are_equal(&client, &embedded.client()).await;
    for place in [&place, &embedded] {
        let base = place.client().base();
        let verified = place.mneme(&["verify", "--url", &base]).await;
        assert!(verified.status.success(), "{verified:?}");
    }
}
