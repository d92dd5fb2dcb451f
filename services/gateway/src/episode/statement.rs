//! Rules of statements. Each names its place: `facts[3].object`.

use mneme_api::{Problem, StatementDto};
use mneme_events::StatedFact;
use mneme_model::{Literal, LiteralKind, RelationName};
use serde_json::Value;

use super::text::{name, optional_name, sentence};
use crate::limits::{EPISODE_BYTES, SENTENCE_BYTES, STATEMENTS};

/// Checks the statements of an episode.
pub fn check_all(given: Vec<StatementDto>) -> Result<Vec<StatedFact>, Problem> {
    if given.len() > STATEMENTS {
        let text = format!("may be {STATEMENTS} at the most; send more episodes");
        return Err(Problem::invalid_field("facts", text));
    }
    let mut stated = Vec::with_capacity(given.len());
    let mut bytes = 0;
    for (index, statement) in given.into_iter().enumerate() {
        let fact =
            check(statement).map_err(|problem| problem.within(&format!("facts[{index}]")))?;
        bytes += texts_of(&fact).map(str::len).sum::<usize>();
        stated.push(fact);
    }
    if bytes > EPISODE_BYTES {
        let detail = format!(
            "facts: have {bytes} bytes of text and may have {EPISODE_BYTES}; send more episodes"
        );
        return Err(Problem::too_large(detail).about("facts"));
    }
    Ok(stated)
}

fn check(given: StatementDto) -> Result<StatedFact, Problem> {
    let refused = |field: &str, text: &str| Err(Problem::invalid_field(field, text));
    if given.value.is_some() {
        let object_fields = [
            ("object", &given.object),
            ("object_type", &given.object_type),
            ("object_external_id", &given.object_external_id),
        ];
        for (field, text) in object_fields {
            if text.is_some() {
                return refused(field, "does not go with \"value\": a literal is no entity");
            }
        }
    } else if given.object.is_none() {
        return refused("object", "is needed, or \"value\" where it is a literal");
    }
    let relation = RelationName::new(&given.relation)
        .map_err(|error| Problem::invalid_field("relation", error.0))?;
    if let (Some(start), Some(end)) = (&given.valid_at, &given.invalid_at)
        && end.0.at < start.0.at
    {
        return refused("invalid_at", "must not be before valid_at");
    }
    Ok(StatedFact {
        subject: name("subject", given.subject)?,
        subject_type: optional_name("subject_type", given.subject_type)?,
        subject_external_id: optional_name("subject_external_id", given.subject_external_id)?,
        relation: relation.as_str().to_owned(),
        object: optional_name("object", given.object)?,
        object_type: optional_name("object_type", given.object_type)?,
        object_external_id: optional_name("object_external_id", given.object_external_id)?,
        value: given
            .value
            .map(|value| literal("value", value))
            .transpose()?,
        fact: sentence("fact", given.fact, SENTENCE_BYTES)?,
        valid_at: given.valid_at.map(|time| time.0),
        invalid_at: given.invalid_at.map(|time| time.0),
        polarity: given.polarity,
        exclusive: false,
    })
}

/// A literal from its JSON value: text, a number, true or false.
pub fn literal(field: &str, value: Value) -> Result<Literal, Problem> {
    let (text, kind) = match value {
        Value::String(text) => (sentence(field, text, SENTENCE_BYTES)?, LiteralKind::String),
        Value::Number(number) => (number.to_string(), LiteralKind::Number),
        Value::Bool(boolean) => (boolean.to_string(), LiteralKind::Boolean),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            let text = "must be text, a number, true or false";
            return Err(Problem::invalid_field(field, text));
        }
    };
    Ok(Literal { text, kind })
}

fn texts_of(fact: &StatedFact) -> impl Iterator<Item = &str> {
    let optional = [
        &fact.subject_type,
        &fact.subject_external_id,
        &fact.object,
        &fact.object_type,
        &fact.object_external_id,
    ];
    let value = fact.value.as_ref().map(|value| value.text.as_str());
    [&*fact.subject, &*fact.relation, &*fact.fact]
        .into_iter()
        .chain(optional.into_iter().flatten().map(String::as_str))
        .chain(value)
}
