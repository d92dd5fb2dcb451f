//! A model that fails and dawdles as it is told.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use mneme_runtime::{Answer, AnswerError, Answerer};
use mneme_stage::Inference;

/// Answers `<question>!`.
#[derive(Default)]
pub struct Model {
    failures: Mutex<HashMap<String, AnswerError>>,
    pauses: Mutex<HashMap<String, Duration>>,
    panics: Mutex<HashSet<String>>,
    given: Mutex<Vec<String>>,
    answered: Mutex<Vec<String>>,
}

impl Model {
    /// Fails on a question until told otherwise.
    pub fn fail(&self, question: &str, error: AnswerError) {
        self.failures
            .lock()
            .unwrap()
            .insert(question.to_owned(), error);
    }

    pub fn heal(&self) {
        self.failures.lock().unwrap().clear();
    }

    /// Panics when first asked a question.
    pub fn panic_once(&self, question: &str) {
        self.panics.lock().unwrap().insert(question.to_owned());
    }

    /// Takes its time for a question.
    pub fn dawdle(&self, question: &str, pause: Duration) {
        self.pauses
            .lock()
            .unwrap()
            .insert(question.to_owned(), pause);
    }

    /// How often a question was begun to be answered.
    pub fn asked(&self, question: &str) -> usize {
        count(&self.given, question)
    }

    /// How often a question was answered.
    pub fn answered(&self, question: &str) -> usize {
        count(&self.answered, question)
    }
}

fn count(questions: &Mutex<Vec<String>>, question: &str) -> usize {
    let questions = questions.lock().unwrap();
    questions.iter().filter(|one| *one == question).count()
}

#[async_trait]
impl Answerer for Model {
    async fn answer(&self, inference: &Inference) -> Result<Answer, AnswerError> {
        let question = &inference.request;
        if let Some(error) = self.failures.lock().unwrap().get(question) {
            return Err(error.clone());
        }
        let panics = self.panics.lock().unwrap().remove(question);
        assert!(!panics, "as the test ordered");
        self.given.lock().unwrap().push(question.clone());
        let pause = self
            .pauses
            .lock()
            .unwrap()
            .get(question)
            .copied()
            .unwrap_or_default();
        tokio::time::sleep(pause).await;
        self.answered.lock().unwrap().push(question.clone());
        Ok(Answer {
            model: "test".to_owned(),
            bytes: format!("{question}!").into_bytes(),
        })
    }
}
