use tokio::time::timeout;

use super::*;

/// Whether it is the answer of an open circuit, and how long that says to wait.
fn left_alone(answer: Result<Answer, AnswerError>) -> Option<Duration> {
    match answer {
        Err(AnswerError::Transient {
            reason,
            retry_after,
        }) if reason.contains("left alone") => retry_after,
        _ => None,
    }
}

fn breaking() -> GuardSettings {
    GuardSettings {
        failures_to_open: 3,
        open_for: 30 * SECOND,
        ..Default::default()
    }
}

#[tokio::test(start_paused = true)]
async fn failures_in_a_row_open_the_circuit_and_one_trial_closes_it() {
    let model = Model::new(SECOND, (0..3).map(|_| transient(None)));
    let guarded = guarded(&model, breaking());
    for _ in 0..3 {
        assert_eq!(ask(&guarded).await, Err(transient(None)));
    }
    advance(10 * SECOND).await;
    let began = Instant::now();
    assert_eq!(left_alone(ask(&guarded).await), Some(20 * SECOND));
    assert_eq!((model.calls(), began.elapsed()), (3, Duration::ZERO));

    advance(20 * SECOND).await;
    let answers = join_all((0..5).map(|_| ask(&guarded))).await;
    assert!(answers[0].is_ok());
    assert!(
        answers
            .into_iter()
            .skip(1)
            .all(|answer| left_alone(answer).is_some())
    );
    assert_eq!(model.calls(), 4);
    assert!(ask(&guarded).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_failed_trial_opens_the_circuit_again() {
    let model = Model::new(Duration::ZERO, (0..4).map(|_| transient(None)));
    let guarded = guarded(&model, breaking());
    for _ in 0..3 {
        ask(&guarded).await.unwrap_err();
    }
    advance(30 * SECOND).await;
    assert_eq!(ask(&guarded).await, Err(transient(None)));
    assert_eq!(left_alone(ask(&guarded).await), Some(30 * SECOND));
    advance(30 * SECOND).await;
    assert!(ask(&guarded).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_trial_leaves_the_way_to_another() {
    let model = Model::new(10 * SECOND, (0..3).map(|_| transient(None)));
    let guarded = guarded(&model, breaking());
    for _ in 0..3 {
        ask(&guarded).await.unwrap_err();
    }
    advance(30 * SECOND).await;
    timeout(SECOND, ask(&guarded)).await.unwrap_err();
    assert!(ask(&guarded).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn other_failures_and_times_to_wait_open_nothing() {
    let others = [
        AnswerError::Operator("401".to_owned()),
        AnswerError::Permanent("no".to_owned()),
    ];
    let mut ordered = Vec::new();
    for other in others {
        ordered.extend([transient(None), transient(None), other]);
    }
    ordered.extend((0..5).map(|_| transient(Some(SECOND))));
    let count = ordered.len();
    let model = Model::new(Duration::ZERO, ordered);
    let guarded = guarded(&model, breaking());
    for _ in 0..count {
        ask(&guarded).await.unwrap_err();
    }
    assert!(ask(&guarded).await.is_ok());
    assert_eq!(model.calls(), count + 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_from_before_it_opened_says_nothing() {
    let model = Model::new(SECOND, (0..3).map(|_| transient(None)));
    let guarded = guarded(&model, breaking());
    // Three fail and open it; the fourth began with them and is answered after that.
    let mut answers = join_all((0..4).map(|_| ask(&guarded))).await;
    assert!(answers.pop().unwrap().is_ok());
    assert_eq!(left_alone(ask(&guarded).await), Some(30 * SECOND));
}
