//! Dead letters of records that make no episode.

use mneme_events::{DeadLettered, EventHeader};
use mneme_log_kafka::ProducerRecord;
use mneme_model::{GroupId, Instant, derived_id};
use uuid::Uuid;

use super::INTAKE;

/// The namespace of the ids of these letters.
const LETTERS: Uuid = Uuid::from_u128(0x6d6e_656d_6500_5000_8000_696e_7461_6b65);

/// The letter of a record. Its id follows from where the record is, so that a record that is read
/// again gives the same letter.
pub fn letter(record: &ProducerRecord, group: Option<GroupId>, reason: &str) -> DeadLettered {
    let place = [
        record.topic.as_bytes(),
        &record.partition.to_be_bytes(),
        &record.offset.to_be_bytes(),
    ];
    DeadLettered {
        header: EventHeader {
            event_id: derived_id(LETTERS, &place),
            group_id: group.unwrap_or_else(GroupId::unknown),
            seq: 0,
            cause: None,
            recorded_at: record.time.unwrap_or(Instant::from_micros(0)),
        },
        stage: INTAKE.to_owned(),
        source_topic: record.topic.to_string(),
        source_partition: i32::try_from(record.partition).ok(),
        source_offset: i64::try_from(record.offset).unwrap_or(i64::MAX),
        source_key: record.key.clone(),
        kind: INTAKE.to_owned(),
        reason: DeadLettered::bounded(reason),
        payload: record.value.clone().unwrap_or_default(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        attempts: Some(1),
        schema_id: None,
    }
}

/// The letter of a record that is larger than a letter may be: where it is, without what it holds.
pub fn without_content(letter: DeadLettered) -> DeadLettered {
    let bytes = letter.payload.len();
    DeadLettered {
        reason: format!(
            "{}; its {bytes} bytes are not kept here, only on its topic",
            letter.reason
        ),
        payload: Vec::new(),
        source_key: None,
        ..letter
    }
}
