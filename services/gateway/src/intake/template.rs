//! A value of a mapping: a path, a template with paths in braces, or a constant.

use std::borrow::Cow;

use serde_json::Value;

use super::error::IntakeError;
use super::path::{Path, Root, Scene};

/// A value of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Template {
    /// The value at a path, with its JSON type.
    Path(Path),
    /// Texts and the scalars at paths, joined.
    Joined(Vec<Piece>),
    /// The same for every record.
    Constant(String),
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Path(Path),
}

impl Template {
    /// Reads a value. `@` exists where `in_relation` says so.
    pub fn parse(text: &str, in_relation: bool) -> Result<Self, String> {
        let template = if text.starts_with(['$', '@']) {
            Self::Path(Path::parse(text)?)
        } else if text.contains("{$") || text.contains("{@") {
            Self::Joined(pieces(text)?)
        } else {
            Self::Constant(text.to_owned())
        };
        if !in_relation && template.paths().any(|path| path.root() == Root::Found) {
            return Err(format!("'{text}': @ exists only inside a relation"));
        }
        Ok(template)
    }

    /// The paths in it.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let (path, pieces) = match self {
            Self::Path(path) => (Some(path), &[] as &[Piece]),
            Self::Joined(pieces) => (None, pieces.as_slice()),
            Self::Constant(_) => (None, &[] as &[Piece]),
        };
        let in_pieces = pieces.iter().filter_map(|piece| match piece {
            Piece::Path(path) => Some(path),
            Piece::Text(_) => None,
        });
        path.into_iter().chain(in_pieces)
    }

    /// Its value for a record; none where it is missing.
    pub fn value<'r>(&'r self, scene: Scene<'r>) -> Option<Cow<'r, Value>> {
        match self {
            Self::Path(path) => path.find(scene).map(Cow::Borrowed),
            Self::Joined(pieces) => {
                let mut joined = String::new();
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => joined.push_str(text),
                        Piece::Path(path) => joined.push_str(&scalar_text(path.find(scene)?)?),
                    }
                }
                Some(Cow::Owned(Value::String(joined)))
            }
            Self::Constant(text) => {
                (!text.is_empty()).then(|| Cow::Owned(Value::String(text.clone())))
            }
        }
    }

    /// Its value as text; a number or boolean becomes one.
    pub fn text(&self, key: &str, scene: Scene<'_>) -> Result<Option<String>, IntakeError> {
        let Some(value) = self.value(scene) else {
            return Ok(None);
        };
        match scalar_text(&value) {
            Some(text) => Ok(Some(text.into_owned())),
            None => Err(IntakeError::unfit(
                key,
                "must be text, a number, true or false",
            )),
        }
    }
}

/// The text of a scalar; none for an object or a list.
pub fn scalar_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(boolean) => Some(Cow::Borrowed(if *boolean { "true" } else { "false" })),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut constant = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, braced) = rest.split_at(start);
        constant.push_str(before);
        let inside = &braced[1..];
        if !inside.starts_with(['$', '@']) {
            constant.push('{');
            rest = inside;
            continue;
        }
        let (path, after) = Path::parse_start(inside)?;
        let Some(after) = after.strip_prefix('}') else {
            return Err(format!("'{text}': a path in braces ends with '}}'"));
        };
        if !constant.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut constant)));
        }
        pieces.push(Piece::Path(path));
        rest = after;
    }
    constant.push_str(rest);
    if !constant.is_empty() {
        pieces.push(Piece::Text(constant));
    }
    Ok(pieces)
}
