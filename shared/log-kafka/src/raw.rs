//! Records as Kafka has them.

use mneme_events::Topic;
use mneme_log::Partition;
use rdkafka::Message;
use rdkafka::message::BorrowedMessage;

/// A record to be written.
#[derive(Debug)]
pub(crate) struct OutRecord {
    pub topic: Topic,
    pub partition: Partition,
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

impl OutRecord {
    /// About what it takes of a request.
    pub fn bytes(&self) -> usize {
        self.key.len() + self.value.len() + 100
    }
}

/// A record that was read.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub partition: Partition,
    pub offset: u64,
    pub key: Option<Vec<u8>>,
    pub value: Vec<u8>,
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
        }
    }
}
