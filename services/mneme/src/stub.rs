//! A stand-in for a model that reads its answers from a file, for conformance cases.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context;
use async_trait::async_trait;
use mneme_runtime::{Answer, AnswerError, Answerer};
use mneme_stage::{Inference, InferenceKind};
use serde::Deserialize;
use serde_json::Value;

/// Answers extraction by `<group>/<episode>` from a file; what is not there is empty,
/// `{"refused": reason}` is a refusal for good, and with `{"away": reason}` it does not answer.
pub struct StubModel {
    answers: HashMap<String, Value>,
}

#[derive(Deserialize)]
struct Question {
    group_id: String,
    episode_id: String,
}

impl StubModel {
    /// Reads the file.
    pub fn load(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(file)
            .with_context(|| format!("the stub's file {} can't be read", file.display()))?;
        Ok(Self {
            answers: serde_json::from_slice(&text).context("the stub's file")?,
        })
    }
}

#[async_trait]
impl Answerer for StubModel {
    async fn answer(&self, inference: &Inference) -> Result<Answer, AnswerError> {
        if inference.kind != InferenceKind::Extract {
            return Err(AnswerError::Permanent("the stub only extracts".to_owned()));
        }
        let question: Question = serde_json::from_str(&inference.request)
            .map_err(|error| AnswerError::Permanent(error.to_string()))?;
        let key = format!("{}/{}", question.group_id, question.episode_id);
        let empty = || serde_json::json!({ "entities": [], "facts": [] });
        let answer = self.answers.get(&key).cloned().unwrap_or_else(empty);
        if let Some(reason) = answer["refused"].as_str() {
            return Err(AnswerError::Permanent(reason.to_owned()));
        }
        if let Some(reason) = answer["away"].as_str() {
            return Err(AnswerError::Transient {
                reason: reason.to_owned(),
                retry_after: None,
            });
        }
        Ok(Answer {
            model: "stub".to_owned(),
            bytes: answer.to_string().into_bytes(),
        })
    }
}
