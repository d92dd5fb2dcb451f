//! From the answer of a model to mentions and statements.

use std::collections::HashMap;

use mneme_events::Episode;
use mneme_model::{
    Literal, LiteralKind, Multiplicity, NameKey, Ontology, Polarity, TimePoint, is_blank,
};
use serde_json::{Map, Value};

use super::shape::{Unusable, extraction};
use crate::draft::{Draft, Named, Object, Statement};
use crate::state::Context;
use crate::time::{Language, Prefer, read_time};

/// Words that stand for the author.
const SPEAKER_WORDS: &[&str] = &["i", "me", "my", "myself", "mine"];
/// Types that say nothing.
const GENERAL_TYPES: &[&str] = &["entity", "object", "other", "thing", "unknown"];

/// Reads an answer into a draft.
pub(crate) fn read(
    draft: &mut Draft,
    episode: &Episode,
    context: &Context,
    answer: &[u8],
) -> Result<(), Unusable> {
    let answer = extraction(answer)?;
    let mut reader = AnswerReader {
        draft,
        episode,
        ontology: &context.ontology,
        names: HashMap::new(),
    };
    let entities = items(&answer, "entities");
    reader.collect_types(entities);
    for (index, entity) in entities.iter().enumerate() {
        if reader.entity(entity).is_none() {
            reader
                .draft
                .note(format!("dropped: entities[{index}] has no name"));
        }
    }
    for (index, fact) in items(&answer, "facts").iter().enumerate() {
        if reader.fact(index, fact).is_none() {
            reader
                .draft
                .note(format!("dropped: facts[{index}] lacks what a fact needs"));
        }
    }
    Ok(())
}

struct AnswerReader<'r> {
    draft: &'r mut Draft,
    episode: &'r Episode,
    ontology: &'r Ontology,
    /// The entities of the answer by key: the spelling and the most specific type.
    names: HashMap<NameKey, (String, Option<String>)>,
}

