//! The decisions of one step. Each event is folded as it is made, so that the next decision sees it.

use std::collections::BTreeSet;

use mneme_events::{
    EpisodeApplied, EpisodeErased, EpisodeResolved, Event, EventHeader, FactCorrected, FactErased,
    FactVersionExpired, StatementPlaced, StatementResolved, StatementUnmatched, StatementWithdrawn,
};
use mneme_model::Ontology;
use mneme_stage::{GroupRows, OverlayRows, Stage, StageError, last_seq, note_seq, placeholder};

use crate::TemporalInvalidator;
use crate::evidence::{self, Change, Form, placement_of, placements_of, statements_under};
use crate::place::Stated;
use crate::settle::settle;
use crate::versions::{self, Version};
use crate::{correct, history, keys};

/// The events of one step, each folded as it is made so that the next sees it.
pub struct Work<'r> {
    stage: &'r TemporalInvalidator,
    rows: OverlayRows<'r>,
    header: EventHeader,
    last_seq: i64,
    pub events: Vec<Event>,
}

impl<'r> Work<'r> {
    pub fn new(
        stage: &'r TemporalInvalidator,
        rows: &'r dyn GroupRows,
        input: &Event,
    ) -> Result<Self, StageError> {
        let header = placeholder(input);
        let last_seq = last_seq(rows)?;
        Ok(Self {
            stage,
            rows: OverlayRows::new(rows),
            header,
            last_seq,
            events: Vec::new(),
        })
    }

    fn next_seq(&self) -> i64 {
        self.last_seq + 1 + self.events.len() as i64
    }

    fn emit(&mut self, event: impl Into<Event>) -> Result<(), StageError> {
        let mut event = event.into();
        *event.header_mut() = EventHeader {
            seq: self.next_seq(),
            ..self.header.clone()
        };
        self.stage.apply(&mut self.rows, &event)?;
        note_seq(&mut self.rows, &event)?;
        self.events.push(event);
        Ok(())
    }

    fn ontology(&self) -> Result<Ontology, StageError> {
        let Some(text) = self.rows.get(keys::ONTOLOGY) else {
            return Ok(Ontology::default());
        };
        serde_json::from_slice(&text).map_err(|error| StageError::BrokenRow(error.to_string()))
    }

    pub fn take_statement(&mut self, resolved: &StatementResolved) -> Result<(), StageError> {
        let mut stated = Stated::new(resolved.clone());
        // Resolved anew, a statement keeps its place in the log and what a correction said of it.
        if let Some(first) = placements_of(&self.rows, resolved.statement_id)?.pop() {
            if let Some(correction) = &first.placed.correction {
                let object = first.placed.corrected_object.as_ref();
                stated = stated.corrected(correction, object);
            }
            stated.order = Some(first.placed.order);
        }
        let ontology = self.ontology()?;
        self.replace(
            resolved.statement_id,
            stated.place(&ontology, self.next_seq()),
        )
    }

    /// Puts a statement where it belongs now, if that is elsewhere than before.
    fn replace(
        &mut self,
        statement_id: uuid::Uuid,
        placed: Option<StatementPlaced>,
    ) -> Result<(), StageError> {
        let old = placement_of(&self.rows, statement_id)?.map(|placement| placement.placed);
        let stays = match (&old, &placed) {
            (Some(old), Some(new)) => is_same_evidence(old, new),
            (None, None) => true,
            _ => false,
        };
        if stays {
            return Ok(());
        }
        if let Some(old) = old {
            self.emit(withdrawn(&old, false))?;
        }
        if let Some(placed) = placed {
            self.emit(placed)?;
        }
        Ok(())
    }

    pub fn finish_episode(&mut self, resolved: &EpisodeResolved) -> Result<(), StageError> {
        let changes = evidence::unsettled(&self.rows)?;
        let (created, expired) = self.settle(&changes, "timeline")?;
        let unmatched = self.unmatched(&changes)?;
        let mut notes = resolved.notes.clone();
        if !unmatched.is_empty() {
            notes.push(format!(
                "unmatched: {} said to have ended held then",
                match unmatched.len() {
                    1 => "a fact that was not known to hold was".to_owned(),
                    count => format!("{count} facts that were not known to hold were"),
                }
            ));
        }
        for change in &unmatched {
            self.emit(StatementUnmatched {
                header: self.header.clone(),
                statement_id: change.evidence.statement_id,
                episode_id: resolved.episode_id.clone(),
            })?;
        }
        self.emit(EpisodeApplied {
            header: self.header.clone(),
            episode_id: resolved.episode_id.clone(),
            created,
            expired,
            unmatched: unmatched.len() as i32,
            outcome: resolved.outcome,
            reason: resolved.reason.clone(),
            notes,
        })
    }

    fn settle(&mut self, changes: &[Change], rule: &str) -> Result<(i32, i32), StageError> {
        let settlement = settle(&self.rows, &self.header, changes)?;
        let counts = (
            settlement.created.len() as i32,
            settlement.expired.len() as i32,
        );
        for version in settlement.expired {
            self.emit(expired(&version, &self.header, rule))?;
        }
        for created in settlement.created {
            self.emit(created)?;
        }
        Ok(counts)
    }

