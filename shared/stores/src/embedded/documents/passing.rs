//! What a search sees of a shelf: the time view and the filter, judged on whole documents, before
//! any limit.
//!
//! `reference_time`, `source` and `metadata` of a fact are those of the episodes that support the
//! version; they are looked up only when a filter asks for them.

use std::cell::RefCell;

use mneme_model::{EpisodeId, Instant, Interval};
use serde_json::Value;

use super::key::GroupNumber;
use super::row::{Attributes, DocumentId, EpisodeAttributes, FactAttributes};
use super::shelf::Entry;
use super::stored::Documents;
use crate::filter::Filtered;
use crate::{DocumentKind, Filter, FilterField, StoreError, TimeView};

/// The conditions of a search within a group.
pub(in crate::embedded) struct Passing<'a> {
    pub time: TimeView,
    pub filter: Option<&'a Filter>,
    pub documents: &'a Documents,
    pub group: GroupNumber,
}

impl Passing<'_> {
    /// Whether the search sees the document.
    pub fn passes(&self, entry: &Entry) -> Result<bool, StoreError> {
        if let Attributes::Fact(fact) = &entry.attributes {
            let valid = Interval::new(fact.valid_at, fact.invalid_at);
            if !self
                .time
                .sees_interval(valid, fact.created_at, fact.expired_at)
            {
                return Ok(false);
            }
        }
        let Some(filter) = self.filter else {
            return Ok(true);
        };
        let candidate = Candidate {
            entry,
            passing: self,
            failed: RefCell::new(None),
        };
        let passes = filter.passes(&candidate);
        match candidate.failed.into_inner() {
            Some(error) => Err(error),
            None => Ok(passes),
        }
    }
}

struct Candidate<'a> {
    entry: &'a Entry,
    passing: &'a Passing<'a>,
    /// A filter can't fail; what the store said is kept for the caller.
    failed: RefCell<Option<StoreError>>,
}

impl Candidate<'_> {
    fn or_default<T: Default>(&self, result: Result<T, StoreError>) -> T {
        result.unwrap_or_else(|error| {
            self.failed.replace(Some(error));
            T::default()
        })
    }

    /// The episodes that support a version, with their times; the one of its sentence where no
    /// evidence is known.
    fn supporting(&self, fact: &FactAttributes) -> Vec<(EpisodeId, Instant)> {
        let evidence = self
            .passing
            .documents
            .evidence(self.passing.group, fact.fact_id);
        let supporting: Vec<_> = self
            .or_default(evidence)
            .into_iter()
            .filter(|evidence| evidence.supports(fact))
            .map(|evidence| (evidence.episode_id, evidence.reference_time))
            .collect();
        if supporting.is_empty() {
            return vec![(fact.episode_id.clone(), fact.reference_time)];
        }
        supporting
    }

    /// The episodes themselves.
    fn supporting_episodes(&self, fact: &FactAttributes) -> Vec<EpisodeAttributes> {
        let mut episodes = Vec::new();
        for (id, _) in self.supporting(fact) {
            let id = DocumentId::Episode(id);
            let kind = DocumentKind::Episode;
            let row = self
                .passing
                .documents
                .document(self.passing.group, kind, &id);
            if let Some(Attributes::Episode(episode)) =
                self.or_default(row).map(|row| row.attributes)
            {
                episodes.push(episode);
            }
        }
        episodes
    }
}

impl Filtered for Candidate<'_> {
    fn times(&self, field: &FilterField) -> Vec<Instant> {
        match (&self.entry.attributes, field) {
            (Attributes::Fact(fact), FilterField::ValidAt) => vec![fact.valid_at],
            (Attributes::Fact(fact), FilterField::InvalidAt) => {
                fact.invalid_at.into_iter().collect()
            }
            (Attributes::Fact(fact), FilterField::ReferenceTime) => self
                .supporting(fact)
                .into_iter()
                .map(|(_, time)| time)
                .collect(),
            (Attributes::Episode(episode), FilterField::ReferenceTime) => {
                vec![episode.reference_time]
            }
            _ => Vec::new(),
        }
    }

    fn values(&self, field: &FilterField) -> Vec<Value> {
        match (&self.entry.attributes, field) {
            (Attributes::Fact(fact), FilterField::Relation) => vec![text(&fact.relation)],
            (Attributes::Fact(fact), FilterField::EntityType) => {
                let types = [&fact.subject_type, &fact.object_type];
                types.into_iter().flatten().map(|name| text(name)).collect()
            }
            (Attributes::Entity(entity), FilterField::EntityType) => {
                entity.entity_type.iter().map(|name| text(name)).collect()
            }
            (Attributes::Episode(episode), field) => {
                episode_value(episode, field).into_iter().collect()
            }
            (Attributes::Fact(fact), FilterField::Source | FilterField::Metadata(_)) => self
                .supporting_episodes(fact)
                .iter()
                .filter_map(|episode| episode_value(episode, field))
                .collect(),
            _ => Vec::new(),
        }
    }
}

fn episode_value(episode: &EpisodeAttributes, field: &FilterField) -> Option<Value> {
    match field {
        FilterField::Source => Some(text(episode.source.as_str())),
        FilterField::Metadata(key) => {
            let value = episode.metadata.get(key)?;
            serde_json::from_str(value).ok()
        }
        _ => None,
    }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}
