//! An id is accepted once, whatever happens at the same time, before the projections and after a
//! restart.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mneme_api::UpTo;
use mneme_events::{Event, EventKind};
use mneme_gateway::GatewayConfig;
use mneme_log::Fault;
use mneme_stores::EpisodeState;
use serde_json::{Value, json};
use support::{World, fact, text};

async fn kinds(world: &World) -> Vec<EventKind> {
    let events = world.events().await;
    events.iter().map(|event| event.kind()).collect()
}

fn first() -> Value {
    fact("call-1", "Lars Bech", "LIVES_IN", "Ribe")
}

fn other() -> Value {
    fact("call-1", "Lars Bech", "LIVES_IN", "Vejle")
}

#[tokio::test]
async fn a_repeat_is_answered_and_other_content_is_a_conflict_before_and_after_projection() {
    let world = World::new();
    let (status, answer) = world.add(first()).await;
    assert_eq!(
        (status, answer),
        (
            202,
            json!({"group_id": "g", "episode_id": "call-1", "state": "accepted", "duplicate": false})
        )
    );
    for state in ["accepted", "done"] {
        let (status, answer) = world.add(first()).await;
        assert_eq!(
            (status, &answer["duplicate"], &answer["state"]),
            (202, &json!(true), &json!(state))
        );
        let (status, answer) = world.add(other()).await;
        assert_eq!(
            (status, &answer["code"], &answer["field"]),
            (409, &json!("conflict"), &json!("episode_id"))
        );
        world.projector.project().await;
    }
    let mut elsewhere = other();
    elsewhere["group_id"] = json!("h");
    assert_eq!(world.add(elsewhere).await.0, 202);
    assert_eq!(kinds(&world).await, [EventKind::EpisodeReceived; 2]);
}

#[tokio::test]
async fn a_restarted_gateway_knows_what_the_graph_does_not_have() {
    let world = World::new();
    world.add(first()).await;
    world.projector.project().await;
    world.add(fact("call-2", "Ann", "LIKES", "tea")).await;
    world.add(fact("call-3", "Ann", "LIKES", "tea")).await;
    world.delete("/v1/groups/g/episodes/call-3").await;
    world.delete("/v1/groups/g/episodes/call-1").await;
    let world = world.restarted();
    let (_, answer) = world.add(fact("call-2", "Ann", "LIKES", "tea")).await;
    assert_eq!(answer["duplicate"], true);
    assert_eq!(
        world.add(fact("call-2", "Ann", "LIKES", "ale")).await.0,
        409
    );
    for body in [other(), fact("call-3", "Ann", "LIKES", "ale")] {
        let (status, answer) = world.add(body).await;
        assert_eq!((status, &answer["duplicate"]), (202, &json!(false)));
    }
}

#[tokio::test]
async fn an_erased_id_may_be_sent_again_and_is_another_event() {
    let world = World::new();
    for projected in [false, true] {
        let before = world.events().await.len();
        world.add(first()).await;
        if projected {
            world.projector.project().await;
        }
        let (status, answer) = world.delete("/v1/groups/g/episodes/call-1").await;
        assert_eq!((status, answer), (202, json!({"state": "erasing"})));
        assert_eq!(world.delete("/v1/groups/g/episodes/call-1").await.0, 404);
        let (status, answer) = world.add(first()).await;
        assert_eq!((status, &answer["duplicate"]), (202, &json!(false)));
        assert_eq!(
            world
                .delete("/v1/groups/g/episodes/call-1?wait=applied")
                .await,
            (202, json!({"state": "erased"}))
        );
        assert_eq!(world.events().await.len(), before + 4);
    }
    let events = world.events().await;
    let ids: BTreeSet<_> = events.iter().map(|event| event.header().event_id).collect();
    assert_eq!(ids.len(), events.len());
    assert_eq!(world.delete("/v1/groups/g/episodes/nosuch").await.0, 404);
}

