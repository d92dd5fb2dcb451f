//! The erasure of a group is taken at once, and what was held of the group is never taken after it.
//! Nor is an episode that was erased while its group was paused.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod support;

use std::time::Duration;

use mneme_runtime::AnswerError;
use support::{Loss, World};

#[tokio::test(start_paused = true)]
async fn the_erasure_of_a_parked_group_frees_it() {
    for loss in [Loss::Nothing, Loss::Everything] {
        let mut world = World::started();
        world
            .say_all(&[("a", "one"), ("a", "bug"), ("a", "secret")])
            .await;
        world.pass(10).await;
        world
            .say_all(&[("a", "late"), ("a", "erase"), ("a", "new")])
            .await;
        world.pass(10).await;
        world.say("a", "newer").await;
        world.pass(10).await;
        let expected = ["one: 0", "erased", "new: 1", "newer: 2"];
        assert_eq!(world.said("a").await, expected);
        assert_eq!(world.parked("a").await, 0, "nothing is left behind");

        world.probe.mend();
        world.restart(loss).await;
        world.ask_release("a").await;
        world.pass(600_000).await;
        assert_eq!(world.said("a").await, expected, "what was held is void");
    }
}

#[tokio::test(start_paused = true)]
async fn the_erasure_in_the_batch_of_the_bug_frees_the_group() {
    let mut world = World::new();
    world
        .say_all(&[
            ("a", "one"),
            ("a", "bug"),
            ("a", "two"),
            ("a", "erase"),
            ("a", "new"),
        ])
        .await;
    world.start();
    world.pass(10).await;
    assert_eq!(world.said("a").await, ["one: 0", "erased", "new: 1"]);
    assert_eq!(world.parked("a").await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_bug_after_the_erasure_parks_what_is_new() {
    let mut world = World::started();
    world.say_all(&[("a", "bug"), ("a", "old")]).await;
    world.pass(10).await;
    world
        .say_all(&[("a", "erase"), ("a", "one"), ("a", "panic"), ("a", "two")])
        .await;
    world.pass(10).await;
    assert_eq!(world.said("a").await, ["erased", "one: 1"]);
    assert_eq!(world.parked("a").await, 2);
    world.probe.mend();
    world.restart(Loss::Nothing).await;
    world.ask_release("a").await;
    world.pass(10).await;
    assert_eq!(
        world.said("a").await,
        ["erased", "one: 1", "panic: 2", "two: 3"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_erasure_of_a_waiting_group_frees_it() {
    let mut world = World::started();
    world
        .model
        .fail("q", AnswerError::Operator("401".to_owned()));
    world.say_all(&[("a", "ask q"), ("a", "secret")]).await;
    world.pass(10).await;
    world.erase("a").await;
    world.say("a", "new").await;
    world.pass(10).await;
    world.model.heal();
    world.restart(Loss::Everything).await;
    world.pass(600_000).await;
    assert_eq!(world.said("a").await, ["erased", "new: 1"]);
    assert_eq!((world.parked("a").await, world.model.asked("q")), (0, 0));
}

/// A model refuses `q`.
fn refuse(world: &World) {
    let refusal = AnswerError::Operator("401".to_owned());
    world.model.fail("q", refusal);
}

#[tokio::test(start_paused = true)]
async fn the_erasure_of_the_episode_that_a_group_waits_for_frees_it() {
    let mut world = World::started();
    refuse(&world);
    world.say_all(&[("a", "ask q"), ("a", "ask r")]).await;
    world.pass(10).await;
    world.say_all(&[("a", "erase ask q"), ("a", "new")]).await;
    world.pass(10).await;
    let expected = ["ask r: 0 r!", "ask q erased", "new: 2"];
    assert_eq!(world.said("a").await, expected, "at once");
    assert_eq!(world.parked("a").await, 0, "nothing is left behind");

    world.model.heal();
    world.restart(Loss::Everything).await;
    world.pass(600_000).await;
    assert_eq!(world.said("a").await, expected);
    assert_eq!(world.model.asked("q"), 0);
}

#[tokio::test(start_paused = true)]
async fn an_episode_that_is_erased_behind_another_is_not_asked_about() {
    for loss in [Loss::Nothing, Loss::Everything] {
        let mut world = World::started();
        refuse(&world);
        world
            .say_all(&[("a", "ask q"), ("a", "ask r"), ("a", "erase ask r")])
            .await;
        world.say_all(&[("a", "ask r")]).await;
        world.pass(10).await;
        assert!(world.said("a").await.is_empty());

        world.restart(loss).await;
        world.model.heal();
        world.pass(600_000).await;
        let expected = ["ask q: 0 q!", "ask r erased", "ask r: 2 r!"];
        assert_eq!(world.said("a").await, expected, "what came after it counts");
        assert_eq!((world.parked("a").await, world.model.asked("r")), (0, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn the_erasure_of_the_episode_that_a_group_is_parked_for_frees_it() {
    let mut world = World::started();
    world.say_all(&[("a", "bug"), ("a", "two")]).await;
    world.pass(10).await;
    world.say_all(&[("a", "erase bug"), ("a", "three")]).await;
    world.pass(10).await;
    assert_eq!(world.said("a").await, ["two: 0", "bug erased", "three: 2"]);
    assert_eq!(world.parked("a").await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_question_under_way_about_an_erased_episode_is_ended() {
    let mut world = World::started();
    world.model.dawdle("q", Duration::from_secs(30));
    world
        .say_all(&[("b", "first"), ("a", "ask q"), ("a", "one")])
        .await;
    world.pass(1_000).await;
    assert_eq!(world.parked("a").await, 2);
    world.say_all(&[("a", "erase ask q")]).await;
    world.pass(10).await;
    let expected = ["one: 0", "ask q erased"];
    assert_eq!(world.said("a").await, expected);
    world.pass(600_000).await;
    assert_eq!(world.said("a").await, expected);
    assert_eq!((world.parked("a").await, world.model.answered("q")), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn what_a_freed_group_waits_for_next_is_told() {
    let mut world = World::started();
    refuse(&world);
    world.say_all(&[("a", "bug"), ("a", "ask q")]).await;
    world.pass(10).await;
    world.say_all(&[("a", "erase bug")]).await;
    world.pass(10).await;
    assert_eq!(
        world.held("a").await,
        [(true, "401".to_owned()), (true, "401".to_owned())]
    );
}
