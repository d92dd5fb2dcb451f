//! One record as its producer made it.

use std::sync::Arc;

use mneme_log::Partition;
use mneme_model::Instant;
use mneme_telemetry::TraceParent;
use rdkafka::Message;
use rdkafka::message::{BorrowedMessage, Headers};

use super::tenures::Tenure;

/// A record of a producer's own topic.
#[derive(Debug, Clone)]
pub struct ProducerRecord {
    /// The topic, as its producer calls it.
    pub topic: Arc<str>,
    /// Its partition.
    pub partition: Partition,
    /// Its place there.
    pub offset: u64,
    /// When it was made, or written, as the topic is set; none where the record does not say.
    pub time: Option<Instant>,
    /// The key, where it has one.
    pub key: Option<Vec<u8>>,
    /// The value; none where the record only says that something is gone.
    pub value: Option<Vec<u8>>,
    /// The headers, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    pub(super) tenure: Tenure,
}

impl ProducerRecord {
    pub(super) fn new(message: &BorrowedMessage<'_>, topic: Arc<str>, tenure: Tenure) -> Self {
        let headers = message.headers().into_iter().flat_map(Headers::iter);
        let headers = headers.map(|header| {
            let value = header.value.unwrap_or_default();
            (header.key.to_owned(), value.to_vec())
        });
        let time = message.timestamp().to_millis();
        Self {
            topic,
            // Neither is ever negative in a record that was fetched.
            partition: message.partition().unsigned_abs(),
            offset: message.offset().unsigned_abs(),
            time: time.map(|time| Instant::from_micros(time.saturating_mul(1_000))),
            key: message.key().map(<[u8]>::to_vec),
            value: message.payload().map(<[u8]>::to_vec),
            headers: headers.collect(),
            tenure,
        }
    }

    /// The last header of a name.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        let mut of_name = self.headers.iter().rev().filter(|(found, _)| found == name);
        of_name.next().map(|(_, value)| value.as_slice())
    }

    /// The trace that its producer says it belongs to.
    pub fn trace(&self) -> Option<TraceParent> {
        let text = std::str::from_utf8(self.header(TraceParent::HEADER)?).ok()?;
        TraceParent::parse(text)
    }

    /// What it takes of memory.
    pub(super) fn bytes(&self) -> usize {
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| name.len() + value.len());
        let length = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
        length(&self.key) + length(&self.value) + headers.sum::<usize>() + 128
    }
}
