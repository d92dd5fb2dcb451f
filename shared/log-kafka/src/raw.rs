//! Records as Kafka has them.

use mneme_events::Topic;
use mneme_log::Partition;
use mneme_telemetry::TraceParent;
use rdkafka::Message;
use rdkafka::message::BorrowedMessage;

use crate::headers::{Headers, trace_of};

/// A record to be written.
#[derive(Debug)]
pub(crate) struct OutRecord {
    pub topic: Topic,
    pub partition: Partition,
    pub key: Vec<u8>,
    pub value: Vec<u8>,
    pub headers: Headers,
}

impl OutRecord {
    /// About what it takes of a request.
    pub fn bytes(&self) -> usize {
        let header = |(name, value): &(&str, Vec<u8>)| name.len() + value.len() + 4;
        let headers: usize = self.headers.iter().map(header).sum();
        self.key.len() + self.value.len() + headers + 100
    }
}

/// A record that was read.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub partition: Partition,
    pub offset: u64,
    pub key: Option<Vec<u8>>,
    pub value: Vec<u8>,
    pub trace: Option<TraceParent>,
}

impl Raw {
    /// What it takes of memory.
    pub fn bytes(&self) -> usize {
        self.key.as_ref().map_or(0, Vec::len) + self.value.len() + 64
    }
}

impl From<&BorrowedMessage<'_>> for Raw {
    fn from(message: &BorrowedMessage<'_>) -> Self {
        Self {
            // Neither is ever negative in a record that was fetched.
            partition: message.partition().unsigned_abs(),
            offset: message.offset().unsigned_abs(),
            key: message.key().map(<[u8]>::to_vec),
            value: message.payload().unwrap_or_default().to_vec(),
            trace: message.headers().and_then(trace_of),
        }
    }
}
