//! Groups that wait for a model: nothing is lost, the order is kept, and they go on by themselves.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod support;

use std::time::Duration;

use mneme_events::{Event, Topic};
use mneme_log::EventLog;
use mneme_runtime::{AnswerError, STILL_ANSWERING};
use support::{Loss, World, events, group};

fn transient(retry_after: Option<Duration>) -> AnswerError {
    AnswerError::Transient {
        reason: "503".to_owned(),
        retry_after,
    }
}

fn operator() -> AnswerError {
    AnswerError::Operator("401".to_owned())
}

/// The reason that the first record is parked for.
async fn reason(world: &World) -> String {
    match events(&world.log, Topic::Parked).await.swap_remove(0) {
        Event::RecordParked(parked) => parked.reason,
        other => panic!("{}", other.kind().name()),
    }
}

#[tokio::test(start_paused = true)]
async fn a_waiting_group_goes_on_by_itself_and_in_order() {
    for error in [transient(None), operator()] {
        let mut world = World::started();
        world.model.fail("q", error);
        world
            .say_all(&[("a", "one"), ("a", "ask q"), ("b", "one"), ("a", "two")])
            .await;
        world.pass(10_000).await;
        world.say("a", "three").await;
        world.say("b", "two").await;
        world.pass(10_000).await;
        assert_eq!(world.said("a").await, ["one: 0"]);
        assert_eq!(world.said("b").await, ["one: 0", "two: 1"]);
        assert_eq!(world.parked("a").await, 3);

        world.model.heal();
        world.pass(60_000).await;
        assert_eq!(
            world.said("a").await,
            ["one: 0", "ask q: 1 q!", "two: 2", "three: 3"]
        );
        assert_eq!((world.parked("a").await, world.model.asked("q")), (0, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn an_alone_group_waits_with_the_reason() {
    let mut world = World::started();
    world.model.fail("q", operator());
    world.say("a", "ask q").await;
    world.pass(10).await;
    assert_eq!(reason(&world).await, "401");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_group_goes_on_after_a_restart() {
    for loss in [Loss::Nothing, Loss::Everything, Loss::Last(1)] {
        let mut world = World::started();
        world.model.fail("q", operator());
        world.say_all(&[("a", "ask q"), ("a", "two")]).await;
        world.pass(10).await;
        world.restart(loss).await;
        world.say("a", "three").await;
        world.pass(10).await;
        assert_eq!(world.said("a").await, [""; 0]);
        world.model.heal();
        world.pass(60_000).await;
        assert_eq!(world.said("a").await, ["ask q: 0 q!", "two: 1", "three: 2"]);
        assert_eq!((world.parked("a").await, world.model.asked("q")), (0, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_group_waits_as_long_as_the_model_asks_for() {
    let mut world = World::started();
    world
        .model
        .fail("q", transient(Some(Duration::from_secs(100))));
    world.say("a", "ask q").await;
    world.pass(10).await;
    world.model.heal();
    world.pass(99_000).await;
    assert_eq!(world.said("a").await, [""; 0]);
    world.pass(2_000).await;
    assert_eq!(world.said("a").await, ["ask q: 0 q!"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_for_good_reaches_the_stage_and_the_group_goes_on() {
    let mut world = World::started();
    world
        .model
        .fail("q", AnswerError::Permanent("refused".to_owned()));
    world
        .say_all(&[("a", "one"), ("a", "ask q"), ("a", "two")])
        .await;
    world.pass(10).await;
    assert_eq!(world.said("a").await, ["one: 0", "ask q failed", "two: 2"]);
    let letters = events(&world.log, Topic::DeadLetters).await;
    let [Event::DeadLettered(letter)] = letters.as_slice() else {
        panic!("one dead letter")
    };
    assert_eq!(
        (letter.kind.as_str(), letter.reason.as_str()),
        ("extraction", "refused")
    );
    assert_eq!(letter.source_offset, 1);
}

#[tokio::test(start_paused = true)]
async fn groups_are_asked_for_side_by_side_and_each_keeps_its_order() {
    let mut world = World::new();
    let groups: Vec<String> = (0..6).map(|number| format!("g{number}")).collect();
    let mut bodies = Vec::new();
    for round in 0..5 {
        for (number, of) in groups.iter().enumerate() {
            let question = format!("{of}.{round}");
            let pause = Duration::from_millis(100 * (1 + (number as u64 * 7 + round * 3) % 5));
            world.model.dawdle(&question, pause);
            bodies.push((of.as_str(), format!("ask {question}")));
        }
    }
    let bodies: Vec<(&str, &str)> = bodies
        .iter()
        .map(|(of, body)| (*of, body.as_str()))
        .collect();
    world.say_all(&bodies).await;
    world.start();
    world.pass(2_000).await;
    for of in &groups {
        let expected: Vec<String> = (0..5)
            .map(|round| format!("ask {of}.{round}: {round} {of}.{round}!"))
            .collect();
        assert_eq!(world.said(of).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_group_does_not_hold_up_the_others() {
    let mut world = World::new();
    world.model.dawdle("slow", Duration::from_secs(30));
    world
        .say_all(&[("a", "ask slow"), ("a", "two"), ("b", "one")])
        .await;
    world.start();
    world.pass(250).await;
    assert_eq!(world.said("b").await, ["one: 0"]);
    assert_eq!(reason(&world).await, STILL_ANSWERING);
    world.say_all(&[("a", "three"), ("b", "two")]).await;
    world.pass(250).await;
    assert_eq!(world.said("b").await, ["one: 0", "two: 1"]);
    assert_eq!(world.said("a").await, [""; 0]);
    world.pass(29_550).await;
    assert_eq!(
        world.said("a").await,
        ["ask slow: 0 slow!", "two: 1", "three: 2"]
    );
    assert_eq!(
        world.model.asked("slow"),
        1,
        "the answer under way was not thrown away"
    );
    assert_eq!(world.parked("a").await, 0);
}

#[tokio::test(start_paused = true)]
async fn what_a_group_has_finished_is_committed_while_it_waits() {
    let mut world = World::new();
    world.model.dawdle("slow", Duration::from_secs(30));
    world.say_all(&[("a", "ask fast"), ("a", "ask slow")]).await;
    world.start();
    world.pass(250).await;
    assert_eq!(world.said("a").await, ["ask fast: 0 fast!"]);
}

#[tokio::test(start_paused = true)]
async fn reading_stops_while_too_much_waits_for_slow_answers() {
    let mut world = World::new();
    (world.config.most_answering, world.config.max_inputs) = (5, 3);
    world.model.dawdle("slow", Duration::from_secs(30));
    world.say_all(&[("a", "ask slow"), ("b", "one")]).await;
    world.start();
    world.pass(1_000).await;
    for number in 0..40 {
        world.say("a", &format!("n{number}")).await;
        world.pass(10).await;
    }
    let partition = world.log.partition_of(&group("a"));
    let read = world
        .log
        .position("probe", Topic::Episodes, partition)
        .await
        .unwrap();
    assert!((5..=8).contains(&read), "it read {read}");
    world.pass(60_000).await;
    assert_eq!(world.said("a").await.len(), 41);
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_models_client_is_a_failure_to_answer() {
    let mut world = World::started();
    world.model.panic_once("q");
    world.say_all(&[("a", "ask q"), ("b", "one")]).await;
    world.pass(500).await;
    assert_eq!(world.said("b").await, ["one: 0"]);
    assert_eq!(world.parked("a").await, 1);
    world.pass(1_000).await;
    assert_eq!(world.said("a").await, ["ask q: 0 q!"]);
}

#[tokio::test(start_paused = true)]
async fn that_a_model_is_away_is_told_of_all_that_waited_for_a_slow_one() {
    let mut world = World::started();
    world.model.fail("q", transient(None));
    world
        .say_all(&[("a", "ask q"), ("a", "two"), ("b", "one")])
        .await;
    world.pass(500).await;
    assert_eq!(world.reasons("a").await, [STILL_ANSWERING, STILL_ANSWERING]);
    world.pass(9_500).await;
    let reasons = world.reasons("a").await;
    assert!(
        reasons.len() == 2 && reasons.iter().all(|reason| reason.contains("503")),
        "{reasons:?}"
    );
    let told = events(&world.log, Topic::Parked).await.len();
    world.pass(600_000).await;
    let told_later = events(&world.log, Topic::Parked).await.len();
    assert_eq!(told, told_later, "it is told once");
    world.restart(Loss::Everything).await;
    world.model.heal();
    world.pass(120_000).await;
    assert_eq!(world.said("a").await, ["ask q: 0 q!", "two: 1"]);
    assert_eq!(world.parked("a").await, 0);
}
