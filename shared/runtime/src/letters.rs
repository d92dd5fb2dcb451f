//! Dead letters: inputs that could not be taken, kept as they were with the reason.

use mneme_events::{DeadLettered, Event, EventHeader, encode};
use mneme_log::{Partition, Undecodable};
use mneme_model::{GroupId, Instant, derived_id};
use mneme_stage::{Stage, placeholder};
use mneme_telemetry::metric;
use uuid::Uuid;

use crate::parked::{Held, side_id};

/// The dead letter of an episode that can't be read for good.
pub(crate) fn extraction_failed(stage: &dyn Stage, held: &Held, reason: &str) -> DeadLettered {
    let event_id = side_id(&held.input, stage.name(), "dead");
    let header = EventHeader {
        event_id,
        ..placeholder(&held.input)
    };
    let payload = encode(&held.input).unwrap_or_default();
    letter(
        stage,
        header,
        held.offset,
        "extraction",
        reason.to_owned(),
        payload,
    )
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
        recorded_at: Instant::from_micros(0),
    };
    letter(
        stage,
        header,
        offset as i64,
        "undecodable",
        bad.reason,
        bad.bytes,
    )
}

fn letter(
    stage: &dyn Stage,
    header: EventHeader,
    source_offset: i64,
    kind: &'static str,
    reason: String,
    payload: Vec<u8>,
) -> DeadLettered {
    metrics::counter!(metric::DEAD_LETTERS, "stage" => stage.name(), "kind" => kind).increment(1);
    DeadLettered {
        header,
        stage: stage.name().to_owned(),
        source_topic: stage.input().name().to_owned(),
        source_offset,
        kind: kind.to_owned(),
        reason,
        payload,
    }
}

/// Whether an output says that an input could not be read for good.
pub(crate) fn failure_of(output: &Event) -> Option<&str> {
    match output {
        Event::ExtractionFailed(failed) => Some(&failed.reason),
        _ => None,
    }
}
