//! Search results by the text they show, best first.

use std::time::Instant;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Scene, listed, parse, read_one};
use crate::expectation::{KnownAt, SearchWanted};
use crate::matching::missing;

/// A result as the API gives it; only what is compared.
#[derive(Debug, Deserialize)]
struct Found {
    #[serde(default)]
    kind: String,
    text: String,
    #[serde(default)]
    entity: Option<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

impl Found {
    fn shows(&self, text: &str) -> bool {
        self.text.contains(text) || self.entity.as_ref().is_some_and(|e| e.name.contains(text))
    }
}

/// Searches and compares.
pub(super) async fn check(
    scene: &Scene<'_>,
    body: &Map<String, Value>,
    wanted: &SearchWanted,
) -> Result<(), String> {
    let mut body = body.clone();
    if let Some(value) = body.get_mut("known_at") {
        let known_at: KnownAt = parse(value.clone(), "known_at")?;
        *value = Value::String(scene.known_at(&known_at)?);
    }
    let body = Value::Object(body);
    let begun = Instant::now();
    let answer = scene
        .client
        .send(Method::POST, &["v1", "search"], &[], Some(&body))
        .await;
    let took = begun.elapsed().as_millis();
    let mut answer = read_one("search", answer)?;
    let results = answer
        .get_mut("results")
        .map(Value::take)
        .unwrap_or_default();
    let results: Vec<Found> = parse(results, "search results")?;
    judge(wanted, &results).map_err(|difference| {
        let query = body
            .get("query")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let query: String = query.chars().take(60).collect();
        format!("{difference} [{query:?}]")
    })?;
    match wanted.max_ms {
        Some(most) if took > u128::from(most) => Err(format!(
            "expected an answer within {most} ms; came after {took} ms"
        )),
        _ => Ok(()),
    }
}

fn judge(wanted: &SearchWanted, results: &[Found]) -> Result<(), String> {
    let came = || {
        listed(results.iter().map(|found| {
            let text: String = found.text.chars().take(100).collect();
            format!("{} {text:?}", found.kind)
        }))
    };
    let first = wanted
        .first
        .as_ref()
        .map_or(&[][..], |first| first.as_slice());
    for (place, text) in first.iter().enumerate() {
        if !results.get(place).is_some_and(|found| found.shows(text)) {
            return Err(format!(
                "expected {text:?} at place {}; came {}",
                place + 1,
                came()
            ));
        }
    }
    let contains = wanted.contains.as_deref().unwrap_or_default();
    let absent = missing(contains, results.len(), |text, index| {
        results[index].shows(text)
    });
    if !absent.is_empty() {
        return Err(format!("expected {absent:?}; came {}", came()));
    }
    for text in wanted.lacks.iter().flatten() {
        if results.iter().any(|found| found.shows(text)) {
            return Err(format!("expected no {text:?}; came {}", came()));
        }
    }
    let mut left = results.iter();
    for text in wanted.order.iter().flatten() {
        if !left.any(|found| found.shows(text)) {
            let order = &wanted.order;
            return Err(format!(
                "expected the order {order:?}, {text:?} is not there; came {}",
                came()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(wanted: Value) -> Result<(), String> {
        let results: Vec<Found> = serde_json::from_value(json!([
            {"kind": "fact", "text": "Ann owns a kiln"},
            {"kind": "entity", "text": "a kiln fires clay", "entity": {"name": "blue kiln"}},
            {"kind": "episode", "text": "Bo sells a press"},
        ]))
        .unwrap();
        judge(&serde_json::from_value(wanted).unwrap(), &results)
    }

    #[test]
    fn first_is_the_best_or_the_best_few() {
        assert_eq!(judged(json!({"first": "Ann"})), Ok(()));
        assert_eq!(judged(json!({"first": ["Ann", "blue kiln"]})), Ok(()));
        assert!(judged(json!({"first": "Bo"})).is_err());
        assert!(judged(json!({"first": ["Ann", "kiln", "press", "more"]})).is_err());
    }

    #[test]
    fn contains_counts_results() {
        assert_eq!(judged(json!({"contains": ["kiln", "kiln", "Bo"]})), Ok(()));
        assert!(judged(json!({"contains": ["press", "press"]})).is_err());
        assert!(judged(json!({"contains": ["loom"]})).is_err());
    }

    #[test]
    fn lacks_and_order() {
        assert_eq!(
            judged(json!({"lacks": ["loom"], "order": ["Ann", "Bo"]})),
            Ok(())
        );
        assert!(judged(json!({"lacks": ["press"]})).is_err());
        assert!(judged(json!({"order": ["Bo", "Ann"]})).is_err());
    }
}
