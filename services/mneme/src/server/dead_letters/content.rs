//! A letter with its content, which an operator asked for.

use mneme_api::Problem;
use mneme_events::{Event, decode};
use mneme_log::EventLog;
use serde_json::{Value, json};

use super::index::Letter;
use crate::server::problems::of_log;

/// The letter with what it holds: as an event, where it is one of ours, else as text, else in
/// hexadecimal digits.
pub async fn shown(log: &dyn EventLog, letter: &Letter) -> Result<Value, Problem> {
    let (topic, partition, offset) = letter.place;
    let records = log
        .read(topic, partition, offset, 1)
        .await
        .map_err(of_log)?;
    let found = records.into_iter().find(|record| record.offset == offset);
    let event = found.and_then(|record| record.event.ok());
    let (payload, key) = match event.as_deref() {
        Some(Event::DeadLettered(dead)) => (&dead.payload, dead.source_key.as_deref()),
        Some(Event::RecordParked(parked)) => (&parked.payload, None),
        _ => return Err(Problem::not_found("the log does not keep it any longer")),
    };
    let content = match decode(payload) {
        Ok(event) => json!({ "event": event.kind().name(), "fields": event }),
        Err(_) => as_text(payload),
    };
    let mut shown = json!(letter);
    shown["source_key"] = key.map_or(Value::Null, as_text);
    shown["content"] = content;
    Ok(shown)
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
