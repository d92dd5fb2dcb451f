//! What a model answered once is never asked again.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod support;

use std::time::Duration;

use mneme_events::{Event, EventHeader, InferenceRecorded, Topic};
use mneme_log::{EventLog, Fault, NewRecord};
use mneme_runtime::AnswerError;
use support::{Loss, World, events, group, group_erased, header, question};

const LOSSES: [Loss; 3] = [Loss::Nothing, Loss::Everything, Loss::Last(1)];

fn operator() -> AnswerError {
    AnswerError::Operator("401".to_owned())
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_used_again_also_after_a_restart() {
    for loss in LOSSES {
        let mut world = World::started();
        world.say_all(&[("a", "ask q"), ("a", "ask q")]).await;
        world.pass(10).await;
        world.say("a", "ask q").await;
        world.pass(10).await;
        world.restart(loss).await;
        world.say("a", "ask q").await;
        world.pass(10).await;
        let expected: Vec<String> = (0..4).map(|number| format!("ask q: {number} q!")).collect();
        assert_eq!(world.said("a").await, expected);
        assert_eq!(world.model.asked("q"), 1);
        assert_eq!(events(&world.log, Topic::Inferences).await.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn groups_share_no_answer() {
    let mut world = World::started();
    world.say_all(&[("a", "ask q"), ("b", "ask q")]).await;
    world.pass(10).await;
    assert_eq!(world.model.asked("q"), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_answered_before_another_question_failed_is_kept() {
    for loss in LOSSES {
        for body in ["ask good, bad", "ask good bad", "ask bad good"] {
            let mut world = World::started();
            world.model.fail("bad", operator());
            world.say_all(&[("a", "one"), ("a", body)]).await;
            world.pass(10).await;
            assert_eq!(world.said("a").await, ["one: 0"]);
            world.restart(loss).await;
            world.pass(10_000).await;
            world.model.heal();
            world.pass(60_000).await;
            assert_eq!(world.said("a").await.len(), 2, "{body}");
            assert_eq!(world.model.asked("good"), 1, "{body}, {loss:?}");
            assert_eq!(world.model.asked("bad"), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_answered_before_a_bug_is_kept() {
    let mut world = World::started();
    world.model.fail("bad", operator());
    world.say_all(&[("a", "ask good, bad"), ("a", "bug")]).await;
    world.pass(10).await;
    world.model.heal();
    world.pass(60_000).await;
    assert_eq!(world.said("a").await, ["ask good, bad: 0 good! bad!"]);
    world.probe.mend();
    world.ask_release("a").await;
    world.pass(10).await;
    assert_eq!(world.said("a").await.len(), 2);
    assert_eq!(world.model.asked("good"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failed_commit_pays_for_nothing_again() {
    for fault in [Fault::Retry, Fault::Abort] {
        let mut world = World::new();
        world
            .say_all(&[("a", "ask q"), ("a", "ask r, s"), ("b", "ask q")])
            .await;
        (1..4).for_each(|nth| world.log.fail_commit(nth, fault));
        world.start();
        world.pass(1_000).await;
        assert_eq!(world.said("a").await, ["ask q: 0 q!", "ask r, s: 1 r! s!"]);
        let asked = ["q", "r", "s"].map(|question| world.model.asked(question));
        assert_eq!(asked, [2, 1, 1], "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_were_committed_survive_a_crash_at_any_commit() {
    for (nth, fault) in [
        (1, Fault::CrashAfter),
        (2, Fault::CrashBefore),
        (2, Fault::CrashAfter),
    ] {
        for loss in LOSSES {
            let mut world = World::started();
            world.log.fail_commit(nth, fault);
            world.say("a", "ask q").await;
            world.pass(10).await;
            if !world.log.has_crashed() {
                world.say("a", "ask q, r").await;
                world.pass(10).await;
            }
            world.ended().await.unwrap_err();
            world.state.lose(loss);
            world.start();
            world.say("a", "ask q").await;
            world.pass(10).await;
            assert_eq!(world.model.asked("q"), 1, "{fault:?} at {nth}, {loss:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_answers_of_an_erased_group_are_forgotten_for_good() {
    for loss in LOSSES {
        let mut world = World::started();
        world.say_all(&[("a", "ask q"), ("b", "ask q")]).await;
        world.pass(10).await;
        world.erase("a").await;
        world.pass(10).await;
        world.restart(loss).await;
        world.pass(10).await;
        let rows = world.state.rows(&group("a"));
        assert!(
            rows.iter().all(|(key, _)| !key.starts_with(b"\0answer")),
            "{loss:?}"
        );
        world.say_all(&[("a", "ask q"), ("b", "ask q")]).await;
        world.pass(10).await;
        assert_eq!(
            world.model.asked("q"),
            3,
            "once before and once after, and once for b"
        );
        world.restart(loss).await;
        world.say("a", "ask q").await;
        world.pass(10).await;
        assert_eq!(world.model.asked("q"), 3);
        assert_eq!(world.said("a").await.len(), 4);
    }
}

#[tokio::test(start_paused = true)]
async fn questions_of_one_round_are_asked_side_by_side() {
    let mut world = World::new();
    for question in ["x", "y", "z"] {
        world.model.dawdle(question, Duration::from_secs(1));
    }
    world.say("a", "ask x y z x").await;
    world.start();
    world.pass(1_010).await;
    assert_eq!(world.said("a").await, ["ask x y z x: 0 x! y! z! x!"]);
    assert_eq!(world.model.asked("x"), 1);
}

#[tokio::test(start_paused = true)]
async fn what_other_stages_record_changes_nothing() {
    let mut world = World::started();
    let foreign = |event: Event| NewRecord::new(Topic::Inferences, event);
    let answered = InferenceRecorded {
        header: caused(header("a", 900)),
        request_digest: question("q").digest(),
        model: "other".to_owned(),
        answer: b"other".to_vec(),
    };
    world
        .log
        .append(vec![foreign(answered.into())])
        .await
        .unwrap();
    world.restart(Loss::Everything).await;
    world.say("a", "ask q").await;
    world.pass(10).await;
    assert_eq!(world.said("a").await, ["ask q: 0 q!"]);

    let erased = group_erased(caused(header("a", 901)));
    world.log.append(vec![foreign(erased)]).await.unwrap();
    world.restart(Loss::Everything).await;
    world.say("a", "ask q").await;
    world.pass(10).await;
    assert_eq!(world.model.asked("q"), 1);
}

fn caused(header: EventHeader) -> EventHeader {
    EventHeader {
        cause: Some(header.event_id),
        ..header
    }
}
