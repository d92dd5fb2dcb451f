//! The questions under way. A question goes on when its group is made to wait, and its answer lies
//! here until it is committed: so none is paid for twice because a batch was closed or aborted.
//! Questions of different groups never share an answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use mneme_model::GroupId;
use mneme_stage::Inference;
use mneme_telemetry::metric;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use crate::answers::{Answer, AnswerError, Answerer};

/// An answer, once it is there.
pub(crate) type Awaited = Shared<BoxFuture<'static, Result<Answer, AnswerError>>>;

struct Question {
    answer: Awaited,
    _asking: AbortOnDropHandle<()>,
}

pub(crate) struct Desk {
    stage: &'static str,
    answerer: Arc<dyn Answerer>,
    patience: Duration,
    questions: Mutex<HashMap<GroupId, HashMap<String, Question>>>,
    answered: mpsc::UnboundedSender<GroupId>,
}

/// Says that a question of a group is no longer under way, however that came.
struct Tell(mpsc::UnboundedSender<GroupId>, GroupId);

impl Drop for Tell {
    fn drop(&mut self) {
        // Without a listener the runner is gone.
        let _ = self.0.send(self.1.clone());
    }
}

impl Desk {
    /// A desk, and where it tells of groups with an answer or a failure.
    pub fn new(
        stage: &'static str,
        answerer: Arc<dyn Answerer>,
        patience: Duration,
    ) -> (Self, mpsc::UnboundedReceiver<GroupId>) {
        let (answered, heard) = mpsc::unbounded_channel();
        (
            Self {
                stage,
                answerer,
                patience,
                questions: Mutex::default(),
                answered,
            },
            heard,
        )
    }

    /// Asks, unless the question is under way or answered.
    pub fn ask(&self, group: &GroupId, digest: &str, inference: &Inference) -> Awaited {
        let mut questions = self.questions();
        let questions = questions.entry(group.clone()).or_default();
        if let Some(question) = questions.get(digest) {
            return question.answer.clone();
        }
        let (sender, receiver) = oneshot::channel();
        let tell = Tell(self.answered.clone(), group.clone());
        let (answerer, stage, patience) = (Arc::clone(&self.answerer), self.stage, self.patience);
        let inference = inference.clone();
        let asking = tokio::spawn(async move {
            // Dropped last first: the answer, or its absence, is there before it is told of.
            let _tell = tell;
            let sender = sender;
            let _ = sender.send(ask(answerer.as_ref(), stage, &inference, patience).await);
        });
        let answer = async move {
            receiver.await.unwrap_or_else(|_| {
                let reason = "the client of the model failed".to_owned();
                Err(AnswerError::Transient {
                    reason,
                    retry_after: None,
                })
            })
        };
        let answer = answer.boxed().shared();
        let _asking = AbortOnDropHandle::new(asking);
        questions.insert(
            digest.to_owned(),
            Question {
                answer: answer.clone(),
                _asking,
            },
        );
        answer
    }

    /// Forgets a question, which was recorded or failed.
    pub fn settle(&self, group: &GroupId, digest: &str) {
        let mut questions = self.questions();
        if let Some(of_group) = questions.get_mut(group) {
            of_group.remove(digest);
            if of_group.is_empty() {
                questions.remove(group);
            }
        }
    }

    /// Ends and forgets all questions of a group.
    pub fn forget(&self, group: &GroupId) {
        self.questions().remove(group);
    }

    fn questions(&self) -> MutexGuard<'_, HashMap<GroupId, HashMap<String, Question>>> {
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks, and asks again after transient failures, for as long as `patience` lasts.
async fn ask(
    answerer: &dyn Answerer,
    stage: &'static str,
    inference: &Inference,
    patience: Duration,
) -> Result<Answer, AnswerError> {
    let started = tokio::time::Instant::now();
    let mut pauses = ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(100))
        .with_jitter()
        .without_max_times()
        .build();
    loop {
        metrics::counter!(metric::INFERENCES, "stage" => stage).increment(1);
        let (reason, retry_after) = match answerer.answer(inference).await {
            Err(AnswerError::Transient {
                reason,
                retry_after,
            }) => (reason, retry_after),
            other => return other,
        };
        let pause = pauses
            .next()
            .unwrap_or(patience)
            .max(retry_after.unwrap_or_default());
        if started.elapsed() + pause > patience {
            return Err(AnswerError::Transient {
                reason,
                retry_after,
            });
        }
        tokio::time::sleep(pause).await;
        metrics::counter!(metric::INFERENCE_RETRIES, "stage" => stage).increment(1);
    }
}