    /// The ends among the changes that closed nothing.
    fn unmatched(&self, changes: &[Change]) -> Result<Vec<Change>, StageError> {
        let mut unmatched = Vec::new();
        for change in changes.iter().filter(|change| change.form == Form::End) {
            let evidence = &change.evidence;
            if placement_of(&self.rows, evidence.statement_id)?.is_none() {
                continue;
            }
            let mut closed = false;
            for slot in change.slots.into_iter().flatten() {
                let before = versions::current_before(&self.rows, slot, evidence.start.at)?;
                closed |= before.is_some_and(|version| {
                    version.created.fact_id == evidence.fact_id
                        && version.interval().end == Some(evidence.start.at)
                });
            }
            if !closed {
                unmatched.push(*change);
            }
        }
        Ok(unmatched)
    }

    pub fn erase_episode(&mut self, erased: &EpisodeErased) -> Result<(), StageError> {
        let statements: BTreeSet<_> =
            statements_under(&self.rows, &keys::of_episode(&erased.episode_id))
                .into_iter()
                .collect();
        let rewrite = history::without(&self.rows, &self.header, &statements)?;
        for version in &rewrite.erased {
            self.emit(FactErased {
                header: self.header.clone(),
                version_id: version.created.version_id,
                fact_id: version.created.fact_id,
            })?;
        }
        for statement in statements {
            if let Some(last) = placements_of(&self.rows, statement)?.pop() {
                self.emit(withdrawn(&last.placed, true))?;
            }
        }
        for created in rewrite.created {
            self.emit(created)?;
        }
        let changes = evidence::unsettled(&self.rows)?;
        self.settle(&changes, "erasure")?;
        self.emit(erased.clone())
    }

    pub fn change_ontology(&mut self, new: &Ontology) -> Result<(), StageError> {
        let old = self.ontology()?;
        let definition = |ontology: &Ontology, name: &str| ontology.relations.get(name).cloned();
        let named = old.relations.keys().chain(new.relations.keys());
        let changed: BTreeSet<&String> = named
            .filter(|name| definition(&old, name) != definition(new, name))
            .collect();
        let inverse = |ontology: &Ontology, name: &str| {
            definition(ontology, name).and_then(|definition| definition.inverse_of)
        };
        let all: BTreeSet<&String> = old
            .relations
            .keys()
            .chain(new.relations.keys())
            .filter(|name| {
                changed.contains(name)
                    || [&old, new].iter().any(|ontology| {
                        inverse(ontology, name).is_some_and(|base| changed.contains(&base))
                    })
            })
            .collect();
        for relation in all {
            for statement in statements_under(&self.rows, &keys::of_relation(relation)) {
                if let Some(placement) = placement_of(&self.rows, statement)? {
                    let placed = Stated::of(&placement.placed).place(new, self.next_seq());
                    self.replace(statement, placed)?;
                }
            }
        }
        Ok(())
    }

    pub fn correct(&mut self, corrected: &FactCorrected) -> Result<(), StageError> {
        let ontology = self.ontology()?;
        for amendment in correct::amendments(&self.rows, &ontology, corrected)? {
            let placed = amendment
                .amended
                .and_then(|stated| stated.place(&ontology, self.next_seq()));
            self.replace(amendment.statement_id, placed)?;
        }
        Ok(())
    }

    /// Settles what a control event (or the statements that were resolved anew before it) changed,
    /// and forwards it.
    pub fn finish_control(&mut self, input: &Event) -> Result<(), StageError> {
        let changes = evidence::unsettled(&self.rows)?;
        self.settle(&changes, rule_of(input))?;
        self.emit(input.clone())
    }
}

fn rule_of(control: &Event) -> &'static str {
    match control {
        Event::FactCorrected(_) => "correction",
        Event::EntitiesMergeRequested(_) => "merge",
        Event::EntitySplitRequested(_) => "split",
        Event::OntologyChanged(_) => "ontology",
        _ => "timeline",
    }
}

fn expired(version: &Version, header: &EventHeader, rule: &str) -> FactVersionExpired {
    FactVersionExpired {
        header: header.clone(),
        version_id: version.created.version_id,
        fact_id: version.created.fact_id,
        expired_at: header.recorded_at.max(version.created.created_at),
        rule: rule.to_owned(),
    }
}

fn withdrawn(placed: &StatementPlaced, erased: bool) -> StatementWithdrawn {
    StatementWithdrawn {
        header: placed.header.clone(),
        statement_id: placed.statement_id,
        episode_id: placed.episode_id.clone(),
        fact_id: placed.fact_id,
        erased,
    }
}

/// Whether two placements of a statement are the same evidence; names of entities may differ.
fn is_same_evidence(old: &StatementPlaced, new: &StatementPlaced) -> bool {
    old.fact_id == new.fact_id
        && old.slots == new.slots
        && old.fact == new.fact
        && (old.valid_at, old.invalid_at, old.polarity)
            == (new.valid_at, new.invalid_at, new.polarity)
        && old.correction == new.correction
}
