//! What an input needs to be told: recorded answers first, then those of models, for as long as the
//! batch may wait.

use futures::FutureExt;
use mneme_events::{Event, InferenceRecorded};
use mneme_stage::{Answers, GroupRows, Inference};
use mneme_telemetry::metric;

use super::{GroupOutcome, Workshop};
use crate::answers::{AnswerError, answer_key, record_of};
use crate::parked::Stop;
use crate::state::{State, StateFailure};

/// What an input has been told.
#[derive(Default)]
pub(super) struct Heard {
    pub answers: Answers,
    pub new: Vec<InferenceRecorded>,
}

impl<S: State> Workshop<'_, S> {
    /// Gets the answers to questions, side by side: recorded ones first.
    pub(super) async fn gather(
        &self,
        outcome: &mut GroupOutcome,
        input: &Event,
        questions: &[Inference],
        heard: &mut Heard,
    ) -> Result<Option<Stop>, StateFailure> {
        let stage = self.stage.name();
        let mut awaited = Vec::new();
        for question in questions {
            let digest = question.digest();
            if heard.answers.get(question).is_some() {
                continue;
            }
            let key = answer_key(&digest);
            if let Some(answer) = self.with_rows(outcome, |rows| rows.get(&key))? {
                metrics::counter!(metric::INFERENCES_REUSED, "stage" => stage).increment(1);
                heard.answers.insert(digest, Ok(answer));
            } else if !awaited.iter().any(|(_, asked)| *asked == digest) {
                awaited.push((self.desk.ask(&outcome.group, &digest, question), digest));
            }
        }
        let mut stop = None;
        for (answer, digest) in awaited {
            let answer = match stop {
                None => tokio::select! {
                    biased;
                    answer = answer => Some(answer),
                    () = self.deadline.passed() => None,
                },
                Some(_) => answer.now_or_never(),
            };
            match answer {
                None => stop = stop.or_else(|| Some(Stop::still_answering())),
                Some(Ok(answer)) => {
                    heard.new.push(record_of(stage, input, &digest, &answer));
                    heard.answers.insert(digest, Ok(answer.bytes));
                }
                Some(Err(error)) => {
                    self.desk.settle(&outcome.group, &digest);
                    match error {
                        AnswerError::Permanent(reason) => heard.answers.insert(digest, Err(reason)),
                        error => stop = stop.or_else(|| Some(Stop::no_answer(error))),
                    }
                }
            }
        }
        Ok(stop)
    }
}
