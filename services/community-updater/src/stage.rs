//! The stage: it notes current facts as they come and goes, and writes summaries and communities
//! when an episode is done.

use mneme_events::{
    EntitySummarized, Event, FactForgotten, FactNoted, FactVersionCreated, GroupSummarized, Topic,
};
use mneme_stage::{Answers, GroupRows, OverlayRows, Stage, StageError, Step, placeholder};
use uuid::Uuid;

use crate::facts::{self, Size, fact, is_current, said_of, size, touched};
use crate::{refresh, summary};

/// The stage that writes summaries and communities.
#[derive(Debug, Default, Clone, Copy)]
pub struct CommunityUpdater;

impl Stage for CommunityUpdater {
    fn name(&self) -> &'static str {
        "community-updater"
    }

    fn input(&self) -> Topic {
        Topic::Facts
    }

    fn output(&self) -> Topic {
        Topic::Communities
    }

    fn apply(&self, rows: &mut dyn GroupRows, output: &Event) -> Result<(), StageError> {
        match output {
            Event::FactNoted(noted) => facts::note(rows, noted),
            Event::FactForgotten(forgotten) => facts::forget(rows, forgotten),
            Event::EntitySummarized(summarized) => summary::apply(rows, summarized),
            Event::CommunityChanged(changed) => refresh::apply(rows, changed),
            Event::CommunityRemoved(removed) => refresh::remove(rows, removed.community_id),
            Event::GroupSummarized(summarized) => {
                facts::untouch(rows);
                let Size { edges, changed } = size(rows)?;
                let changed = if summarized.refreshed { 0 } else { changed };
                facts::set_size(rows, Size { edges, changed })
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
        let mut work = Work {
            stage: self,
            rows: OverlayRows::new(rows),
            events: Vec::new(),
        };
        match input {
            Event::FactVersionCreated(created) if is_current(created) => {
                work.note(input, created)?
            }
            Event::FactVersionExpired(expired) => work.forget(input, expired.version_id)?,
            Event::FactErased(erased) => work.forget(input, erased.version_id)?,
            Event::EpisodeApplied(_) => work.conclude(input)?,
            Event::GroupErased(_) => work.emit(input.clone())?,
            control if control.is_control() => work.conclude(input)?,
            _ => {}
        }
        Ok(Step::Done(work.events))
    }
}

/// The events of one step, each folded as it is made so that the next sees it.
struct Work<'r> {
    stage: &'r CommunityUpdater,
    rows: OverlayRows<'r>,
    events: Vec<Event>,
}

impl Work<'_> {
    fn emit(&mut self, event: impl Into<Event>) -> Result<(), StageError> {
        let event = event.into();
        self.stage.apply(&mut self.rows, &event)?;
        self.events.push(event);
        Ok(())
    }

    fn note(&mut self, input: &Event, created: &FactVersionCreated) -> Result<(), StageError> {
        self.emit(FactNoted {
            header: placeholder(input),
            version_id: created.version_id,
            subject: created.subject.clone(),
            relation: created.relation.clone(),
            object: created.object.clone(),
            fact: created.fact.clone(),
            valid_at: created.valid_at.at,
        })
    }

    fn forget(&mut self, input: &Event, version_id: Uuid) -> Result<(), StageError> {
        let Some(noted) = fact(&self.rows, version_id)? else {
            return Ok(());
        };
        self.emit(FactForgotten {
            header: placeholder(input),
            version_id,
            subject_id: noted.subject.entity_id,
            object_id: noted.object.map(|object| object.entity_id),
            valid_at: noted.valid_at,
        })
    }

    /// Writes what follows from the facts that came and went since the last episode.
    fn conclude(&mut self, input: &Event) -> Result<(), StageError> {
        let header = placeholder(input);
        let touched = touched(&self.rows)?;
        if touched.is_empty() {
            return Ok(());
        }
        for &entity_id in &touched {
            if summary::is_due(&said_of(&self.rows, entity_id)?) {
                let summary = summary::summarize(&self.rows, entity_id)?;
                self.emit(EntitySummarized {
                    header: header.clone(),
                    entity_id,
                    summary,
                })?;
            }
        }
        let size = size(&self.rows)?;
        let refreshed = refresh::is_due(size);
        let (changed, removed) = if refreshed {
            refresh::refresh(&self.rows, &header)?
        } else {
            refresh::extend(&self.rows, &header, &touched)?
        };
        for removed in removed {
            self.emit(removed)?;
        }
        for changed in changed {
            self.emit(changed)?;
        }
        self.emit(GroupSummarized {
            header,
            edges: size.edges as i64,
            refreshed,
        })
    }
}

#[cfg(test)]
mod tests;
