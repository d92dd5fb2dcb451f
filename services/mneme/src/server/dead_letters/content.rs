//! A letter with its content, which an operator asked for, unless it was erased since.

use mneme_api::Problem;
use mneme_events::{Event, Topic, decode};
use mneme_log::EventLog;
use mneme_model::Instant;
use serde_json::{Value, json};

use super::erased::Erasures;
use super::index::Letter;
use super::record_at;

/// The letter with what it holds: as an event, where it is one of ours, else as text, else in
/// hexadecimal digits.
pub async fn shown(log: &dyn EventLog, letter: &Letter) -> Result<Value, Problem> {
    let found = record_at(log, letter.place).await?;
    let event = found.and_then(|record| record.event.ok());
    let (payload, key) = match event.as_deref() {
        Some(Event::DeadLettered(dead)) => (&dead.payload, dead.source_key.as_deref()),
        Some(Event::RecordParked(parked)) => (&parked.payload, None),
        _ => return Err(Problem::not_found("the log does not keep it any longer")),
    };
    let event = decode(payload).ok();
    let content = match &event {
        _ if is_erased(log, letter, event.as_ref()).await? => json!({ "erased": true }),
        Some(event) => json!({ "event": event.kind().name(), "fields": event }),
        None => as_text(payload),
    };
    let mut shown = json!(letter);
    shown["source_key"] = key.map_or(Value::Null, as_text);
    shown["content"] = content;
    Ok(shown)
}

/// Whether what a letter is of was erased since: then it is not shown, though the log still has it.
async fn is_erased(
    log: &dyn EventLog,
    letter: &Letter,
    event: Option<&Event>,
) -> Result<bool, Problem> {
    // Where its place is known, all that is behind it; else all that came later.
    let is_episode = letter.source_topic == Topic::Episodes.name();
    let (since, next) = match u64::try_from(letter.source_offset) {
        Ok(offset) if is_episode => (Instant::from_micros(i64::MIN), offset + 1),
        _ => (letter.received_at, 0),
    };
    let mut erasures = Erasures {
        log,
        group: event.map_or(&letter.group_id, Event::group_id),
        episode: event.and_then(Event::episode_id),
        since,
        next,
    };
    erasures.found(u64::MAX).await
}

fn as_text(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(_) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "hex": hex })
        }
    }
}
