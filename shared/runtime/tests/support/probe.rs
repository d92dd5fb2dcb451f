//! A stage that does what the body of an episode says: `ask a b` asks two questions at once,
//! `ask a, b` one after the other; `bug`, `panic` and `half` fail until mended, the last one when its
//! second output is folded. Each output says which number it has in its group and what was answered.

use std::sync::atomic::{AtomicBool, Ordering};

use mneme_events::{EpisodeExtracted, EpisodeReceived, Event, ExtractionFailed, Topic};
use mneme_stage::{
    Answers, GroupRows, Inference, InferenceKind, Stage, StageError, Step, placeholder, read_row,
    write_row,
};

#[derive(Default)]
pub struct Probe {
    mended: AtomicBool,
}

const COUNT: &[u8] = b"count";

impl Probe {
    pub fn mend(&self) {
        self.mended.store(true, Ordering::SeqCst);
    }

    fn bug(&self) -> Result<(), StageError> {
        if self.mended.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(StageError::BrokenInput("a bug".to_owned()))
    }

    fn read(
        &self,
        rows: &dyn GroupRows,
        input: &Event,
        received: &EpisodeReceived,
        answers: &Answers,
    ) -> Result<Step, StageError> {
        let episode = received.episode.clone();
        let header = placeholder(input);
        let count: u64 = read_row(rows, COUNT)?.unwrap_or(0);
        let mut notes = vec![format!("{count}")];
        let body = episode.body.clone();
        match body.split_once(' ').unwrap_or((&body, "")) {
            ("bug", _) => self.bug()?,
            ("panic", _) => assert!(self.bug().is_ok(), "as the test ordered"),
            ("ask", rounds) => {
                for round in rounds.split(", ") {
                    let questions: Vec<Inference> = round.split(' ').map(question).collect();
                    if questions
                        .iter()
                        .any(|question| answers.get(question).is_none())
                    {
                        return Ok(Step::Need(questions));
                    }
                    for question in &questions {
                        match answers.get(question) {
                            Some(Ok(answer)) => {
                                notes.push(String::from_utf8_lossy(answer).into_owned());
                            }
                            Some(Err(reason)) => {
                                let reason = reason.clone();
                                let failed = ExtractionFailed {
                                    header,
                                    episode,
                                    reason,
                                };
                                return Ok(Step::Done(vec![failed.into()]));
                            }
                            None => {}
                        }
                    }
                }
            }
            _ => {}
        }
        let extracted = EpisodeExtracted {
            header,
            episode,
            mentions: Vec::new(),
            statements: Vec::new(),
            extractor: "probe".to_owned(),
            model: None,
            prompt_version: None,
            tokens: 0,
            notes,
        };
        let mut outputs: Vec<Event> = vec![extracted.clone().into()];
        if body == "half" {
            let second = EpisodeExtracted {
                extractor: "second".to_owned(),
                ..extracted
            };
            outputs.push(second.into());
        }
        Ok(Step::Done(outputs))
    }
}

pub fn question(request: &str) -> Inference {
    let (version, request) = ("1".to_owned(), request.to_owned());
    Inference {
        kind: InferenceKind::Extract,
        version,
        request,
    }
}

impl Stage for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn input(&self) -> Topic {
        Topic::Episodes
    }

    fn output(&self) -> Topic {
        Topic::Extractions
    }

    fn apply(&self, rows: &mut dyn GroupRows, output: &Event) -> Result<(), StageError> {
        if let Event::EpisodeExtracted(extracted) = output
            && extracted.extractor == "second"
        {
            self.bug()?;
        }
        let count: u64 = read_row(rows, COUNT)?.unwrap_or(0);
        write_row(rows, COUNT.to_vec(), &(count + 1))
    }

    fn step(
        &self,
        rows: &dyn GroupRows,
        input: &Event,
        answers: &Answers,
    ) -> Result<Step, StageError> {
        match input {
            Event::EpisodeReceived(received) => self.read(rows, input, received, answers),
            control => {
                let mut forwarded = control.clone();
                *forwarded.header_mut() = placeholder(input);
                Ok(Step::Done(vec![forwarded]))
            }
        }
    }
}
