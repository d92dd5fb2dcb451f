//! Many clients write and search at once: none is refused, what one client wrote keeps its order,
//! and a name that several mention for the first time at one moment becomes one entity.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a panic is the report of a test"
)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use mneme_conformance::{Client, Kafka, SKIPPED};
use mneme_end_to_end::{Place, number_from};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::time::timeout;

const GROUPS: usize = 16;
const CLIENTS_OF_GROUP: usize = 4;

/// What the clients of a group share.
struct Group {
    name: String,
    /// All clients of the group begin each round together.
    round: Barrier,
    /// The round after which all stop.
    last_round: AtomicUsize,
}

/// A word without digits, so that no two are variants of one name.
fn word(mut number: usize) -> String {
    let mut word = String::from("Q");
    loop {
        word.push(char::from(b'a' + u8::try_from(number % 26).unwrap()));
        number /= 26;
        if number == 0 {
            return word;
        }
    }
}

/// The episode of a client's round: a mention of a firm that is new to the group in this round, and
/// where the client is now. All of the latter begin at one instant, so that of two the later in the
/// log holds: the last round's value is current only if the order was kept all the way.
fn episode(group: &str, client: usize, round: usize) -> Value {
    let walker = format!("Walker {}", word(client));
    let firm = format!("Newcomer {}", word(round));
    let minute = format!(
        "2024-01-{:02}T{:02}:{:02}:00Z",
        1 + round / 1440,
        round / 60 % 24,
        round % 60
    );
    json!({
        "group_id": group, "episode_id": format!("walker-{client}-{round}"),
        "thread_id": format!("thread-{client}"), "source": "facts", "reference_time": minute,
        "facts": [
            {"subject": walker, "subject_type": "Person", "relation": "VISITED", "object": firm,
             "object_type": "Organization", "fact": format!("{walker} visited {firm}")},
            {"subject": walker, "subject_type": "Person", "relation": "AT_ROUND",
             "value": round.to_string(), "fact": format!("{walker} is at round {round}"),
             "valid_at": "2024-01-01T00:00:00Z"},
        ],
    })
}

/// Waits for the other clients of the group, but not for one that has failed; true for one of them.
async fn together(group: &Group) -> bool {
    let all = timeout(Duration::from_secs(60), group.round.wait()).await;
    all.expect("another client of the group has failed")
        .is_leader()
}

/// Writes and searches round by round until the time is over, and returns the rounds done.
async fn walk(client: Arc<Client>, group: Arc<Group>, number: usize, until: Instant) -> usize {
    let mut round = 0;
    loop {
        let leads = together(&group).await;
        if leads && Instant::now() >= until {
            group.last_round.store(round, Ordering::Release);
        }
        together(&group).await;
        let added = client
            .add(&episode(&group.name, number, round))
            .await
            .unwrap();
        assert_eq!(added.status, 202, "{}", added.brief());
        let state = added.json()["state"].clone();
        assert_eq!(state, "done", "round {round}: {}", added.text);
        let query = json!({"group_ids": [group.name], "query": format!("who visited Newcomer {}", word(round)),
            "scopes": ["facts"]});
        let found = client
            .send(Method::POST, &["v1", "search"], &[], Some(&query))
            .await
            .unwrap();
        assert_eq!(found.status, 200, "{}", found.brief());
        assert_eq!(found.json()["partial"], json!([]), "{}", found.text);
        let own = format!("Walker {} visited Newcomer {}", word(number), word(round));
        let texts = found.json()["results"].as_array().unwrap().clone();
        assert!(
            texts.iter().any(|result| result["text"] == own),
            "{own} is not in {texts:?}"
        );
        round += 1;
        if round > group.last_round.load(Ordering::Acquire) {
            return round;
        }
    }
}

async fn read(client: &Client, group: &str, what: &str, query: &[(&str, String)]) -> Vec<Value> {
    let pages = client
        .all_pages(&["v1", "groups", group, what], query, what)
        .await
        .unwrap();
    pages.unwrap_or_else(|answer| panic!("{}", answer.brief()))
}

