//! The consumer's place in its group: what the group gives and takes is noted in the order of the
//! records, for the thread to act on.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mneme_log::LogError;
use rdkafka::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::statistics::{Partition, Statistics};
use rdkafka::topic_partition_list::TopicPartitionList;
use rdkafka::types::RDKafkaRespErr;

use crate::client::{misconfigured, note_error, note_log};

/// What the group did.
#[derive(Debug)]
pub(crate) enum Change {
    /// It gives partitions, which are to be assigned.
    Given(TopicPartitionList),
    /// It took partitions, which are unassigned.
    Taken(TopicPartitionList),
}

/// The end of what is committed of a partition, as the consumer knows it.
#[derive(Debug)]
pub(crate) struct End {
    pub topic: String,
    pub partition: i32,
    pub offset: i64,
}

/// The context of a consumer that is a member of a group.
#[derive(Debug, Default)]
pub(crate) struct Group {
    changes: Mutex<VecDeque<Change>>,
    ends: Mutex<Option<Vec<End>>>,
    is_closing: AtomicBool,
    /// Whether the session was over before partitions were given up, and none were given since.
    is_lost: AtomicBool,
}

impl Group {
    /// A consumer that joins with these settings, to read these topics.
    pub fn join(
        self,
        settings: &ClientConfig,
        topics: &[String],
    ) -> Result<BaseConsumer<Self>, LogError> {
        let consumer: BaseConsumer<Self> =
            settings.create_with_context(self).map_err(misconfigured)?;
        let topics: Vec<&str> = topics.iter().map(String::as_str).collect();
        consumer.subscribe(&topics).map_err(misconfigured)?;
        Ok(consumer)
    }

    pub fn next(&self) -> Option<Change> {
        self.changes().pop_front()
    }

    /// Whether the session was over before partitions were given up, and none were given since.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    /// What the next consumer of the same member begins with: what is noted and not acted on yet.
    pub fn successor(&self) -> Self {
        Self {
            changes: Mutex::new(std::mem::take(&mut *self.changes())),
            ..Self::default()
        }
    }

    /// The ends that were told last, once.
    pub fn take_ends(&self) -> Option<Vec<End>> {
        self.ends().take()
    }

    /// From now on nothing is taken that the group gives.
    pub fn close(&self) {
        self.is_closing.store(true, Ordering::Release);
    }

    fn ends(&self) -> MutexGuard<'_, Option<Vec<End>>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn stats(&self, statistics: Statistics) {
        let topics = statistics.topics.into_iter();
        let ends = topics.flat_map(|(topic, of_topic)| {
            let end = move |of_partition: Partition| End {
                topic: topic.clone(),
                partition: of_partition.partition,
                offset: of_partition.ls_offset,
            };
            of_topic.partitions.into_values().map(end)
        });
        // Negative where it is not known yet.
        let known = ends.filter(|end| end.offset >= 0).collect();
        *self.ends() = Some(known);
    }
}

impl ConsumerContext for Group {
    fn rebalance(
        &self,
        consumer: &BaseConsumer<Self>,
        change: RDKafkaRespErr,
        list: &mut TopicPartitionList,
    ) {
        let done = match change {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => {
                self.is_lost.store(false, Ordering::Release);
                if self.is_closing.load(Ordering::Acquire) {
                    consumer.unassign()
                } else {
                    self.changes().push_back(Change::Given(list.clone()));
                    Ok(())
                }
            }
            _ => {
                if consumer.assignment_lost() {
                    self.is_lost.store(true, Ordering::Release);
                }
                self.changes().push_back(Change::Taken(list.clone()));
                consumer.incremental_unassign(list)
            }
        };
        if let Err(error) = done {
            tracing::warn!(%error, "the consumer did not follow its group");
        }
    }
}
