//! Dead letters: inputs that could not be taken, kept as they were with the reason.

use mneme_events::{DeadLettered, Event, EventHeader, Topic, encode};
use mneme_log::{NewRecord, Partition, Undecodable};
use mneme_model::{Clock, GroupId, SystemClock, derived_id};
use mneme_stage::{Stage, placeholder};
use mneme_telemetry::metric;
use uuid::Uuid;

use crate::parked::{Held, side_id};
use crate::workshop::record;

/// The dead letter of an episode that can't be read for good.
pub(crate) fn extraction_failed(stage: &dyn Stage, held: &Held, reason: &str) -> DeadLettered {
    let header = EventHeader {
        event_id: side_id(&held.input, stage.name(), "dead"),
        ..placeholder(&held.input)
    };
    DeadLettered {
        kind: "extraction".to_owned(),
        reason: DeadLettered::bounded(reason),
        payload: encode(&held.input).unwrap_or_default(),
        source_key: Some(header.group_id.as_str().as_bytes().to_vec()),
        attempts: i32::try_from(held.attempts + 1).ok(),
        ..letter(stage, header, (held.partition, held.offset))
    }
}

/// The dead letter of a record that does not decode. Where even its group is not known, the letter
/// is filed under a group of its own that no tenant reads: dead letters are no group's memory.
pub(crate) fn undecodable(
    stage: &dyn Stage,
    group: Option<GroupId>,
    (partition, offset): (Partition, u64),
    bad: Undecodable,
) -> DeadLettered {
    let (name, topic) = (stage.name(), stage.input());
    tracing::warn!(
        stage = name,
        partition,
        offset,
        reason = bad.reason,
        "a record does not decode"
    );
    let place = [partition.to_be_bytes().as_slice(), &offset.to_be_bytes()].concat();
    let header = EventHeader {
        event_id: derived_id(
            Uuid::NAMESPACE_OID,
            &[name.as_bytes(), topic.name().as_bytes(), &place],
        ),
        group_id: group.unwrap_or_else(GroupId::unknown),
        seq: 0,
        cause: None,
        recorded_at: SystemClock::default().now(),
    };
    DeadLettered {
        kind: "undecodable".to_owned(),
        reason: DeadLettered::bounded(&bad.reason),
        payload: bad.bytes,
        source_key: bad.key,
        schema_id: bad.schema_id.and_then(|id| i32::try_from(id).ok()),
        ..letter(stage, header, (partition, offset as i64))
    }
}

/// What all letters of a stage have.
fn letter(
    stage: &dyn Stage,
    header: EventHeader,
    (partition, offset): (Partition, i64),
) -> DeadLettered {
    DeadLettered {
        header,
        stage: stage.name().to_owned(),
        source_topic: stage.input().name().to_owned(),
        source_partition: i32::try_from(partition).ok(),
        source_offset: offset,
        source_key: None,
        kind: String::new(),
        reason: String::new(),
        payload: Vec::new(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        attempts: Some(1),
        schema_id: None,
    }
}

/// The record of a letter, which is counted.
pub(crate) fn record_of(letter: DeadLettered) -> NewRecord {
    let (stage, kind) = (letter.stage.clone(), letter.kind.clone());
    metrics::counter!(metric::DEAD_LETTERS, "stage" => stage, "kind" => kind).increment(1);
    record(Topic::DeadLetters, letter)
}

/// Whether an output says that an input could not be read for good.
pub(crate) fn failure_of(output: &Event) -> Option<&str> {
    match output {
        Event::ExtractionFailed(failed) => Some(&failed.reason),
        _ => None,
    }
}
