//! An expected row of a fact, and when a stored fact fits it: names by identity key and alias, times
//! as instants, `"*"` fits anything.

use std::fmt;

use mneme_model::{Instant, NameKey};
use serde::Deserialize;
use serde_json::Value;

use crate::fields::text_of;
use crate::stored::{End, NameBook, StoredFact};

/// `[subject, relation, object, valid_at, invalid_at, precision?]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Vec<Value>")]
pub(crate) struct Row {
    subject: Cell,
    relation: Cell,
    object: Cell,
    valid_at: Time,
    invalid_at: Time,
    precision: Cell,
}

#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Any,
    Text(String),
}

#[derive(Debug, Clone, PartialEq)]
enum Time {
    Any,
    Is(Option<Instant>),
}

impl TryFrom<Vec<Value>> for Row {
    type Error = String;
    fn try_from(cells: Vec<Value>) -> Result<Self, String> {
        if cells.len() != 5 && cells.len() != 6 {
            return Err(format!(
                "a row has 5 or 6 elements, this one {}",
                cells.len()
            ));
        }
        Ok(Self {
            subject: cell(&cells[0]),
            relation: cell(&cells[1]),
            object: cell(&cells[2]),
            valid_at: time(&cells[3])?,
            invalid_at: time(&cells[4])?,
            precision: cells.get(5).map_or(Cell::Any, cell),
        })
    }
}

fn cell(value: &Value) -> Cell {
    match text_of(value) {
        text if text == "*" => Cell::Any,
        text => Cell::Text(text),
    }
}

fn time(value: &Value) -> Result<Time, String> {
    match value {
        Value::Null => Ok(Time::Is(None)),
        Value::String(text) if text == "*" => Ok(Time::Any),
        Value::String(text) => text
            .parse()
            .map(|at| Time::Is(Some(at)))
            .map_err(|error| format!("{error}")),
        other => Err(format!("{other} is no time")),
    }
}

impl Row {
    /// A row of the ends and the relation only.
    pub fn of_fact(subject: &str, relation: &str, object: &Value) -> Self {
        Self {
            subject: Cell::Text(subject.to_owned()),
            relation: Cell::Text(relation.to_owned()),
            object: cell(object),
            valid_at: Time::Any,
            invalid_at: Time::Any,
            precision: Cell::Any,
        }
    }

    /// Whether the fact is what the row says; `symmetric` relations fit either way round.
    pub fn fits(&self, fact: &StoredFact, names: &NameBook, symmetric: bool) -> bool {
        let ends = |subject: &End, object: &End| {
            self.subject.fits_end(subject, names) && self.object.fits_end(object, names)
        };
        self.relation.fits(&fact.relation)
            && self.valid_at.fits(fact.valid_at)
            && self.invalid_at.fits(fact.invalid_at)
            && self
                .precision
                .fits(fact.precision.as_deref().unwrap_or_default())
            && (ends(&fact.subject, &fact.object)
                || (symmetric && ends(&fact.object, &fact.subject)))
    }
}

impl Cell {
    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Text(wanted) => wanted == text,
        }
    }

    fn fits_end(&self, end: &End, names: &NameBook) -> bool {
        let Self::Text(wanted) = self else {
            return true;
        };
        if let Some(value) = &end.value {
            return text_of(value) == *wanted;
        }
        let key = NameKey::of(wanted);
        let has_name = |name: &String| NameKey::of(name) == key;
        let known_as = |id: &String| names.0.get(id).is_some_and(|keys| keys.contains(&key));
        end.name.as_ref().is_some_and(has_name) || end.entity_id.as_ref().is_some_and(known_as)
    }
}

impl Time {
    fn fits(&self, time: Option<Instant>) -> bool {
        match self {
            Self::Any => true,
            Self::Is(wanted) => *wanted == time,
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} {} {}", self.subject, self.relation, self.object)?;
        for at in [&self.valid_at, &self.invalid_at] {
            match at {
                Time::Any => write!(f, " *")?,
                Time::Is(at) => write_time(f, *at)?,
            }
        }
        if let Cell::Text(precision) = &self.precision {
            write!(f, " {precision}")?;
        }
        write!(f, ")")
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

pub(crate) fn write_time(f: &mut fmt::Formatter<'_>, at: Option<Instant>) -> fmt::Result {
    match at {
        Some(at) => write!(f, " {at}"),
        None => f.write_str(" null"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fact(value: Value) -> StoredFact {
        serde_json::from_value(value).unwrap()
    }

    fn row(value: Value) -> Row {
        serde_json::from_value(value).unwrap()
    }

    fn works_at() -> StoredFact {
        fact(json!({
            "subject": {"entity_id": "1", "name": "Ann Lee", "type": "Person"},
            "relation": "WORKS_AT",
            "object": {"entity_id": "2", "name": "Acme", "type": "Organization"},
            "valid_at": "2020-01-01T00:00:00Z", "invalid_at": null, "precision": "day",
        }))
    }

    #[test]
    fn names_by_key_and_alias_times_as_instants() {
        let mut names = NameBook::default();
        names
            .0
            .insert("2".to_owned(), [NameKey::of("Acme Inc.")].into());
        let fits = |value: Value| row(value).fits(&works_at(), &names, false);
        assert!(fits(json!([
            "ANN LEE",
            "WORKS_AT",
            "acme inc",
            "2020-01-01T02:00:00+02:00",
            null
        ])));
        assert!(fits(json!(["*", "*", "*", "*", "*"])));
        assert!(fits(json!([
            "Ann Lee",
            "WORKS_AT",
            "Acme",
            "2020-01-01T00:00:00Z",
            null,
            "day"
        ])));
        assert!(!fits(json!([
            "Ann Lee",
            "WORKS_AT",
            "Acme",
            "2020-01-01T00:00:00Z",
            null,
            "year"
        ])));
        assert!(!fits(json!([
            "Ann Lee",
            "works_at",
            "Acme",
            "2020-01-01T00:00:00Z",
            null
        ])));
        assert!(!fits(json!([
            "Ann Lee",
            "WORKS_AT",
            "Acme",
            "2020-01-01T00:00:01Z",
            null
        ])));
        assert!(!fits(json!(["Ann Lee", "WORKS_AT", "Acme", null, null])));
        assert!(!fits(json!([
            "Ann",
            "WORKS_AT",
            "Acme",
            "2020-01-01T00:00:00Z",
            null
        ])));
    }

    #[test]
    fn only_a_symmetric_relation_fits_either_way() {
        let turned = row(json!(["Acme", "WORKS_AT", "Ann Lee", "*", "*"]));
        assert!(turned.fits(&works_at(), &NameBook::default(), true));
        assert!(!turned.fits(&works_at(), &NameBook::default(), false));
    }

    #[test]
    fn a_literal_is_its_text() {
        let mut stored = works_at();
        stored.object = serde_json::from_value(json!({"value": 31, "kind": "integer"})).unwrap();
        let fits = |object: Value| {
            Row::of_fact("Ann Lee", "WORKS_AT", &object).fits(&stored, &NameBook::default(), false)
        };
        assert!(fits(json!("31")) && fits(json!(31)));
        assert!(!fits(json!("310")));
    }

    #[test]
    fn a_row_that_is_none_is_refused() {
        for bad in [
            json!(["a", "R", "b", null]),
            json!(["a", "R", "b", "later", null]),
        ] {
            assert!(serde_json::from_value::<Row>(bad).is_err());
        }
    }
}
