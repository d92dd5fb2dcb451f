//! The [`Extractor`] as a stage: each episode is read once. The first episode of an id stands; the
//! same id again, with whatever content, changes nothing until the first is erased.

use mneme_events::{
    Episode, EpisodeExtracted, EpisodeReceived, Event, EventHeader, ExtractionFailed, Topic,
};
use mneme_model::Source;
use mneme_stage::{Answers, GroupRows, Stage, StageError, Step, placeholder};

use crate::config::{ExtractorConfig, ModelReader};
use crate::draft::{Draft, Reading};
use crate::state::Context;
use crate::{answer, facts, json, message, state};

/// The first stage: reads `episodes`, writes `extractions`.
#[derive(Debug, Default)]
pub struct Extractor {
    config: ExtractorConfig,
}

/// What read an episode.
enum Reader<'c> {
    /// Statements are given with it.
    Given,
    /// The reader of records.
    Record,
    /// The reader of prose.
    Rules,
    /// A model.
    Model(&'c ModelReader),
}

impl Extractor {
    /// An extractor with these settings.
    pub fn new(config: ExtractorConfig) -> Self {
        Self { config }
    }

    fn reader(&self, episode: &Episode) -> Reader<'_> {
        match (&self.config.model, episode.source) {
            (_, Source::Facts) => Reader::Given,
            (_, Source::Json) if !episode.facts.is_empty() => Reader::Given,
            (Some(model), source) if model.sources.contains(&source) => Reader::Model(model),
            (_, Source::Json) => Reader::Record,
            (_, Source::Message | Source::Text) => Reader::Rules,
        }
    }

    fn read(
        &self,
        rows: &dyn GroupRows,
        input: &Event,
        received: &EpisodeReceived,
        answers: &Answers,
    ) -> Result<Step, StageError> {
        let episode = &received.episode;
        if state::is_known(rows, &episode.episode_id) {
            return Ok(Step::Done(Vec::new()));
        }
        let header = placeholder(input);
        let mut draft = Draft::default();
        let extractor = match self.reader(episode) {
            Reader::Given => {
                facts::read(&mut draft, &episode.facts);
                episode.source.as_str()
            }
            Reader::Record => {
                json::read(&mut draft, &episode.body, &self.context(rows, episode)?);
                "json"
            }
            Reader::Rules => {
                message::read(&mut draft, episode, &self.context(rows, episode)?);
                "rules"
            }
            Reader::Model(model) => {
                let context = self.context(rows, episode)?;
                let question = answer::question(model, &header.group_id, episode, &context);
                let event = match answers.get(&question) {
                    None => return Ok(Step::Need(vec![question])),
                    Some(Err(reason)) => failed(header, episode, reason.clone()),
                    Some(Ok(bytes)) => match answer::read(&mut draft, episode, &context, bytes) {
                        Ok(()) => extracted(header, episode, draft.finish(), "model", Some(model)),
                        Err(reason) => failed(header, episode, reason.to_string()),
                    },
                };
                return Ok(Step::Done(vec![event]));
            }
        };
        let event = extracted(header, episode, draft.finish(), extractor, None);
        Ok(Step::Done(vec![event]))
    }

    fn context(&self, rows: &dyn GroupRows, episode: &Episode) -> Result<Context, StageError> {
        let messages = self
            .config
            .context_messages
            .min(ExtractorConfig::MAX_CONTEXT_MESSAGES);
        state::context(rows, episode, messages)
    }
}

impl Stage for Extractor {
    fn name(&self) -> &'static str {
        "extractor"
    }

    fn input(&self) -> Topic {
        Topic::Episodes
    }

    fn output(&self) -> Topic {
        Topic::Extractions
    }

    fn apply(&self, rows: &mut dyn GroupRows, output: &Event) -> Result<(), StageError> {
        let seq = output.header().seq;
        match output {
            Event::EpisodeExtracted(event) => state::put_episode(rows, &event.episode, seq),
            Event::ExtractionFailed(event) => state::put_episode(rows, &event.episode, seq),
            Event::EpisodeErased(event) => state::forget_episode(rows, &event.episode_id),
            Event::OntologyChanged(event) => {
                state::put_ontology(rows, &event.ontology);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn step(
        &self,
        rows: &dyn GroupRows,
        input: &Event,
        answers: &Answers,
    ) -> Result<Step, StageError> {
        match input {
            Event::EpisodeReceived(received) => self.read(rows, input, received, answers),
            Event::EpisodeErased(erased) if !state::is_known(rows, &erased.episode_id) => {
                Ok(Step::Done(Vec::new()))
            }
            control if control.is_control() => {
                let mut forwarded = control.clone();
                *forwarded.header_mut() = placeholder(input);
                Ok(Step::Done(vec![forwarded]))
            }
            other => Err(StageError::BrokenInput(format!(
                "{} on {}",
                other.kind().name(),
                Topic::Episodes
            ))),
        }
    }
}

fn extracted(
    header: EventHeader,
    episode: &Episode,
    reading: Reading,
    extractor: &str,
    model: Option<&ModelReader>,
) -> Event {
    EpisodeExtracted {
        header,
        episode: episode.clone(),
        mentions: reading.mentions,
        statements: reading.statements,
        extractor: extractor.to_owned(),
        model: model.map(|model| model.name.clone()),
        prompt_version: model.map(|model| model.prompt_version.clone()),
        tokens: 0,
        notes: reading.notes,
    }
    .into()
}

fn failed(header: EventHeader, episode: &Episode, reason: String) -> Event {
    ExtractionFailed {
        header,
        episode: episode.clone(),
        reason,
    }
    .into()
}
