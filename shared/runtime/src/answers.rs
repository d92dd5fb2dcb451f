//! Questions to models. What a model answered is recorded with the outputs that rest on it, so a
//! second run asks nothing.

use std::time::Duration;

use async_trait::async_trait;
use mneme_events::{Event, EventHeader, GroupErased, InferenceRecorded};
use mneme_model::derived_id;
use mneme_stage::{Inference, placeholder};
use uuid::Uuid;

use crate::parked::side_id;

/// Answers questions: the port that models plug into. It bounds the time of a call by itself. A call
/// may be dropped before it is done.
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

/// What the keys of recorded answers begin with.
pub(crate) const ANSWERS: &[u8] = b"\0answer ";

/// The row of a recorded answer.
pub(crate) fn answer_key(digest: &str) -> Vec<u8> {
    [ANSWERS, digest.as_bytes()].concat()
}

/// The record of an answer to a question that an input gave rise to.
pub(crate) fn record_of(
    stage: &str,
    input: &Event,
    digest: &str,
    answer: &Answer,
) -> InferenceRecorded {
    let event_id = record_id(input.header().event_id, stage, digest);
    InferenceRecorded {
        header: EventHeader {
            event_id,
            ..placeholder(input)
        },
        request_digest: digest.to_owned(),
        model: answer.model.clone(),
        answer: answer.bytes.clone(),
    }
}

/// The record that makes a stage forget the answers that it recorded for a group before.
pub(crate) fn answers_erased(stage: &str, erasure: &Event) -> GroupErased {
    let event_id = side_id(erasure, stage, FORGOTTEN);
    GroupErased {
        header: EventHeader {
            event_id,
            ..placeholder(erasure)
        },
    }
}

/// Whether a stage wrote a record of the `inferences` topic, which all stages share.
pub(crate) fn is_own(stage: &str, record: &Event) -> bool {
    let header = record.header();
    let Some(cause) = header.cause else {
        return false;
    };
    header.event_id
        == match record {
            Event::InferenceRecorded(recorded) => record_id(cause, stage, &recorded.request_digest),
            _ => derived_id(cause, &[stage.as_bytes(), FORGOTTEN.as_bytes()]),
        }
}

const FORGOTTEN: &str = "answers forgotten";

fn record_id(cause: Uuid, stage: &str, digest: &str) -> Uuid {
    derived_id(cause, &[stage.as_bytes(), b"answer", digest.as_bytes()])
}
