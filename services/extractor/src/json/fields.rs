//! The fields of an object, those of objects that only group them included, and what they say of
//! each other.

use mneme_model::{TimePoint, is_blank};
use serde_json::{Map, Value};

use super::field;

/// Objects that only group the fields of their parent.
const GROUPS: &[&str] = &[
    "attributes",
    "custom fields",
    "fields",
    "properties",
    "relationships",
];

/// A field of an object.
#[derive(Debug, Clone)]
pub(super) struct Field<'v> {
    pub words: Vec<String>,
    pub value: &'v Value,
}

/// The fields of an object, those of its groups among them.
pub(super) fn fields(object: &Map<String, Value>) -> Vec<Field<'_>> {
    let mut fields = Vec::with_capacity(object.len());
    for (name, value) in object {
        let words = field::words(name);
        match value {
            Value::Object(group) if is_any(&words, GROUPS) => fields.extend(self::fields(group)),
            _ if words.is_empty() => {}
            _ => fields.push(Field { words, value }),
        }
    }
    fields
}

/// The object inside of `{"data": {…}}`, which some interfaces wrap references in.
pub(super) fn unwrapped(value: &Value) -> &Value {
    match value {
        Value::Object(object) => match object.get("data") {
            Some(data @ (Value::Object(_) | Value::Array(_)))
                if object
                    .keys()
                    .all(|key| matches!(key.as_str(), "data" | "links" | "meta")) =>
            {
                data
            }
            _ => value,
        },
        _ => value,
    }
}

/// The first field of one of these names whose value is a text that can be seen.
pub(super) fn find(fields: &[Field<'_>], names: &[&str]) -> Option<(usize, String)> {
    names.iter().find_map(|name| {
        fields.iter().enumerate().find_map(|(index, field)| {
            let text = field.value.as_str()?;
            let fits = is_any(&field.words, &[name]) && !mneme_model::is_blank(text);
            fits.then(|| (index, text.trim().to_owned()))
        })
    })
}

pub(super) fn is_any(words: &[String], names: &[&str]) -> bool {
    names
        .iter()
        .any(|name| name.split(' ').eq(words.iter().map(String::as_str)))
}

/// Whether an object beside a reference names what the reference refers to.
pub(super) fn is_named_by_sibling(fields: &[Field<'_>], stem: &[String]) -> bool {
    fields.iter().any(|field| {
        field.words == stem
            && match unwrapped(field.value) {
                Value::Object(object) => {
                    let fields = self::fields(object);
                    fields.iter().any(|field| {
                        matches!(field.words.as_slice(), [word] if word == "name" || word == "id")
                    })
                }
                _ => false,
            }
    })
}

/// The value of `account_name` beside `account_id`.
pub(super) fn sibling_name(fields: &[Field<'_>], stem: &[String]) -> Option<String> {
    fields.iter().find_map(|field| {
        let (last, name_stem) = field.words.split_last()?;
        let text = field.value.as_str()?;
        let fits = last == "name" && name_stem == stem && !is_blank(text);
        fits.then(|| text.trim().to_owned())
    })
}

/// Whether a field is `account_name` beside `account_id`, which is then no fact of its own.
pub(super) fn is_name_of_reference(fields: &[Field<'_>], words: &[String]) -> bool {
    let Some((last, stem)) = words.split_last() else {
        return false;
    };
    last == "name"
        && !stem.is_empty()
        && fields.iter().any(|field| {
            !field.value.is_array() && field::reference_stem(&field.words) == Some(stem)
        })
}

/// Takes the time that a field of that kind holds.
pub(super) fn take_time(
    fields: &[Field<'_>],
    used: &mut Vec<usize>,
    fits: fn(&[String]) -> bool,
) -> Option<TimePoint> {
    let (index, point) = fields.iter().enumerate().find_map(|(index, field)| {
        let text = field.value.as_str().filter(|_| fits(&field.words))?;
        Some((index, TimePoint::parse(text).ok()?))
    })?;
    used.push(index);
    Some(point)
}
