//! Instances of one stage: the later has the work, the earlier does no harm and takes nothing back.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod support;

use std::time::Duration;

use mneme_log::Fault;
use mneme_runtime::RunError;
use support::World;
use tokio_util::sync::CancellationToken;

#[tokio::test(start_paused = true)]
async fn an_instance_that_was_replaced_at_work_ends() {
    let mut world = World::started();
    world.model.dawdle("q", Duration::from_secs(10));
    world.say("a", "ask q").await;
    world.pass(10).await;
    // The first one waits for the answer, with nothing to commit before.
    let second = World::on(world.log.reopen());
    let second = tokio::spawn(second.runner().run(CancellationToken::new()));
    world.pass(60_000).await;
    let ended = world.ended().await;
    assert!(matches!(ended, Err(RunError::Fenced(_))), "{ended:?}");
    assert!(!second.is_finished());
    assert_eq!(world.said("a").await, ["ask q: 0 q!"]);
    world.say("a", "two").await;
    world.pass(10).await;
    assert_eq!(world.said("a").await, ["ask q: 0 q!", "two: 1"]);
}

#[tokio::test(start_paused = true)]
async fn an_instance_that_was_replaced_while_idle_stays_out() {
    let mut world = World::started();
    world.say("a", "one").await;
    world.pass(10).await;
    let second = World::on(world.log.reopen());
    let running = tokio::spawn(second.runner().run(CancellationToken::new()));
    world.pass(10).await;
    for number in 0..20 {
        world.say("a", &format!("n{number}")).await;
        world.pass(10).await;
    }
    assert!(
        !running.is_finished(),
        "the first one did not take the work back"
    );
    assert_eq!(world.said("a").await.len(), 21);
    assert_eq!(
        world.log.commits(),
        21,
        "one commit for each, and none in vain"
    );
    world.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_log_that_refuses_commits_does_not_keep_a_stage_from_ending() {
    for fault in [Fault::Retry, Fault::Abort] {
        let mut world = World::started();
        (1..100_000).for_each(|nth| world.log.fail_commit(nth, fault));
        world.say("a", "one").await;
        world.pass(600_000).await;
        let tries = world.log.commits();
        assert!(
            (100..300).contains(&tries),
            "it backs off: {tries} tries in ten minutes"
        );
        tokio::time::timeout(Duration::from_millis(1), world.stop())
            .await
            .unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_model_does_not_keep_a_stage_from_ending() {
    let mut world = World::started();
    world.model.dawdle("q", Duration::from_secs(1_000));
    world.say_all(&[("a", "ask q"), ("a", "two")]).await;
    world.pass(10).await;
    tokio::time::timeout(Duration::from_millis(1), world.stop())
        .await
        .unwrap();
    world.model.dawdle("q", Duration::ZERO);
    world.start();
    world.pass(10_000).await;
    assert_eq!(world.said("a").await, ["ask q: 0 q!", "two: 1"]);
}
