//! What a group holds, without what differs between two runs of the same import (ids that derive
//! from the log's own, and the instants of receipt).

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use mneme_conformance::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

/// The group's facts of every interval with their sources, its entities, and the state of each of
/// its episodes (at most 1,000 of them), each in a fixed order.
pub async fn content(client: &Client, group: &str) -> BTreeMap<&'static str, BTreeSet<String>> {
    let past = [("include_past", "true".to_owned())];
    let facts = list(client, group, "facts", &past).await;
    let facts = facts.iter().map(|fact| {
        let sources: Vec<&Value> = array(&fact["sources"]).map(|s| &s["episode_id"]).collect();
        json!([
            fact["subject"]["name"],
            fact["relation"],
            fact["object"]["name"],
            fact["object"]["value"],
            fact["valid_at"],
            fact["invalid_at"],
            fact["precision"],
            sources,
        ])
    });
    let entities = list(client, group, "entities", &[]).await;
    let entities = entities
        .iter()
        .map(|entity| json!([entity["name"], entity["type"], entity["aliases"]]));
    let last = [("last", "1000".to_owned())];
    let episodes = list(client, group, "episodes", &last).await;
    let episodes = episodes
        .iter()
        .map(|episode| json!([episode["episode_id"], episode["state"], episode["notes"]]));
    [
        ("facts", distinct(facts)),
        ("entities", distinct(entities)),
        ("episodes", distinct(episodes)),
    ]
    .into()
}

/// Waits until every episode of the group is done and there are so many; panics after a minute
/// without one more.
pub async fn every_episode_is_done(client: &Client, group: &str, count: usize) {
    let last = [("last", "1000".to_owned())];
    let mut done = 0;
    let mut since = Instant::now();
    loop {
        let episodes = list(client, group, "episodes", &last).await;
        let now = episodes
            .iter()
            .filter(|episode| episode["state"] == "done")
            .count();
        if now == count && episodes.len() == count {
            return;
        }
        if now != done {
            (done, since) = (now, Instant::now());
        }
        let undone = episodes.iter().find(|episode| episode["state"] != "done");
        let stuck = since.elapsed() > Duration::from_secs(60);
        assert!(
            !stuck,
            "{group}: {now} of {count} done, {} listed, {undone:?}",
            episodes.len()
        );
        sleep(Duration::from_millis(50)).await;
    }
}

async fn list(client: &Client, group: &str, what: &str, query: &[(&str, String)]) -> Vec<Value> {
    let pages = client
        .all_pages(&["v1", "groups", group, what], query, what)
        .await
        .unwrap();
    pages.unwrap_or_else(|answer| panic!("{what} of {group}: {}", answer.brief()))
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The rows as text; the same row twice is a fault of its own.
fn distinct(rows: impl Iterator<Item = Value>) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    for row in rows {
        let text = row.to_string();
        assert!(!set.contains(&text), "twice there: {text}");
        set.insert(text);
    }
    set
}
