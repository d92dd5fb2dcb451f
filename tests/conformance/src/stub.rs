//! The file that plays the model: for each episode, by `group/episode`, the extraction that its case
//! gives. And the bodies as they are sent, without what is meant for the stub.

use serde_json::{Map, Value};

use crate::case::Case;

/// Keys of an episode that are the runner's, not the API's.
const OWN_KEYS: [&str; 3] = ["extraction", "model_outputs", "prompt"];

/// The stub's answers for the cases; none when no episode has an extraction, so that the server is
/// started as users start it.
pub(crate) fn stub_answers<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Option<Value> {
    let mut answers = Map::new();
    for episode in cases.into_iter().flat_map(Case::episodes) {
        let id = |key| episode.get(key).and_then(Value::as_str);
        if let (Some(group), Some(name), Some(extraction)) =
            (id("group_id"), id("episode_id"), episode.get("extraction"))
        {
            answers.insert(format!("{group}/{name}"), extraction.clone());
        }
    }
    (!answers.is_empty()).then_some(Value::Object(answers))
}

/// The episode as the API takes it.
pub(crate) fn body_of(episode: &Value) -> Value {
    let mut body = episode.clone();
    if let Value::Object(map) = &mut body {
        map.retain(|key, _| !OWN_KEYS.contains(&key.as_str()));
    }
    body
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case(episode: Value) -> Case {
        serde_json::from_value(json!({"id": "c", "steps": [{"episode": episode}]})).unwrap()
    }

    #[test]
    fn the_extraction_goes_to_the_stub_and_not_to_the_server() {
        let episode =
            json!({"group_id": "g", "episode_id": "e", "body": "x", "extraction": {"facts": []}});
        let case = case(episode.clone());
        assert_eq!(stub_answers([&case]), Some(json!({"g/e": {"facts": []}})));
        assert_eq!(
            body_of(&episode),
            json!({"group_id": "g", "episode_id": "e", "body": "x"})
        );
    }

    #[test]
    fn no_extraction_no_stub() {
        assert_eq!(
            stub_answers([&case(json!({"group_id": "g", "episode_id": "e"}))]),
            None
        );
    }
}
