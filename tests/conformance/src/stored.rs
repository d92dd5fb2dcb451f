//! Facts as the API gives them: only what rows compare, so that what is added to the API later
//! doesn't hinder the runner.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use mneme_model::{Instant, NameKey};
use serde::Deserialize;
use serde_json::Value;

use crate::row::write_time;

/// A fact.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StoredFact {
    pub subject: End,
    pub relation: String,
    pub object: End,
    pub valid_at: Option<Instant>,
    pub invalid_at: Option<Instant>,
    #[serde(default)]
    pub precision: Option<String>,
    #[serde(default)]
    pub sources: Vec<Source>,
}

/// An end of a fact: an entity, or a literal.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct End {
    #[serde(default)]
    pub entity_id: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub value: Option<Value>,
}

/// An episode that a fact rests on.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Source {
    pub episode_id: String,
    pub reference_time: Instant,
}

/// The keys of all names of each entity of a group, by entity id.
#[derive(Debug, Default)]
pub(crate) struct NameBook(pub HashMap<String, BTreeSet<NameKey>>);

impl fmt::Display for StoredFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} {:?} {}", self.subject, self.relation, self.object)?;
        write_time(f, self.valid_at)?;
        write_time(f, self.invalid_at)?;
        write!(f, " {})", self.precision.as_deref().unwrap_or("?"))
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.value, &self.name) {
            (Some(value), _) => write!(f, "{value}"),
            (None, Some(name)) => write!(f, "{name:?}"),
            (None, None) => f.write_str("?"),
        }
    }
}
