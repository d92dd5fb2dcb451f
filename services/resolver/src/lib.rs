//! The resolver decides which mentions name one entity. An entity exists as long as a mention
//! names it, and all that is known of it (names, type, ids) is what its mentions say: so erasing
//! an episode takes back exactly what that episode gave.
//!
//! How to read the crate: `ladder` is the order of the rules and each rule has its own file
//! (`candidates`, `choice`, `numbers`, `types`, `similarity`); `view` turns what
//! mentions say into what is shown; `settle` writes down what follows when mentions move; the
//! other files are one input each (`episode`, `erase`, `merge`, `split`, `correct`).
//! The state is the fold of the resolver's own outputs (`fold`) in rows whose keys are in
//! `keys`.

mod candidates;
mod choice;
mod correct;
mod decision;
mod episode;
mod erase;
mod fold;
mod identity;
mod keys;
mod ladder;
mod links;
mod merge;
mod numbers;
mod parting;
mod rule;
mod settle;
mod signature;
mod similarity;
mod split;
mod state;
mod support;
#[cfg(test)]
mod tests;
mod types;
mod view;

use mneme_events::{Event, Topic};
use mneme_stage::{Answers, GroupRows, Stage, StageError, Step};

use decision::Decision;

/// The stage that reads extractions and writes resolutions. It asks no model: where the rules
/// leave a pair open, two entities are kept and each names the other as possibly the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Resolver;

impl Stage for Resolver {
    fn name(&self) -> &'static str {
        "resolver"
    }

    fn input(&self) -> Topic {
        Topic::Extractions
    }

    fn output(&self) -> Topic {
        Topic::Resolutions
    }

    fn apply(&self, rows: &mut dyn GroupRows, output: &Event) -> Result<(), StageError> {
        fold::apply(rows, output)
    }

    fn step(
        &self,
        rows: &dyn GroupRows,
        input: &Event,
        _answers: &Answers,
    ) -> Result<Step, StageError> {
        let mut decision = Decision::new(rows, input)?;
        match input {
            Event::EpisodeExtracted(extracted) => episode::resolve(&mut decision, extracted)?,
            Event::ExtractionFailed(failed) => episode::pass_failure(&mut decision, failed)?,
            Event::EpisodeErased(erased) => erase::erase(&mut decision, erased)?,
            Event::EntitiesMergeRequested(request) => merge::merge(&mut decision, request)?,
            Event::EntitySplitRequested(request) => split::split(&mut decision, request)?,
            Event::FactCorrected(correction) => correct::correct(&mut decision, correction)?,
            Event::GroupErased(_) | Event::OntologyChanged(_) => decision.forward()?,
            other => {
                return Err(StageError::BrokenInput(format!(
                    "{} is no event of {}",
                    other.kind().name(),
                    self.input()
                )));
            }
        }
        Ok(Step::Done(decision.into_outputs()))
    }
}
