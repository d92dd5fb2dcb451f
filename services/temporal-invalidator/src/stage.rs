//! The stage: statements are placed as they come and settled when their episode is done, so that an
//! episode's statements take effect together, at one instant of system time.

use mneme_events::{Event, Topic};
use mneme_stage::{Answers, GroupRows, Stage, StageError, Step};

use crate::work::Work;
use crate::{evidence, keys, versions};

/// The stage that turns resolved statements into facts with their timelines.
#[derive(Debug, Default, Clone, Copy)]
pub struct TemporalInvalidator;

impl Stage for TemporalInvalidator {
    fn name(&self) -> &'static str {
        "temporal-invalidator"
    }

    fn input(&self) -> Topic {
        Topic::Resolutions
    }

    fn output(&self) -> Topic {
        Topic::Facts
    }

    fn apply(&self, rows: &mut dyn GroupRows, output: &Event) -> Result<(), StageError> {
        let header = output.header();
        match output {
            Event::StatementPlaced(placed) => evidence::enter(rows, placed),
            Event::StatementWithdrawn(withdrawn) if withdrawn.erased => {
                evidence::forget(rows, withdrawn.statement_id)
            }
            Event::StatementWithdrawn(withdrawn) => {
                evidence::leave(rows, withdrawn.statement_id, header.seq, header.recorded_at)
            }
            Event::FactVersionCreated(created) => versions::create(rows, created),
            Event::FactVersionExpired(expired) => versions::expire(
                rows,
                expired.fact_id,
                expired.version_id,
                expired.expired_at,
            ),
            Event::FactErased(erased) => versions::erase(rows, erased.fact_id, erased.version_id),
            Event::OntologyChanged(changed) => {
                rows.put(
                    keys::ONTOLOGY.to_vec(),
                    changed.ontology.clone().into_bytes(),
                );
                evidence::mark_settled(rows);
                Ok(())
            }
            Event::EpisodeApplied(_) => {
                evidence::mark_settled(rows);
                Ok(())
            }
            control if control.is_control() => {
                evidence::mark_settled(rows);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn step(
        &self,
        rows: &dyn GroupRows,
        input: &Event,
        _answers: &Answers,
    ) -> Result<Step, StageError> {
        let mut work = Work::new(self, rows, input)?;
        match input {
            Event::StatementResolved(resolved) => work.take_statement(resolved)?,
            Event::EpisodeResolved(resolved) => work.finish_episode(resolved)?,
            Event::EpisodeErased(erased) => work.erase_episode(erased)?,
            Event::OntologyChanged(changed) => {
                let ontology = serde_json::from_str(&changed.ontology)
                    .map_err(|error| StageError::BrokenInput(error.to_string()))?;
                work.change_ontology(&ontology)?;
                work.finish_control(input)?;
            }
            Event::FactCorrected(corrected) => {
                work.correct(corrected)?;
                work.finish_control(input)?;
            }
            control if control.is_control() => work.finish_control(input)?,
            _ => {}
        }
        Ok(Step::Done(work.events))
    }
}
