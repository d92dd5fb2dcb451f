//! Rules of names, sentences and JSON values.

use mneme_api::Problem;
use mneme_model::{clean_text, is_blank, is_name};
use serde_json::Value;

use crate::limits::NAME_BYTES;

/// The text without NUL.
pub fn cleaned(text: String) -> String {
    if text.contains('\0') {
        clean_text(&text)
    } else {
        text
    }
}

/// A name, a type or an external id. It holds something that identifies.
pub fn name(field: &str, text: String) -> Result<String, Problem> {
    let text = sentence(field, text, NAME_BYTES)?;
    if is_name(&text) {
        return Ok(text);
    }
    Err(Problem::invalid_field(
        field,
        "must hold more than punctuation",
    ))
}

/// A name that may be left out, but not be blank.
pub fn optional_name(field: &str, text: Option<String>) -> Result<Option<String>, Problem> {
    text.map(|text| name(field, text)).transpose()
}

/// A text that is not blank, of some bytes at the most.
pub fn sentence(field: &str, text: String, most: usize) -> Result<String, Problem> {
    let text = cleaned(text);
    if is_blank(&text) {
        return Err(Problem::invalid_field(field, "must not be blank"));
    }
    if text.len() > most {
        let text = format!("has {} bytes and may have {most}", text.len());
        return Err(Problem::invalid_field(field, text));
    }
    Ok(text)
}

/// A value as JSON, its texts without NUL.
pub fn json_text(mut value: Value) -> String {
    let text = value.to_string();
    if !text.contains("\\u0000") {
        return text;
    }
    clean_value(&mut value);
    value.to_string()
}

fn clean_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean_text(text),
        Value::Array(items) => items.iter_mut().for_each(clean_value),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(key, mut value)| {
                    clean_value(&mut value);
                    (cleaned(key), value)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nul_goes_and_the_rest_stays() {
        let value = json!({"a\0b": ["x\0y\n", {"c": "\\u0000"}], "n": 1.50});
        assert_eq!(
            json_text(value),
            r#"{"ab":["xy\n",{"c":"\\u0000"}],"n":1.5}"#
        );
    }

    #[test]
    fn a_name_identifies() {
        for good in ["Ann", "№ 5", "南开", "🦦", "C++"] {
            assert!(name("n", good.to_owned()).is_ok(), "{good}");
        }
        for bad in ["", "  ", "\u{200b}", "\0", "...", "--", "!!", "?"] {
            assert!(name("n", bad.to_owned()).is_err(), "{bad:?}");
        }
        assert!(name("n", "x".repeat(513)).is_err());
    }
}
