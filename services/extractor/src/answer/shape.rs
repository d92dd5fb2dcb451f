//! Finds the extraction in what a model wrote: prose or a fence around it is ignored, and a JSON
//! value of another shape, such as a schema repeated, is not taken for it.

use serde_json::{Map, Value};

/// How many opening braces are tried.
const MAX_TRIES: usize = 200;

/// Why an answer can't be used. Never says what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    NotText,
    NoExtraction,
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotText => "the answer of the model is not text",
            Self::NoExtraction => "the answer of the model holds no extraction",
        })
    }
}

/// The first JSON object of the shape `{"entities": […], "facts": […]}`, one of the two at least.
pub(super) fn extraction(answer: &[u8]) -> Result<Map<String, Value>, Unusable> {
    let text = std::str::from_utf8(answer).map_err(|_| Unusable::NotText)?;
    for (start, _) in text.match_indices('{').take(MAX_TRIES) {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        if let Some(Ok(Value::Object(object))) = values.next()
            && is_extraction(&object)
        {
            return Ok(object);
        }
    }
    Err(Unusable::NoExtraction)
}

fn is_extraction(object: &Map<String, Value>) -> bool {
    let lists = ["entities", "facts"].map(|key| object.get(key));
    lists
        .iter()
        .any(|list| matches!(list, Some(Value::Array(_))))
        && lists
            .iter()
            .all(|list| matches!(list, None | Some(Value::Array(_) | Value::Null)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_and_fences_around() {
        for answer in [
            r#"{"entities": [], "facts": []}"#,
            "Here:\n```json\n{\"entities\": [], \"facts\": []}\n```\nAnything else?",
            r#"Notes on {rail} and {"a"}, as asked: {"facts": []}"#,
        ] {
            assert!(extraction(answer.as_bytes()).is_ok(), "{answer}");
        }
    }

    #[test]
    fn what_is_no_extraction() {
        for answer in [
            "",
            "I would rather not.",
            r#"{"entities": [{"name": "x""#,
            r#"{"type":"object","properties":{"entities":{"type":"array"},"facts":{"type":"array"}}}"#,
        ] {
            assert_eq!(
                extraction(answer.as_bytes()),
                Err(Unusable::NoExtraction),
                "{answer}"
            );
        }
        assert_eq!(extraction(&[0xff]), Err(Unusable::NotText));
    }
}
