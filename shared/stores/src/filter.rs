//! A [`Filter`] is understood whole or refused: an unknown field, operator or shape is an error,
//! never ignored.
//!
//! `reference_time` of a fact is that of the episodes that support it: any may match.

use mneme_model::{Instant, InvalidValue};
use serde_json::Value;

/// A condition on what a search gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// All hold; none is true.
    And(Vec<Filter>),
    /// At least one holds; none is false.
    Or(Vec<Filter>),
    /// It does not hold.
    Not(Box<Filter>),
    /// A field compares so with a value. A field that is absent matches only `ne` and `nin`.
    Field(FilterField, Comparison, FilterValue),
}

/// The fields that a filter knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FilterField {
    /// When a fact began.
    ValidAt,
    /// When a fact ceased.
    InvalidAt,
    /// When an episode, or one that supports a fact, was said.
    ReferenceTime,
    /// The relation of a fact.
    Relation,
    /// The type of an entity, or of either end of a fact.
    EntityType,
    /// The kind of input of an episode, or of one that a fact comes from.
    Source,
    /// A field of an episode's metadata.
    Metadata(String),
}

/// The operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the operators of the API")]
pub enum Comparison {
    Eq,
    Ne,
    In,
    Nin,
    Lt,
    Lte,
    Gt,
    Gte,
}

/// What a field is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterValue {
    /// Instants (time fields); several for `in` and `nin`.
    Times(Vec<Instant>),
    /// JSON values (other fields); several for `in` and `nin`.
    Values(Vec<Value>),
}

impl Filter {
    /// The deepest nesting that is taken.
    pub const MAX_DEPTH: usize = 16;

    /// Reads a filter from its JSON; the error names the place.
    pub fn parse(json: &Value) -> Result<Self, InvalidValue> {
        parse(json, "filter", 0)
    }
}

fn parse(json: &Value, place: &str, depth: usize) -> Result<Filter, InvalidValue> {
    let refused = |text: &str| InvalidValue::new(format!("{place}: {text}"));
    if depth > Filter::MAX_DEPTH {
        return Err(refused("is nested too deep; 16 levels are taken"));
    }
    let single = json.as_object().filter(|object| object.len() == 1);
    let Some((key, value)) = single.and_then(|object| object.iter().next()) else {
        return Err(refused(
            "must be an object with one key: \"and\", \"or\", \"not\" or a field",
        ));
    };
    let place = format!("{place}.{key}");
    let list = |value: &Value| -> Result<Vec<Filter>, InvalidValue> {
        let items = value
            .as_array()
            .ok_or_else(|| InvalidValue::new(format!("{place}: must be a list of filters")))?;
        items
            .iter()
            .enumerate()
            .map(|(index, item)| parse(item, &format!("{place}[{index}]"), depth + 1))
            .collect()
    };
    match key.as_str() {
        "and" => list(value).map(Filter::And),
        "or" => list(value).map(Filter::Or),
        "not" => Ok(Filter::Not(Box::new(parse(value, &place, depth + 1)?))),
        _ => parse_field(key, value, &place),
    }
}

fn parse_field(key: &str, value: &Value, place: &str) -> Result<Filter, InvalidValue> {
    let refused = |text: String| InvalidValue::new(format!("{place}: {text}"));
    let field = match key {
        "valid_at" => FilterField::ValidAt,
        "invalid_at" => FilterField::InvalidAt,
        "reference_time" => FilterField::ReferenceTime,
        "relation" => FilterField::Relation,
        "entity_type" => FilterField::EntityType,
        "source" => FilterField::Source,
        _ => match key.strip_prefix("metadata.") {
            Some(name) if !name.is_empty() => FilterField::Metadata(name.to_owned()),
            _ => {
                return Err(refused(
                    "is no field; there are valid_at, invalid_at, reference_time, relation, \
                     entity_type, source and metadata.<key>"
                        .to_owned(),
                ));
            }
        },
    };
    let comparisons = value
        .as_object()
        .filter(|object| !object.is_empty())
        .ok_or_else(|| refused("must be an object {\"<operator>\": value}".to_owned()))?;
    let mut parts = comparisons
        .iter()
        .map(|(operator, operand)| parse_comparison(&field, operator, operand, place))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(if parts.len() == 1 {
        parts.remove(0)
    } else {
        Filter::And(parts)
    })
}

