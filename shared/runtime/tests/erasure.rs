//! The erasure of a group is taken at once, and what was held of the group is never taken after it.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod support;

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
