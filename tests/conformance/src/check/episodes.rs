//! An episode's state, and the list of a group's episodes.

use serde_json::Value;

use super::{read_all, read_one};
use crate::client::Client;
use crate::expectation::{EpisodesRead, StateWanted};
use crate::fields::text_of;
use crate::step::EpisodeName;

/// As many as one list gives.
const ALL: u32 = 1_000;

/// Reads the episode's record and compares its state, reason and notes.
pub(super) async fn check_state(
    client: &Client,
    name: &EpisodeName,
    wanted: &StateWanted,
) -> Result<(), String> {
    let path = ["v1", "groups", &name.group_id, "episodes", &name.episode_id];
    let record = read_one(&name.episode_id, client.get(&path, &[]).await)?;
    judge_state(wanted, &record)
        .map_err(|difference| format!("{difference} [{}/{}]", name.group_id, name.episode_id))
}

fn judge_state(wanted: &StateWanted, record: &Value) -> Result<(), String> {
    let state = record.get("state").map(text_of).unwrap_or_default();
    let reason = record.get("reason").map(text_of).unwrap_or_default();
    if state != wanted.is {
        return Err(format!(
            "expected state {}; came {state} ({reason})",
            wanted.is
        ));
    }
    if let Some(text) = wanted
        .reason_contains
        .as_ref()
        .filter(|text| !reason.contains(*text))
    {
        return Err(format!("expected {text:?} in the reason; came {reason:?}"));
    }
    let notes = record
        .get("notes")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let noted = |text: &String| notes.iter().any(|note| text_of(note).contains(text));
    if let Some(text) = wanted.notes_contain.as_ref().filter(|text| !noted(text)) {
        return Err(format!(
            "expected {text:?} in the notes; came {}",
            Value::Array(notes)
        ));
    }
    Ok(())
}

/// Reads the group's list and compares the order.
pub(super) async fn check_list(
    client: &Client,
    read: &EpisodesRead,
    order: &[String],
) -> Result<(), String> {
    let query = [("last", read.last.unwrap_or(ALL).to_string())];
    let path = ["v1", "groups", &read.group_id, "episodes"];
    let episodes: Vec<Value> = read_all(client, &path, &query, "episodes").await?;
    let came: Vec<String> = episodes
        .iter()
        .map(|episode| episode.get("episode_id").map(text_of).unwrap_or_default())
        .collect();
    if came != order {
        return Err(format!(
            "expected {order:?}; came {came:?} [{}]",
            read.group_id
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn state_reason_and_notes() {
        let record =
            json!({"state": "done", "reason": null, "notes": [{"kind": "unmatched"}, "late"]});
        let judged = |wanted: Value| judge_state(&serde_json::from_value(wanted).unwrap(), &record);
        assert_eq!(
            judged(json!({"is": "done", "notes_contain": "unmatched"})),
            Ok(())
        );
        assert_eq!(
            judged(json!({"is": "done", "notes_contain": "late"})),
            Ok(())
        );
        assert!(judged(json!({"is": "failed"})).is_err());
        assert!(judged(json!({"is": "done", "notes_contain": "dropped"})).is_err());
        assert!(judged(json!({"is": "done", "reason_contains": "401"})).is_err());
    }
}