#[tokio::test]
async fn an_erased_group_forgets_its_ids() {
    let world = World::new();
    world.add(first()).await;
    world.projector.project().await;
    world.add(fact("call-2", "Ann", "LIKES", "tea")).await;
    let (status, answer) = world.delete("/v1/groups/g").await;
    assert_eq!((status, answer), (202, json!({"state": "erasing"})));
    for body in [other(), fact("call-2", "Ann", "LIKES", "ale")] {
        let (status, answer) = world.add(body).await;
        assert_eq!((status, &answer["duplicate"]), (202, &json!(false)));
    }
    assert_eq!(
        world.delete("/v1/groups/g?wait=applied").await,
        (202, json!({"state": "erased"}))
    );
    assert_eq!(world.delete("/v1/groups/g/episodes/call-1").await.0, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_send_one_id_at_once_one_is_accepted() {
    let world = World::new();
    for round in 0..20 {
        let id = format!("call-{round}");
        let bodies: Vec<Value> = (0..16)
            .map(|n| fact(&id, "Ann", "LIKES", if n % 2 == 0 { "tea" } else { "ale" }))
            .collect();
        let answers =
            futures::future::join_all(bodies.into_iter().map(|body| world.add(body))).await;
        let with = |duplicate| {
            let is = |(status, answer): &&(u16, Value)| {
                *status == 202 && answer["duplicate"] == duplicate
            };
            answers.iter().filter(is).count()
        };
        assert_eq!((with(false), with(true)), (1, 7));
        assert_eq!(
            answers.iter().filter(|(status, _)| *status == 409).count(),
            8
        );
        assert_eq!(world.events().await.len(), round + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn instants_of_reception_grow_in_the_order_of_the_log() {
    let world = World::new();
    let sends = (0..500).map(|n| world.add(fact(&n.to_string(), "Ann", "LIKES", "tea")));
    let answers = futures::future::join_all(sends).await;
    assert!(answers.iter().all(|(status, _)| *status == 202));
    let events = world.events().await;
    assert_eq!(events.len(), 500);
    let instants: Vec<_> = events
        .iter()
        .map(|event| event.header().recorded_at)
        .collect();
    assert!(instants.is_sorted_by(|a, b| a < b));
}

#[tokio::test]
async fn what_the_log_does_not_take_is_not_remembered() {
    let world = World::new();
    world.log.fail_append(1, Fault::Retry);
    let (status, answer) = world.add(first()).await;
    assert_eq!((status, &answer["retry_after"]), (503, &json!(1)));
    let (status, answer) = world.add(other()).await;
    assert_eq!((status, &answer["duplicate"]), (202, &json!(false)));
}

#[tokio::test]
async fn memory_is_bounded_by_the_lag_of_the_graph() {
    let world = World::with(GatewayConfig {
        unprojected_max: 3,
        ..GatewayConfig::default()
    });
    for id in ["a", "b", "c"] {
        assert_eq!(world.add(text(id, "late")).await.0, 202);
    }
    assert_eq!(world.add(text("d", "late")).await.0, 503);
    world.projector.project().await;
    assert_eq!(world.add(text("d", "late")).await.0, 202);
    let (_, answer) = world.add(text("a", "late")).await;
    assert_eq!(answer["duplicate"], true);
}

#[tokio::test(start_paused = true)]
async fn no_change_is_called_applied_while_the_group_is_held() {
    let world = World::new();
    world.add(first()).await;
    world.graph.set_held("g", true);
    let erase = "/v1/groups/g/episodes/call-1?wait=applied";
    let (status, answer) = world.delete(erase).await;
    assert_eq!((status, &answer["code"]), (504, &json!("timeout")));

    world.projector.asked.lock().unwrap().clear();
    let frees = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        world.graph.set_held("g", false);
    };
    let (answer, ()) = tokio::join!(world.delete("/v1/groups/g?wait=applied"), frees);
    assert_eq!(answer, (202, json!({"state": "erased"})));
    let asked = std::mem::take(&mut *world.projector.asked.lock().unwrap());
    let (last, before) = asked.split_last().unwrap();
    assert_eq!(*last, UpTo::Communities, "the whole chain, once it is free");
    assert!(before.len() > 2 && before.iter().all(|asked| *asked == UpTo::Facts));

    world.projector.holds.store(true, Ordering::SeqCst);
    let (status, _) = world.delete("/v1/groups/g?wait=applied").await;
    assert_eq!(status, 504, "held on the rest of the chain");
}

#[tokio::test(start_paused = true)]
async fn an_episode_is_waited_for_while_a_question_is_under_way() {
    let world = World::new();
    let path = "/v1/episodes?wait=applied";
    let body = fact("slow", "Ann", "LIKES", "tea");
    world.graph.set_state("g", "slow", EpisodeState::Accepted);
    assert_eq!(world.post(path, body.clone()).await.0, 504);

    let answered = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        world.graph.set_state("g", "slow", EpisodeState::Done);
    };
    let ((status, answer), ()) = tokio::join!(world.post(path, body.clone()), answered);
    assert_eq!((status, &answer["state"]), (202, &json!("done")));
    let asked = world.projector.asked.lock().unwrap().last().copied();
    assert_eq!(asked, Some(UpTo::FactsAnew), "the other stores are asked");

    world.graph.set_state("g", "slow", EpisodeState::Accepted);
    let ((status, answer), _) = tokio::join!(world.post(path, body), world.delete("/v1/groups/g"));
    let erased = (202, &json!("accepted"));
    assert_eq!((status, &answer["state"]), erased, "nothing more will come");
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_applied_or_when_the_episode_waits_or_in_time() {
    let world = World::new();
    let (status, answer) = world.post("/v1/episodes?wait=applied", first()).await;
    assert_eq!((status, &answer["state"]), (202, &json!("done")));
    world.stall(true);
    let (status, answer) = world
        .post(
            "/v1/episodes?wait=applied&timeout_ms=2000",
            text("e", "late"),
        )
        .await;
    assert_eq!((status, &answer["code"]), (504, &json!("timeout")));
    // So does one whose question is merely under way.
    world.graph.set_state("g", "e", EpisodeState::Accepted);
    let (status, _) = world
        .post(
            "/v1/episodes?wait=applied&timeout_ms=2000",
            text("e", "late"),
        )
        .await;
    assert_eq!(status, 504);
    world.graph.set_state("g", "e", EpisodeState::Waiting);
    let (status, answer) = world
        .post("/v1/episodes?wait=applied", text("e", "late"))
        .await;
    assert_eq!(
        (status, &answer["state"], &answer["duplicate"]),
        (202, &json!("waiting"), &json!(true))
    );
    for query in [
        "wait=soon",
        "timeout_ms=600001",
        "timeout_ms=x",
        "colour=mauve",
    ] {
        let (status, answer) = world.post(&format!("/v1/episodes?{query}"), first()).await;
        assert_eq!(
            (status, &answer["code"]),
            (400, &json!("invalid_field")),
            "{query}"
        );
    }
}

#[tokio::test]
async fn the_header_is_that_of_an_event_from_outside() {
    let world = World::new();
    world.add(first()).await;
    let events = world.events().await;
    let header = events[0].header();
    assert_eq!((header.seq, header.cause), (0, None));
    let Event::EpisodeReceived(received) = &*events[0] else {
        panic!("another event")
    };
    assert_eq!(received.episode.digest.len(), 32);
}
