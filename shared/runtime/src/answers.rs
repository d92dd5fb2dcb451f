//! Questions to models. What a model answered is recorded with the outputs that rest on it, so a
//! second run asks nothing.

use std::time::Duration;

use async_trait::async_trait;
use backon::{BackoffBuilder, ExponentialBuilder};
use mneme_events::{Event, InferenceRecorded};
use mneme_stage::{GroupRows, Inference, RowChanges, placeholder};
use mneme_telemetry::metric;

/// Answers questions: the port that models plug into.
#[async_trait]
pub trait Answerer: Send + Sync {
    /// The answer, or why there is none.
    async fn answer(&self, inference: &Inference) -> Result<Answer, AnswerError>;
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The model.
    pub model: String,
    /// The answer as given.
    pub bytes: Vec<u8>,
}

/// Why a model gave no answer. The reason never holds the question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// It may answer when asked again (429, 5xx, time-outs); not before `retry_after`.
    #[error("{reason}")]
    Transient {
        /// Why.
        reason: String,
        /// The least time to wait, where the model gave one.
        retry_after: Option<Duration>,
    },
    /// An operator must mend something first (401, 403, an exhausted budget).
    #[error("{0}")]
    Operator(String),
    /// It never will.
    #[error("{0}")]
    Permanent(String),
}

/// Answers nothing: for deployments without a model, whose stages ask nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoModel;

#[async_trait]
impl Answerer for NoModel {
    async fn answer(&self, _: &Inference) -> Result<Answer, AnswerError> {
        Err(AnswerError::Operator("no model is configured".to_owned()))
    }
}

/// The row of a recorded answer.
pub(crate) fn answer_key(digest: &str) -> Vec<u8> {
    [b"\0answer ".as_slice(), digest.as_bytes()].concat()
}

/// Remembers a recorded answer.
pub(crate) fn note_answer(rows: &mut dyn GroupRows, recorded: &InferenceRecorded) {
    rows.put(answer_key(&recorded.request_digest), recorded.answer.clone());
}

/// The record of an answer to a question that an input gave rise to.
pub(crate) fn record_of(input: &Event, digest: &str, answer: &Answer) -> InferenceRecorded {
    let mut header = placeholder(input);
    header.event_id = mneme_model::derived_id(input.header().event_id, &[digest.as_bytes()]);
    InferenceRecorded {
        header,
        request_digest: digest.to_owned(),
        model: answer.model.clone(),
        answer: answer.bytes.clone(),
    }
}

/// Whether changes hold a row, for looking up answers of the same batch.
pub(crate) fn changed_row<'c>(changes: &'c RowChanges, key: &[u8]) -> Option<&'c Vec<u8>> {
    changes.rows.get(key).and_then(Option::as_ref)
}

/// Asks, and asks again after transient failures, for as long as `patience` lasts.
pub(crate) async fn ask(
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
        let failure = match answerer.answer(inference).await {
            Err(AnswerError::Transient { reason, retry_after }) => (reason, retry_after),
            other => return other,
        };
        let pause = pauses.next().unwrap_or(patience).max(failure.1.unwrap_or_default());
        if started.elapsed() + pause > patience {
            return Err(AnswerError::Transient { reason: failure.0, retry_after: failure.1 });
        }
        tokio::time::sleep(pause).await;
    }
}