impl AnswerReader<'_> {
    /// One name twice is one entity, of the more specific type.
    fn collect_types(&mut self, entities: &[Value]) {
        for entity in entities {
            let Some(name) = entity.as_object().and_then(|entity| text(entity, "name")) else {
                continue;
            };
            let entity_type = entity.as_object().and_then(|entity| text(entity, "type"));
            let (_, known) = self
                .names
                .entry(NameKey::of(&name))
                .or_insert_with(|| (name, None));
            if is_more_specific(entity_type.as_deref(), known.as_deref()) {
                *known = entity_type;
            }
        }
    }

    fn entity(&mut self, entity: &Value) -> Option<()> {
        let entity = entity.as_object()?;
        let ordinal = self.mention(&text(entity, "name")?, None)?;
        for alias in items(entity, "aliases").iter().filter_map(Value::as_str) {
            self.draft.alias(ordinal, alias);
        }
        let attributes = entity.get("attributes").and_then(Value::as_object);
        for (name, value) in attributes.into_iter().flatten() {
            self.attribute(ordinal, name, value);
        }
        Some(())
    }

    /// An attribute is a statement with a literal object, one at a time unless the ontology says
    /// that there are many.
    fn attribute(&mut self, ordinal: i32, name: &str, value: &Value) {
        let is_many = self.ontology.entities.values().any(|entity| {
            entity
                .attributes
                .get(name)
                .is_some_and(|attribute| attribute.cardinality == Multiplicity::Many)
        });
        let values = match value {
            Value::Array(values) if is_many => values.iter().collect(),
            value => vec![value],
        };
        for value in values {
            let Some(literal) = literal(value) else {
                continue;
            };
            let subject = self.draft.name(ordinal);
            let fact = format!("{subject} {}: {}", name.replace('_', " "), literal.text);
            self.draft.statement(Statement {
                subject: ordinal,
                relation: name.to_owned(),
                object: Object::Value(literal),
                fact,
                valid_at: None,
                invalid_at: None,
                polarity: Polarity::Holds,
                exclusive: !is_many,
                span: None,
            });
        }
    }

    fn fact(&mut self, index: usize, fact: &Value) -> Option<()> {
        let fact = fact.as_object()?;
        let subject = text(fact, "subject")?;
        let relation = text(fact, "relation")?;
        let object = text(fact, "object");
        let value = fact.get("value").and_then(literal);
        if object.is_none() && value.is_none() {
            return None;
        }
        let subject = self.mention(&subject, text(fact, "subject_type"))?;
        let object = match object {
            Some(object) => Object::Entity(self.mention(&object, text(fact, "object_type"))?),
            None => Object::Value(value?),
        };
        let sentence = text(fact, "fact").unwrap_or_else(|| {
            let object = match &object {
                Object::Entity(object) => self.draft.name(*object),
                Object::Value(literal) => &literal.text,
            };
            let words = relation.to_lowercase().replace('_', " ");
            format!("{} {words} {object}", self.draft.name(subject))
        });
        let polarity = match text(fact, "polarity").as_deref() {
            None | Some("holds") => Polarity::Holds,
            Some("ended") => Polarity::Ended,
            Some(_) => return None,
        };
        let valid_at = self.time(index, fact, "valid_at");
        let invalid_at = self.time(index, fact, "invalid_at");
        self.draft.statement(Statement {
            subject,
            relation,
            object,
            fact: sentence,
            valid_at,
            invalid_at,
            polarity,
            exclusive: false,
            span: None,
        });
        Some(())
    }

    /// The mention of a name: the author, an entity of the answer however it is spelled, or one
    /// that only a fact names.
    fn mention(&mut self, name: &str, given_type: Option<String>) -> Option<i32> {
        let key = NameKey::of(name);
        let author = self.episode.author.as_ref();
        if SPEAKER_WORDS.contains(&key.as_str()) {
            return self.draft.speaker(author?);
        }
        let (known_name, known_type) = self.names.get(&key).cloned().unzip();
        let known_type = known_type.flatten();
        if let Some(author) = author
            && NameKey::of(&author.name) == key
        {
            return self.draft.speaker(author);
        }
        // A fact may name another entity of the same name by another type.
        let entity_type = match (given_type, known_type) {
            (Some(given), Some(known)) if is_general(&given) || is_general(&known) => {
                Some(if is_general(&given) { known } else { given })
            }
            (given, known) => given.or(known),
        };
        self.draft.mention(
            Named {
                name: known_name.unwrap_or_else(|| name.to_owned()),
                entity_type,
                external_id: None,
            },
            None,
        )
    }

    fn time(&mut self, index: usize, fact: &Map<String, Value>, field: &str) -> Option<TimePoint> {
        let text = match fact.get(field)? {
            Value::Null => return None,
            Value::String(text) if is_blank(text) => return None,
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let reference = self.episode.reference_time;
        let point =
            text.and_then(|text| read_time(&text, reference, Language::ENGLISH, Prefer::Past));
        if point.is_none() {
            self.draft.note(format!(
                "facts[{index}].{field}: not a time, taken as absent"
            ));
        }
        point
    }
}

fn is_general(entity_type: &str) -> bool {
    GENERAL_TYPES
        .iter()
        .any(|general| general.eq_ignore_ascii_case(entity_type))
}

fn is_more_specific(given: Option<&str>, known: Option<&str>) -> bool {
    match (given, known) {
        (Some(_), None) => true,
        (Some(given), Some(known)) => is_general(known) && !is_general(given),
        (None, _) => false,
    }
}

fn items<'v>(object: &'v Map<String, Value>, key: &str) -> &'v [Value] {
    object
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A text that can be seen, trimmed.
fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    let text = object.get(key)?.as_str()?.trim();
    (!is_blank(text)).then(|| text.to_owned())
}

/// A value as a literal; what is nested as JSON text.
fn literal(value: &Value) -> Option<Literal> {
    let (text, kind) = match value {
        Value::Null => return None,
        Value::String(text) if is_blank(text) => return None,
        Value::String(text) => (text.clone(), LiteralKind::String),
        Value::Number(number) => (number.to_string(), LiteralKind::Number),
        Value::Bool(flag) => (flag.to_string(), LiteralKind::Boolean),
        nested => (nested.to_string(), LiteralKind::String),
    };
    Some(Literal { text, kind })
}