fn parse_comparison(
    field: &FilterField,
    operator: &str,
    operand: &Value,
    place: &str,
) -> Result<Filter, InvalidValue> {
    let refused = |text: &str| InvalidValue::new(format!("{place}.{operator}: {text}"));
    let comparison = match operator {
        "eq" => Comparison::Eq,
        "ne" => Comparison::Ne,
        "in" => Comparison::In,
        "nin" => Comparison::Nin,
        "lt" => Comparison::Lt,
        "lte" => Comparison::Lte,
        "gt" => Comparison::Gt,
        "gte" => Comparison::Gte,
        _ => {
            return Err(refused(
                "is no operator; there are eq ne in nin lt lte gt gte",
            ));
        }
    };
    let operands = match comparison {
        Comparison::In | Comparison::Nin => operand
            .as_array()
            .cloned()
            .ok_or_else(|| refused("must be a list"))?,
        _ => vec![operand.clone()],
    };
    if operands
        .iter()
        .any(|operand| operand.is_array() || operand.is_object())
    {
        return Err(refused("must be text, a number, true, false or null"));
    }
    let is_time = matches!(
        field,
        FilterField::ValidAt | FilterField::InvalidAt | FilterField::ReferenceTime
    );
    let value = if is_time {
        let times = operands.iter().map(|operand| {
            let text = operand.as_str().ok_or_else(|| refused("must be a time"))?;
            text.parse()
                .map_err(|error: InvalidValue| refused(&error.0))
        });
        FilterValue::Times(times.collect::<Result<_, _>>()?)
    } else {
        FilterValue::Values(operands)
    };
    Ok(Filter::Field(field.clone(), comparison, value))
}

/// What a filter looks at: the values of a field, none where it is absent.
pub trait Filtered {
    /// The instants of a time field.
    fn times(&self, field: &FilterField) -> Vec<Instant>;
    /// The values of another field.
    fn values(&self, field: &FilterField) -> Vec<Value>;
}

impl Filter {
    /// Whether what is looked at passes.
    pub fn passes(&self, subject: &dyn Filtered) -> bool {
        match self {
            Self::And(parts) => parts.iter().all(|part| part.passes(subject)),
            Self::Or(parts) => parts.iter().any(|part| part.passes(subject)),
            Self::Not(part) => !part.passes(subject),
            Self::Field(field, comparison, FilterValue::Times(operands)) => {
                compare(&subject.times(field), *comparison, operands, |a, b| {
                    Some(a.cmp(b))
                })
            }
            Self::Field(field, comparison, FilterValue::Values(operands)) => compare(
                &subject.values(field),
                *comparison,
                operands,
                compare_values,
            ),
        }
    }
}

fn compare<T: PartialEq>(
    found: &[T],
    comparison: Comparison,
    operands: &[T],
    order: impl Fn(&T, &T) -> Option<std::cmp::Ordering>,
) -> bool {
    let any = |fits: &dyn Fn(std::cmp::Ordering) -> bool| {
        found.iter().any(|value| {
            operands
                .iter()
                .any(|operand| order(value, operand).is_some_and(fits))
        })
    };
    match comparison {
        Comparison::Eq | Comparison::In => any(&|order| order.is_eq()),
        Comparison::Ne | Comparison::Nin => !any(&|order| order.is_eq()),
        Comparison::Lt => any(&|order| order.is_lt()),
        Comparison::Lte => any(&|order| order.is_le()),
        Comparison::Gt => any(&|order| order.is_gt()),
        Comparison::Gte => any(&|order| order.is_ge()),
    }
}

/// Numbers with numbers, text with text (as times where both are); different kinds don't compare.
fn compare_values(a: &Value, b: &Value) -> Option<std::cmp::Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i128(), b.as_i128()) {
            // Exact: ids of other systems are beyond what a float can tell apart.
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
        },
        (Value::String(a), Value::String(b)) => {
            let time = |text: &str| (text.len() >= 10).then(|| text.parse::<Instant>().ok())?;
            match (time(a), time(b)) {
                (Some(a), Some(b)) => Some(a.cmp(&b)),
                _ => Some(a.cmp(b)),
            }
        }
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Null, Value::Null) => Some(std::cmp::Ordering::Equal),
        _ => None,
    }
}
