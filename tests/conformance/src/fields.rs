//! Reading JSON objects whose kind is told by one of their keys: the key is taken out, and the rest
//! must be known too.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Takes out the first of the keys that the object has, with its value; the rest stays.
pub(crate) fn take_kind(
    value: &Value,
    kinds: &[&'static str],
) -> Result<(&'static str, Value, Map<String, Value>), String> {
    let Value::Object(map) = value else {
        return Err("not an object".to_owned());
    };
    let mut rest = map.clone();
    for &kind in kinds {
        // `shift_remove` keeps the order of the others, so that a message lists them as written.
        if let Some(about) = rest.shift_remove(kind) {
            return Ok((kind, about, rest));
        }
    }
    let keys: Vec<&str> = map.keys().map(String::as_str).collect();
    Err(format!("none of its keys is known: {}", keys.join(", ")))
}

/// Reads a value, with the error as text.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Reads what is left of an object once its kind is taken out.
pub(crate) fn read_rest<T: DeserializeOwned>(rest: Map<String, Value>) -> Result<T, String> {
    read(Value::Object(rest))
}

/// A value of any JSON kind as the text it stands for.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// One value or a list of them.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}
