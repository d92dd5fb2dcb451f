mod circuit;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::join_all;
use mneme_stage::InferenceKind;
use tokio::time::advance;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Gives what was ordered, and after that answers; each call takes a while.
#[derive(Default)]
struct Model {
    ordered: Mutex<VecDeque<AnswerError>>,
    takes: Duration,
    starts: Mutex<Vec<Instant>>,
    under_way: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Answerer for Arc<Model> {
    async fn answer(&self, _: &Inference) -> Result<Answer, AnswerError> {
        self.starts.lock().unwrap().push(Instant::now());
        let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(self.takes).await;
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        match self.ordered.lock().unwrap().pop_front() {
            Some(failure) => Err(failure),
            None => Ok(Answer {
                model: "m".to_owned(),
                bytes: Vec::new(),
            }),
        }
    }
}

impl Model {
    fn new(takes: Duration, ordered: impl IntoIterator<Item = AnswerError>) -> Arc<Self> {
        let ordered = Mutex::new(ordered.into_iter().collect());
        Arc::new(Self {
            ordered,
            takes,
            ..Self::default()
        })
    }

    fn calls(&self) -> usize {
        self.starts.lock().unwrap().len()
    }
}

fn transient(retry_after: Option<Duration>) -> AnswerError {
    AnswerError::Transient {
        reason: "503".to_owned(),
        retry_after,
    }
}

fn guarded(model: &Arc<Model>, settings: GuardSettings) -> Guarded<Arc<Model>> {
    Guarded::new(Arc::clone(model), settings)
}

fn question() -> Inference {
    let (version, request) = ("1".to_owned(), "{}".to_owned());
    Inference {
        kind: InferenceKind::Judge,
        version,
        request,
    }
}

async fn ask(guarded: &Guarded<Arc<Model>>) -> Result<Answer, AnswerError> {
    guarded.answer(&question()).await
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_than_allowed_are_under_way() {
    let model = Model::new(SECOND, []);
    let guarded = guarded(
        &model,
        GuardSettings {
            concurrency: 3,
            ..Default::default()
        },
    );
    let began = Instant::now();
    let answers = join_all((0..10).map(|_| ask(&guarded))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(model.most.load(Ordering::SeqCst), 3);
    assert_eq!(began.elapsed(), 4 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn no_call_starts_before_the_time_that_the_model_gave() {
    let model = Model::new(Duration::ZERO, [transient(Some(4 * SECOND))]);
    let guarded = guarded(&model, GuardSettings::default());
    let began = Instant::now();
    assert_eq!(ask(&guarded).await, Err(transient(Some(4 * SECOND))));
    let answers = join_all((0..20).map(|_| ask(&guarded))).await;
    assert!(answers.iter().all(Result::is_ok));
    let starts = model.starts.lock().unwrap();
    assert_eq!(starts.len(), 21);
    assert!(starts[1..].iter().all(|start| *start >= began + 4 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn a_failure_while_others_wait_puts_them_off_too() {
    let waits = [transient(Some(SECOND)), transient(Some(3 * SECOND))];
    let model = Model::new(Duration::ZERO, waits);
    let one_by_one = GuardSettings {
        concurrency: 1,
        ..Default::default()
    };
    let guarded = guarded(&model, one_by_one);
    let began = Instant::now();
    let answers = join_all((0..3).map(|_| ask(&guarded))).await;
    assert!(answers[2].is_ok());
    let starts: Vec<_> = model
        .starts
        .lock()
        .unwrap()
        .iter()
        .map(|at| *at - began)
        .collect();
    assert_eq!(starts, [Duration::ZERO, SECOND, 4 * SECOND]);
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_is_told_and_not_waited_for() {
    let model = Model::new(Duration::ZERO, [transient(Some(3_600 * SECOND))]);
    let guarded = guarded(&model, GuardSettings::default());
    ask(&guarded).await.unwrap_err();
    let began = Instant::now();
    let AnswerError::Transient { retry_after, .. } = ask(&guarded).await.unwrap_err() else {
        panic!("it is transient");
    };
    assert_eq!(
        (retry_after, began.elapsed()),
        (Some(600 * SECOND), Duration::ZERO)
    );
    assert_eq!(model.calls(), 1);
    advance(600 * SECOND).await;
    assert!(ask(&guarded).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn calls_are_spaced() {
    let model = Model::new(Duration::ZERO, []);
    let calls_per_minute = NonZeroU32::new(120);
    let guarded = guarded(
        &model,
        GuardSettings {
            calls_per_minute,
            ..Default::default()
        },
    );
    let began = Instant::now();
    join_all((0..5).map(|_| ask(&guarded))).await;
    assert_eq!(began.elapsed(), 2 * SECOND);
}
