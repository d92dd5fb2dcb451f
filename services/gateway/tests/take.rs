//! Raw records taken by a mapping: what becomes of each, and in which order.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use mneme_api::ProblemCode;
use mneme_events::Event;
use mneme_gateway::intake::{Mappings, read_record};
use mneme_gateway::{Found, Gateway, GatewayConfig, Lookup, ProjectedRecords, Records, Taken};
use mneme_model::SystemClock;
use mneme_stores::StoreError;
use serde_json::{Value, json};
use support::World;
use tokio::sync::Semaphore;

const MAPPINGS: &str = include_str!("../../../examples/company/intake.toml");

/// Answers nothing about one episode while it is away, and nothing before its gate is open.
struct Moody {
    records: ProjectedRecords,
    episode: &'static str,
    is_away: AtomicBool,
    gate: Semaphore,
}

#[async_trait]
impl Records for Moody {
    async fn look_up(&self, lookup: Lookup) -> Result<Found, StoreError> {
        if let Lookup::Episode(_, episode) = &lookup
            && episode.as_str() == self.episode
        {
            let _open = self.gate.acquire().await;
            if self.is_away.load(Ordering::SeqCst) {
                return Err(StoreError::Unavailable("it is away".to_owned()));
            }
        }
        self.records.look_up(lookup).await
    }
}

/// A gateway on a world that may not answer about the episode of message 2.
fn moody(world: &World) -> (Gateway, Arc<Moody>) {
    let generation = Arc::new(AtomicU32::new(1));
    let records = Arc::new(Moody {
        records: ProjectedRecords::new(world.graph.clone(), generation),
        episode: "chat-7-2",
        is_away: AtomicBool::new(true),
        gate: Semaphore::new(1),
    });
    let gateway = Gateway::new(
        GatewayConfig::default(),
        Arc::new(world.log.clone()),
        records.clone(),
        world.projector.clone(),
        Arc::new(SystemClock::default()),
        Mappings::parse(MAPPINGS).unwrap(),
    );
    (gateway, records)
}

fn message(workspace: &str, id: u32, text: &str) -> Value {
    json!({
        "workspace": workspace, "id": id, "channel": {"id": 7, "name": "team"}, "text": text,
        "user": {"id": 1, "display_name": "Ann Lee"}, "ts": "2026-03-01T09:00:00Z",
    })
}

async fn ids(world: &World) -> Vec<String> {
    let events = world.events().await;
    let id = |event: &Arc<Event>| match event.as_ref() {
        Event::EpisodeReceived(received) => {
            let group = &received.header.group_id;
            Some(format!("{group} {}", received.episode.episode_id))
        }
        _ => None,
    };
    events.iter().filter_map(id).collect()
}

#[tokio::test]
async fn each_record_has_its_own_fate() {
    let world = World::new();
    let (gateway, records) = moody(&world);
    records.is_away.store(false, Ordering::SeqCst);
    let mapping = gateway.mapping("chat.messages").unwrap();
    let mut nameless = message("acme", 3, "Hm.");
    nameless["channel"]["id"] = Value::Null;
    let given = [
        message("acme", 1, "Good morning."),
        message("acme", 1, "Good morning."),
        message("acme", 1, "Good night."),
        nameless,
        json!("no message"),
        message("acme", 4, ""),
        message("acme", 5, "The last one."),
    ];
    let taken = gateway.take(mapping, &given).await;
    assert_eq!(taken[0], Taken::Accepted);
    assert_eq!(taken[1], Taken::Duplicate);
    let codes = [
        (2, ProblemCode::Conflict, Some("acme")),
        (3, ProblemCode::InvalidField, Some("acme")),
        (4, ProblemCode::InvalidField, None),
        (5, ProblemCode::InvalidField, Some("acme")),
    ];
    for (index, code, group) in codes {
        let Taken::Refused { group_id, problem } = &taken[index] else {
            unreachable!("{:?}", taken[index]);
        };
        assert_eq!(problem.code, code, "{problem}");
        assert_eq!(group_id.as_ref().map(|group| group.as_str()), group);
    }
    assert_eq!(taken[6], Taken::Accepted);
    assert_eq!(ids(&world).await, ["acme chat-7-1", "acme chat-7-5"]);
}

#[tokio::test]
async fn what_comes_after_a_record_that_waits_waits_too() {
    let world = World::new();
    let (gateway, records) = moody(&world);
    let mapping = gateway.mapping("chat-message").unwrap();
    let given = [
        message("acme", 1, "One."),
        message("acme", 2, "Two."),
        message("acme", 3, "Three."),
        message("other", 1, "Elsewhere."),
        // Its id is decided on in a second round.
        message("acme", 2, "Two."),
    ];
    let taken = gateway.take(mapping, &given).await;
    let waits = |taken: &Taken| matches!(taken, Taken::NotNow(_));
    let waiting: Vec<bool> = taken.iter().map(waits).collect();
    assert_eq!(waiting, [false, true, true, false, true]);

    records.is_away.store(false, Ordering::SeqCst);
    let taken = gateway.take(mapping, &given[1..3]).await;
    assert_eq!(taken, [Taken::Accepted, Taken::Accepted]);
    let of_acme = ids(&world).await;
    let of_acme: Vec<&String> = of_acme.iter().filter(|id| id.starts_with("acme")).collect();
    assert_eq!(of_acme, ["acme chat-7-1", "acme chat-7-2", "acme chat-7-3"]);
}

#[tokio::test]
async fn what_comes_after_an_id_that_another_decides_on_waits_for_it() {
    let world = World::new();
    let (gateway, records) = moody(&world);
    records.is_away.store(false, Ordering::SeqCst);
    records.gate.forget_permits(1);
    let mapping = gateway.mapping("chat-message").unwrap();
    let first = [message("acme", 2, "Two.")];
    let both = [message("acme", 2, "Two."), message("acme", 3, "Three.")];
    let opening = async {
        // Both have begun, and the first is being decided on.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(ids(&world).await, Vec::<String>::new());
        records.gate.add_permits(1);
    };
    let (of_first, of_both, ()) = tokio::join!(
        gateway.take(mapping, &first),
        gateway.take(mapping, &both),
        opening
    );
    assert_eq!(of_first, [Taken::Accepted]);
    assert_eq!(of_both, [Taken::Duplicate, Taken::Accepted]);
    assert_eq!(ids(&world).await, ["acme chat-7-2", "acme chat-7-3"]);
}

#[test]
fn a_record_is_read_as_the_body_of_a_request_is() {
    assert_eq!(read_record(b"{\"a\": 1}").unwrap(), json!({"a": 1}));
    let broken = read_record(b"{\"secret\": tru").unwrap_err();
    assert_eq!(broken.detail, "the record is no JSON");
    let number = read_record(b"{\"secret\": 123456789012345678901234567890}");
    let number = number.unwrap_err().detail;
    assert!(
        number.contains("digits") && !number.contains("123"),
        "{number}"
    );
}
