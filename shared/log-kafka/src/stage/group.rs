//! The consumer's place in its group: what the group gives and takes is noted in the order of the
//! records, for the thread to act on.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mneme_log::Partition;
use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::TopicPartitionList;
use rdkafka::types::RDKafkaRespErr;

use crate::client::{note_error, note_log};

/// What the group did.
#[derive(Debug)]
pub(super) enum Change {
    /// It gives partitions, which are to be assigned.
    Given(Vec<Partition>),
    /// It took partitions, which are unassigned.
    Taken(Vec<Partition>),
}

/// The context of the consumer of a stage.
#[derive(Debug, Default)]
pub(super) struct Group {
    changes: Mutex<VecDeque<Change>>,
    is_closing: AtomicBool,
}

impl Group {
    pub fn next(&self) -> Option<Change> {
        self.changes().pop_front()
    }

    /// From now on nothing is taken that the group gives.
    pub fn close(&self) {
        self.is_closing.store(true, Ordering::Release);
    }

    fn changes(&self) -> MutexGuard<'_, VecDeque<Change>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientContext for Group {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        note_log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        note_error(&error, reason);
    }
}

impl ConsumerContext for Group {
    fn rebalance(
        &self,
        consumer: &BaseConsumer<Self>,
        change: RDKafkaRespErr,
        list: &mut TopicPartitionList,
    ) {
        let partitions: Vec<Partition> = list
            .elements()
            .iter()
            .map(|element| element.partition().unsigned_abs())
            .collect();
        let done = match change {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => {
                if self.is_closing.load(Ordering::Acquire) {
                    consumer.unassign()
                } else {
                    self.changes().push_back(Change::Given(partitions));
                    Ok(())
                }
            }
            _ => {
                self.changes().push_back(Change::Taken(partitions));
                consumer.incremental_unassign(list)
            }
        };
        if let Err(error) = done {
            tracing::warn!(%error, "the consumer did not follow its group");
        }
    }
}
