//! The filter for what comes from the graph, which no index has filtered: entities found by name and
//! facts met on a walk.

use std::collections::HashMap;

use mneme_model::{EpisodeId, Instant};
use mneme_stores::filter::Filtered;
use mneme_stores::{EntityRow, EpisodeRow, FactObject, FactVersionRow, Filter, FilterField};
use serde_json::Value;

use crate::rank::Key;
use crate::{QueryError, QueryService};

/// Whether an entity passes.
pub(super) fn entity_passes(entity: &EntityRow, filter: Option<&Filter>) -> bool {
    filter.is_none_or(|filter| filter.passes(&OfEntity(entity)))
}

struct OfEntity<'e>(&'e EntityRow);

impl Filtered for OfEntity<'_> {
    fn times(&self, _: &FilterField) -> Vec<Instant> {
        Vec::new()
    }

    fn values(&self, field: &FilterField) -> Vec<Value> {
        match field {
            FilterField::EntityType => self.0.entity_type.clone().map(Value::from),
            _ => None,
        }
        .into_iter()
        .collect()
    }
}

/// A version of a fact with the episodes that support it.
struct OfFact<'f> {
    row: &'f FactVersionRow,
    episodes: Vec<&'f EpisodeRow>,
}

impl Filtered for OfFact<'_> {
    fn times(&self, field: &FilterField) -> Vec<Instant> {
        match field {
            FilterField::ValidAt => vec![self.row.valid_at.at],
            FilterField::InvalidAt => self.row.invalid_at.iter().map(|end| end.at).collect(),
            FilterField::ReferenceTime => {
                let episodes = self.episodes.iter();
                episodes.map(|row| row.episode.reference_time).collect()
            }
            _ => Vec::new(),
        }
    }

    fn values(&self, field: &FilterField) -> Vec<Value> {
        let episodes = || self.episodes.iter().map(|row| &row.episode);
        match field {
            FilterField::Relation => vec![Value::from(self.row.relation.clone())],
            FilterField::EntityType => {
                let object = match &self.row.object {
                    FactObject::Entity(entity) => entity.entity_type.clone(),
                    FactObject::Literal(_) => None,
                };
                let types = [self.row.subject.entity_type.clone(), object];
                types.into_iter().flatten().map(Value::from).collect()
            }
            FilterField::Source => episodes().map(|e| Value::from(e.source.as_str())).collect(),
            FilterField::Metadata(name) => episodes()
                .filter_map(|episode| episode.metadata.get(name))
                .filter_map(|json| serde_json::from_str(json).ok())
                .collect(),
            _ => Vec::new(),
        }
    }
}

impl QueryService {
    /// Those of the facts met on a walk that pass the filter.
    pub(super) async fn facts_that_pass(
        &self,
        walked: Vec<(FactVersionRow, u32)>,
        filter: Option<&Filter>,
    ) -> Result<Vec<(FactVersionRow, u32)>, QueryError> {
        let Some(filter) = filter else {
            return Ok(walked);
        };
        let supports = self.supports(walked.iter().map(|(row, _)| row)).await?;
        let episodes_of = |row: &FactVersionRow| -> Vec<EpisodeId> {
            let statements = supports.get(&row.fact_id).into_iter().flatten();
            let supporting = statements.filter(|statement| statement.supports(row));
            supporting
                .map(|statement| statement.episode_id.clone())
                .collect()
        };
        let keys = walked.iter().flat_map(|(row, _)| {
            let keys = episodes_of(row).into_iter();
            keys.map(|id| Key::new(row.group_id.clone(), id.as_str()))
        });
        let episodes: HashMap<Key, EpisodeRow> = self.episode_rows(keys.collect()).await?;
        let passes = |row: &FactVersionRow| {
            let keys = episodes_of(row).into_iter();
            let keys = keys.map(|id| Key::new(row.group_id.clone(), id.as_str()));
            filter.passes(&OfFact {
                row,
                episodes: keys.filter_map(|key| episodes.get(&key)).collect(),
            })
        };
        Ok(walked
            .iter()
            .filter(|(row, _)| passes(row))
            .cloned()
            .collect())
    }
}
