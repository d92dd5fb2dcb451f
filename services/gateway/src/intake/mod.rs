//! Mappings: raw JSON of producers into episodes, told by an `intake.toml`.
//!
//! - A file is understood whole or refused when it is read; a key that no mapping has is an error.
//! - The same record always gives the same episode.
//! - A record that lacks a needed key is an error that names the key; an optional one is left out.
//!
//! `docs/mappings.md` tells the format.

mod error;
mod file;
mod mapping;
mod path;
mod record;
mod relation;
mod template;
mod time;
mod words;
mod written;

use mneme_api::{EpisodeBody, Problem, ProblemCode, from_json};
use mneme_model::GroupId;
use serde_json::Value;

pub use error::{IntakeError, MappingError};
use mapping::Plan;

/// The mappings of a file.
#[derive(Debug, Clone, Default)]
pub struct Mappings(Vec<Mapping>);

impl Mappings {
    /// Reads the text of an `intake.toml`.
    pub fn parse(text: &str) -> Result<Self, MappingError> {
        file::parse(text).map(Self)
    }

    /// The mapping of a name or topic.
    pub fn get(&self, name_or_topic: &str) -> Option<&Mapping> {
        let is_meant =
            |mapping: &&Mapping| mapping.name == name_or_topic || mapping.topic == name_or_topic;
        self.0.iter().find(is_meant)
    }

    /// All mappings, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Mapping> {
        self.0.iter()
    }
}

/// Reads a raw record as the body of a request is read. The reason holds none of its content.
pub fn read_record(bytes: &[u8]) -> Result<Value, Problem> {
    from_json(bytes).map_err(|problem| match problem.code {
        ProblemCode::Malformed => Problem::malformed("the record is no JSON"),
        _ => problem,
    })
}

/// How the records of one topic become episodes.
#[derive(Debug, Clone)]
pub struct Mapping {
    name: String,
    topic: String,
    plan: Plan,
}

impl Mapping {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The topic whose records it maps.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// The group of a record, also of one that gives no episode; none where it names none.
    pub fn group_of(&self, record: &Value) -> Option<GroupId> {
        self.plan.group_of(record).ok()
    }

    /// The episode of a record. The rules of the API are not applied here.
    pub fn apply(&self, record: &Value) -> Result<EpisodeBody, IntakeError> {
        self.plan.apply(record)
    }
}

#[cfg(test)]
mod tests;
