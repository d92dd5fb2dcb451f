//! What can't be taken: records that don't decode, bugs of stages, and the ways out.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod support;

use std::collections::HashSet;

use mneme_events::{Event, Topic};
use mneme_log::{EventLog, Fault};
use support::{Loss, World, events, group};

/// A group of the other partition than `a` is on.
fn elsewhere(world: &World) -> String {
    let names = (0..).map(|number| format!("other{number}"));
    let here = world.log.partition_of(&group("a"));
    names
        .into_iter()
        .find(|name| world.log.partition_of(&group(name)) != here)
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_record_that_does_not_decode_is_a_dead_letter_and_the_rest_goes_on() {
    let mut world = World::new();
    let other = elsewhere(&world);
    for of in ["a", &other] {
        world.say(of, "before").await;
        world
            .log
            .append_raw(Topic::Episodes, &group(of), b"no event".to_vec())
            .await
            .unwrap();
        world.say(of, "after").await;
    }
    world.start();
    world.pass(10).await;
    assert_eq!(world.said("a").await, ["before: 0", "after: 1"]);
    let letters = events(&world.log, Topic::DeadLetters).await;
    for letter in &letters {
        let Event::DeadLettered(letter) = letter else {
            panic!("no dead letter")
        };
        assert_eq!(
            (letter.stage.as_str(), letter.kind.as_str()),
            ("probe", "undecodable")
        );
        assert_eq!(
            (letter.source_topic.as_str(), letter.source_offset),
            ("mneme.episodes.v1", 1)
        );
        assert_eq!(letter.payload, b"no event");
        let partition = world.log.partition_of(&letter.header.group_id);
        assert_eq!(letter.source_partition, i32::try_from(partition).ok());
        assert_eq!(letter.attempts, Some(1));
    }
    let ids: HashSet<_> = letters
        .iter()
        .map(|letter| letter.header().event_id)
        .collect();
    assert_eq!(
        (letters.len(), ids.len()),
        (2, 2),
        "each place has its own letter"
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_commit_writes_no_second_dead_letter() {
    let mut world = World::new();
    world
        .log
        .append_raw(Topic::Episodes, &group("a"), b"no event".to_vec())
        .await
        .unwrap();
    world.log.fail_commit(1, Fault::Abort);
    world.log.fail_commit(2, Fault::Retry);
    world.start();
    world.pass(1_000).await;
    assert_eq!(events(&world.log, Topic::DeadLetters).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_bug_parks_the_group_and_a_request_releases_it_in_order() {
    for fails in ["bug", "panic", "half"] {
        let mut world = World::started();
        world
            .say_all(&[("a", "one"), ("a", fails), ("b", "one"), ("a", "two")])
            .await;
        world.pass(10).await;
        world.say("a", "three").await;
        world.say("b", "two").await;
        world.pass(600_000).await;
        assert_eq!(world.said("a").await, ["one: 0"]);
        assert_eq!(world.said("b").await, ["one: 0", "two: 1"]);
        assert_eq!(world.parked("a").await, 3);

        world.ask_release("a").await;
        world.pass(10).await;
        assert_eq!(world.said("a").await, ["one: 0"], "it is not mended yet");
        assert_eq!(world.parked("a").await, 3);

        world.probe.mend();
        world.pass(600_000).await;
        assert_eq!(world.said("a").await, ["one: 0"], "nobody asked");
        world.ask_release("a").await;
        world.pass(10).await;
        world.say("a", "four").await;
        world.pass(10).await;
        let (expected, last) = match fails {
            "half" => (vec!["one: 0", "half: 1", "half: 1"], 3),
            fails => (
                vec!["one: 0", if fails == "bug" { "bug: 1" } else { "panic: 1" }],
                2,
            ),
        };
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        for (place, body) in ["two", "three", "four"].iter().enumerate() {
            expected.push(format!("{body}: {}", last + place));
        }
        assert_eq!(world.said("a").await, expected, "{fails}");
        assert_eq!(world.parked("a").await, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_bug_that_shows_late_leaves_nothing_in_the_rows() {
    let mut world = World::started();
    world
        .say_all(&[("a", "one"), ("a", "half"), ("a", "two")])
        .await;
    world.pass(10).await;
    let rows = world.state.rows(&group("a"));
    world.restart(Loss::Everything).await;
    world.pass(10).await;
    assert_eq!(
        world.state.rows(&group("a")),
        rows,
        "the rows are the fold of the outputs"
    );
}

#[tokio::test(start_paused = true)]
async fn a_parked_group_stays_parked_after_any_restart() {
    for loss in [Loss::Nothing, Loss::Everything, Loss::Last(1)] {
        let mut world = World::started();
        world.say("a", "bug").await;
        world.pass(10).await;
        world.restart(loss).await;
        world.say("a", "two").await;
        world.pass(10).await;
        world.restart(loss).await;
        world.pass(10).await;
        assert_eq!(world.said("a").await, [""; 0]);
        world.probe.mend();
        world.ask_release("a").await;
        world.pass(10).await;
        assert_eq!(world.said("a").await, ["bug: 0", "two: 1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_came_while_the_stage_was_down_is_heard() {
    let mut world = World::started();
    world.say_all(&[("a", "bug"), ("a", "two")]).await;
    world.pass(10).await;
    world.stop().await;
    world.probe.mend();
    world.ask_release("a").await;
    world.start();
    world.pass(10).await;
    assert_eq!(world.said("a").await, ["bug: 0", "two: 1"]);
}

#[tokio::test(start_paused = true)]
async fn more_records_than_a_batch_holds_are_released_in_order() {
    let mut world = World::new();
    world.config.max_inputs = 3;
    world.say("a", "bug").await;
    for number in 0..10 {
        world.say("a", &format!("n{number}")).await;
    }
    world.start();
    world.pass(10).await;
    assert_eq!(world.parked("a").await, 11);
    world.probe.mend();
    world.ask_release("a").await;
    world.pass(10).await;
    let mut expected = vec!["bug: 0".to_owned()];
    expected.extend((0..10).map(|number| format!("n{number}: {}", number + 1)));
    assert_eq!(world.said("a").await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_release_survives_a_failure_at_its_commit() {
    for fault in [
        Fault::Retry,
        Fault::Abort,
        Fault::CrashBefore,
        Fault::CrashAfter,
    ] {
        let mut world = World::started();
        world.say_all(&[("a", "bug"), ("a", "two")]).await;
        world.pass(10).await;
        world.probe.mend();
        world.log.fail_commit(1, fault);
        world.ask_release("a").await;
        world.pass(1_000).await;
        if world.log.has_crashed() {
            world.ended().await.unwrap_err();
            world.start();
            world.pass(1_000).await;
        }
        assert_eq!(world.said("a").await, ["bug: 0", "two: 1"], "{fault:?}");
        assert_eq!(world.parked("a").await, 0, "{fault:?}");
    }
}
