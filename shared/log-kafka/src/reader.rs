//! Reads of one partition by one consumer that is kept and reused.
//!
//! A reader that goes on where it stopped has the next records in memory already. One that is placed
//! anew asks for the stable end first, and so knows when it has seen everything: Kafka's notice of
//! the end alone may be an old one, and offsets have gaps where transactions ended.

use std::time::{Duration, Instant};

use mneme_events::Topic;
use mneme_log::{LogError, Partition};
use rdkafka::consumer::Consumer;
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{Reader, ask, away, reader};
use crate::config::{KafkaConfig, PATIENCE};
use crate::names::Names;
use crate::raw::Raw;

/// How long the broker holds back the answer that there is nothing more.
const END_NOTICE_MS: u64 = 3;

/// Where a reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub topic: Topic,
    pub partition: Partition,
    pub next: u64,
}

/// A consumer of one partition at a time.
pub(crate) struct PartitionReader {
    consumer: Reader,
    names: Names,
    at: Option<Place>,
}

impl PartitionReader {
    pub fn new(config: &KafkaConfig, names: &Names) -> Result<Self, LogError> {
        let mut settings = config.consumer(&names.group("reader"));
        settings
            .set("enable.partition.eof", "true")
            .set("auto.offset.reset", "error")
            .set("fetch.wait.max.ms", END_NOTICE_MS.to_string())
            .set("queued.min.messages", "10000")
            .set("queued.max.messages.kbytes", "4096");
        Ok(Self {
            consumer: reader(&settings)?,
            names: names.clone(),
            at: None,
        })
    }

    /// Where it would go on without being placed anew.
    pub fn at(&self) -> Option<Place> {
        self.at
    }

    /// The first and the stable end offset of a partition.
    pub fn bounds(&self, topic: Topic, partition: Partition) -> Result<(u64, u64), LogError> {
        let topic = self.names.topic(topic);
        let (first, end) = ask(|| {
            self.consumer
                .fetch_watermarks(topic, partition as i32, PATIENCE)
        })?;
        Ok((first.max(0).unsigned_abs(), end.max(0).unsigned_abs()))
    }

    /// Up to `max` records from a place on; fewer only where there are no more.
    pub fn read(&mut self, from: Place, max: usize) -> Result<Vec<Raw>, LogError> {
        let mut records = Vec::new();
        let read = self.read_into(&mut records, from, max);
        if read.is_err() {
            self.leave();
        }
        read.map(|()| records)
    }

    fn read_into(
        &mut self,
        records: &mut Vec<Raw>,
        from: Place,
        max: usize,
    ) -> Result<(), LogError> {
        let mut place = from;
        let mut end = None;
        if self.at != Some(place) {
            end = self.go_to(&mut place)?;
            if end.is_none() {
                return Ok(());
            }
        }
        let mut deadline = Instant::now() + PATIENCE;
        while records.len() < max {
            match self.consumer.poll(Duration::from_millis(100)) {
                Some(Ok(message)) => {
                    let raw = Raw::from(&message);
                    if raw.offset < place.next {
                        continue;
                    }
                    place.next = raw.offset + 1;
                    records.push(raw);
                    self.at = Some(place);
                    deadline = Instant::now() + PATIENCE;
                    if end.is_some_and(|end| place.next >= end) {
                        // There is nothing to fetch ahead.
                        self.leave();
                        break;
                    }
                }
                Some(Err(KafkaError::PartitionEOF(_))) if end.is_some() => {
                    self.leave();
                    break;
                }
                // The notice may be older than this read.
                Some(Err(KafkaError::PartitionEOF(_))) => {
                    end = self.go_to(&mut place)?;
                    if end.is_none() {
                        break;
                    }
                }
                Some(Err(error)) => tracing::debug!(%error, "a read is held up"),
                None => {}
            }
            if Instant::now() > deadline {
                let topic = self.names.topic(place.topic);
                return Err(LogError::Unavailable(format!("{topic} can't be read")));
            }
        }
        Ok(())
    }

    /// Begins to fetch from a place, or from the first record after it; tells the stable end. Nothing
    /// where there is nothing to fetch.
    fn go_to(&mut self, place: &mut Place) -> Result<Option<u64>, LogError> {
        self.leave();
        let (first, end) = self.bounds(place.topic, place.partition)?;
        place.next = place.next.max(first);
        if place.next >= end {
            return Ok(None);
        }
        let mut assignment = TopicPartitionList::new();
        // Offsets are far from the greatest.
        let offset = Offset::Offset(place.next as i64);
        let topic = self.names.topic(place.topic);
        assignment
            .add_partition_offset(topic, place.partition as i32, offset)
            .map_err(away)?;
        self.consumer.assign(&assignment).map_err(away)?;
        self.at = Some(*place);
        Ok(Some(end))
    }

    /// Stops fetching.
    fn leave(&mut self) {
        if self.at.take().is_some()
            && let Err(error) = self.consumer.unassign()
        {
            tracing::debug!(%error, "a reader could not leave its partition");
        }
    }
}