async fn check_group(client: &Client, group: &str, rounds: usize) {
    let entities = read(client, group, "entities", &[]).await;
    let names: BTreeSet<&str> = entities
        .iter()
        .map(|e| e["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names.len(),
        entities.len(),
        "a name has two entities in {group}"
    );
    assert_eq!(
        names.len(),
        CLIENTS_OF_GROUP + rounds,
        "entities of {group}"
    );
    let at = [("relation", "AT_ROUND".to_owned())];
    let at = read(client, group, "facts", &at).await;
    assert_eq!(at.len(), CLIENTS_OF_GROUP, "one round at a time in {group}");
    for fact in &at {
        assert_eq!(fact["object"]["value"], (rounds - 1).to_string(), "{fact}");
    }
    for number in 0..CLIENTS_OF_GROUP {
        let thread = format!("thread-{number}");
        let query = [("thread_id", thread), ("last", "1000".to_owned())];
        let listed = read(client, group, "episodes", &query).await;
        assert_eq!(listed.len(), rounds.min(1_000));
        let received: Vec<&str> = listed
            .iter()
            .map(|episode| episode["recorded_at"].as_str().unwrap())
            .collect();
        let in_order = listed.iter().rev().zip(rounds - listed.len()..);
        for (episode, round) in in_order {
            assert_eq!(episode["episode_id"], format!("walker-{number}-{round}"));
        }
        let instants: Vec<Instant6> = received.iter().rev().map(|text| instant(text)).collect();
        assert!(
            instants.is_sorted_by(|a, b| a < b),
            "received out of order: {received:?}"
        );
    }
}

/// Seconds and microseconds of a time in UTC, which order as time does.
type Instant6 = (String, u32);

fn instant(text: &str) -> Instant6 {
    let (second, fraction) = text
        .trim_end_matches('Z')
        .split_once('.')
        .unwrap_or((text, ""));
    let fraction = format!("{fraction:0<6}");
    (
        second.trim_end_matches('Z').to_owned(),
        fraction.trim_end_matches('Z').parse().unwrap(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_at_once_meet_no_error_and_keep_their_order() {
    clients_at_once(Place::new().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_at_once_meet_no_error_and_keep_their_order_over_kafka() {
    match Kafka::find() {
        Some(kafka) => clients_at_once(Place::over(kafka).await).await,
        None => eprintln!("{SKIPPED}"),
    }
}

async fn clients_at_once(place: Place) {
    let seconds = number_from("MNEME_CONCURRENCY_SECONDS", 10);
    let ontology = json!({"relations": {"AT_ROUND": {"cardinality": "one_per_subject"}}});
    let mut groups = Vec::new();
    for number in 0..GROUPS {
        let group = Arc::new(Group {
            name: format!("walk-{number}"),
            round: Barrier::new(CLIENTS_OF_GROUP),
            last_round: AtomicUsize::new(usize::MAX),
        });
        let path = ["v1", "groups", &group.name, "ontology"];
        let set = place
            .client()
            .write(Method::PUT, &path, Some(&ontology))
            .await
            .unwrap();
        assert!(set.is_success(), "{}", set.brief());
        groups.push(group);
    }
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut walks = Vec::new();
    for group in groups {
        for client in 0..CLIENTS_OF_GROUP {
            walks.push(tokio::spawn(walk(
                place.client(),
                group.clone(),
                client,
                until,
            )));
        }
    }
    let rounds: Vec<usize> = join_all(walks)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    for (number, rounds) in rounds.chunks(CLIENTS_OF_GROUP).enumerate() {
        assert!(
            rounds.iter().all(|&round| round == rounds[0] && round > 1),
            "{rounds:?}"
        );
        check_group(&place.client(), &format!("walk-{number}"), rounds[0]).await;
    }
    println!(
        "{} episodes written, as many searches",
        rounds.iter().sum::<usize>()
    );
}
