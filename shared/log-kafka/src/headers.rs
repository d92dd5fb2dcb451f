//! The headers of records: the trace that each belongs to, and of dead letters and parked records also
//! where they come from, so that the tools of Kafka can sort them without decoding anything. They
//! hold nothing of the content but the record's key.

use mneme_events::{Event, Topic};
use mneme_log::{NewRecord, Partition};
use mneme_telemetry::TraceParent;
use rdkafka::message::{BorrowedHeaders, Header, Headers as _, OwnedHeaders};

use crate::names::Names;

/// Names and values.
pub(crate) type Headers = Vec<(&'static str, Vec<u8>)>;

const SOURCE_TOPIC: &str = "mneme.source.topic";
const SOURCE_PARTITION: &str = "mneme.source.partition";
const SOURCE_OFFSET: &str = "mneme.source.offset";
const SOURCE_KEY: &str = "mneme.source.key";
const STAGE: &str = "mneme.stage";
const VERSION: &str = "mneme.version";
const KIND: &str = "mneme.kind";
const ATTEMPTS: &str = "mneme.attempts";
const SCHEMA_ID: &str = "mneme.schema.id";

/// The headers of a record that goes to a partition.
pub(crate) fn headers_of(record: &NewRecord, partition: Partition, names: &Names) -> Headers {
    let mut headers = match record.event.as_ref() {
        Event::DeadLettered(letter) => {
            let topic = Topic::named(&letter.source_topic);
            let topic = topic.map_or(letter.source_topic.as_str(), |topic| names.topic(topic));
            let optional = [
                (SOURCE_PARTITION, letter.source_partition.map(text)),
                (SOURCE_KEY, letter.source_key.clone()),
                (VERSION, letter.version.as_ref().map(text)),
                (ATTEMPTS, letter.attempts.map(text)),
                (SCHEMA_ID, letter.schema_id.map(text)),
            ];
            let mut headers = vec![
                (SOURCE_TOPIC, text(topic)),
                (SOURCE_OFFSET, text(letter.source_offset)),
                (STAGE, text(&letter.stage)),
                (KIND, text(&letter.kind)),
            ];
            let present = |(name, value): (_, Option<Vec<u8>>)| Some((name, value?));
            headers.extend(optional.into_iter().filter_map(present));
            headers
        }
        Event::RecordParked(parked) => {
            let topic = Topic::input_of(&parked.stage);
            let topic = topic.map(|topic| (SOURCE_TOPIC, text(names.topic(topic))));
            topic
                .into_iter()
                .chain([
                    // A group is on one partition number from end to end.
                    (SOURCE_PARTITION, text(partition)),
                    (SOURCE_OFFSET, text(parked.source_offset)),
                    (SOURCE_KEY, text(&parked.header.group_id)),
                    (STAGE, text(&parked.stage)),
                    (VERSION, text(env!("CARGO_PKG_VERSION"))),
                    (KIND, text(parked.kind())),
                ])
                .collect()
        }
        _ => Vec::new(),
    };
    headers.extend(record.trace.map(|trace| (TraceParent::HEADER, text(trace))));
    headers
}

/// Headers as the client takes them.
pub(crate) fn owned(headers: &Headers) -> OwnedHeaders {
    let insert = |all: OwnedHeaders, (key, value): &(&'static str, Vec<u8>)| {
        let value = Some(value);
        all.insert(Header { key, value })
    };
    headers
        .iter()
        .fold(OwnedHeaders::new_with_capacity(headers.len()), insert)
}

/// The trace that headers name; none where it is malformed.
pub(crate) fn trace_of(headers: &BorrowedHeaders) -> Option<TraceParent> {
    let mut headers = headers.iter();
    let trace = headers.find(|header| header.key == TraceParent::HEADER)?;
    TraceParent::parse(std::str::from_utf8(trace.value?).ok()?)
}

fn text(value: impl ToString) -> Vec<u8> {
    value.to_string().into_bytes()
}
