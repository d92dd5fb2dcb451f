//! Transactions of one producer, for the thread that owns it.
//!
//! 1. [`Transactions::write`] makes all records visible or none; where it fails nothing is visible
//!    and [`Transactions::abort`] comes next.
//! 2. A commit of which it is not known whether it happened is asked for again until it is known.
//! 3. While it waits, the caller is called now and then, to serve what else its thread has to do.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mneme_log::LogError;
use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerGroupMetadata;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Message};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext, PurgeConfig};
use rdkafka::topic_partition_list::TopicPartitionList;

use crate::client::{misconfigured, note_error, note_log};
use crate::config::{DELIVERY, KafkaConfig, PATIENCE};
use crate::headers::owned;
use crate::names::Names;
use crate::raw::OutRecord;
use crate::verdict::{Verdict, WriteError, judge};
use crate::wait::Wait;

/// How long a call to the broker blocks before the caller is served.
const SLICE: Duration = Duration::from_millis(500);
/// How long the delivery of records is waited for at once.
const TICK: Duration = Duration::from_millis(1);

/// What the positions of a commit are sent with.
pub(crate) struct Offsets<'a> {
    pub positions: &'a TopicPartitionList,
    pub group: &'a ConsumerGroupMetadata,
}

/// What became of each record, by its place in the batch.
#[derive(Default)]
struct Deliveries(Mutex<Vec<(usize, Result<u64, KafkaError>)>>);

impl Deliveries {
    fn take(&self) -> Vec<(usize, Result<u64, KafkaError>)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ClientContext for Deliveries {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        note_log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        note_error(&error, reason);
    }
}

impl ProducerContext for Deliveries {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, index: usize) {
        let delivered = match result {
            Ok(message) => Ok(message.offset().unsigned_abs()),
            Err((error, _)) => Err(error.clone()),
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((index, delivered));
    }
}

pub(crate) struct Transactions {
    producer: BaseProducer<Deliveries>,
    id: String,
    names: Names,
}

impl Transactions {
    /// Starts a producer. From then on an earlier one with the same id can write nothing, and what
    /// it left open is gone. `serve` is called while it waits, and may end it.
    pub fn start(
        config: &KafkaConfig,
        names: &Names,
        role: &str,
        serve: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Self, LogError> {
        let id = names.transactional_id(role);
        let producer: BaseProducer<Deliveries> = config
            .producer(&id)
            .create_with_context(Deliveries::default())
            .map_err(misconfigured)?;
        let deadline = Instant::now() + PATIENCE;
        while let Err(error) = producer.init_transactions(SLICE) {
            match &error {
                KafkaError::Transaction(reason) if !reason.is_retriable() => {
                    return Err(LogError::Broken(format!("{id}: {reason}")));
                }
                _ if Instant::now() > deadline => {
                    return Err(LogError::Unavailable(format!("{id}: {error}")));
                }
                _ => serve().map_err(LogError::Unavailable)?,
            }
        }
        let names = names.clone();
        Ok(Self {
            producer,
            id,
            names,
        })
    }

    /// Writes records and positions in one transaction, and tells the offset of each record. `serve`
    /// is called while it waits, and ends it with an error as long as nothing is committed.
    pub fn write(
        &self,
        records: &[OutRecord],
        offsets: Option<Offsets<'_>>,
        serve: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Vec<u64>, WriteError> {
        self.producer.poll(Duration::ZERO);
        self.deliveries().take();
        self.producer
            .begin_transaction()
            .map_err(|error| judge(&error).into_error(&error))?;
        for (index, record) in records.iter().enumerate() {
            self.send(index, record, serve)?;
        }
        if let Some(Offsets { positions, group }) = offsets {
            // While the records are on their way.
            let deadline = Instant::now() + DELIVERY;
            self.repeat("sending positions", serve, Some(deadline), || {
                self.producer
                    .send_offsets_to_transaction(positions, group, SLICE)
            })?;
        }
        let placed = self.await_deliveries(records.len(), serve)?;
        serve().map_err(WriteError::Abort)?;
        // From here on the broker may have committed: it is asked until it has answered.
        let mut serve = || {
            let _ = serve();
            Ok(())
        };
        let commit = || self.producer.commit_transaction(SLICE);
        self.repeat("a commit", &mut serve, None, commit)?;
        Ok(placed)
    }

    /// Aborts what is open. `serve` may end the waiting; what is open then is aborted by the broker
    /// when its time is over, or when the next producer with the id starts.
    pub fn abort(&self, serve: &mut dyn FnMut() -> Result<(), String>) -> Result<(), WriteError> {
        self.producer.purge(PurgeConfig::default().queue());
        let mut wait = Wait::of(&self.id, "an abort");
        while self.producer.in_flight_count() > 0 {
            wait.goes_on(&"records are under way");
            self.producer.poll(TICK);
            serve().map_err(WriteError::Abort)?;
        }
        let abort = || self.producer.abort_transaction(SLICE);
        self.repeat("an abort", serve, None, abort)
    }

    fn deliveries(&self) -> &Deliveries {
        self.producer.client().context()
    }

    fn send(
        &self,
        index: usize,
        record: &OutRecord,
        serve: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(), WriteError> {
        let deadline = Instant::now() + DELIVERY;
        let topic = self.names.topic(record.topic);
        loop {
            let mut message = BaseRecord::with_opaque_to(topic, index)
                // Partitions fit: there are no more than the broker has.
                .partition(record.partition as i32)
                .key(&record.key)
                .payload(&record.value);
            if !record.headers.is_empty() {
                message = message.headers(owned(&record.headers));
            }
            let sent = self.producer.send(message);
            match sent {
                Ok(()) => return Ok(()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), _))
                    if Instant::now() < deadline =>
                {
                    self.producer.poll(TICK);
                    serve().map_err(WriteError::Abort)?;
                }
                Err((error, _)) => return Err(judge(&error).into_error(&error)),
            }
        }
    }

    /// The offsets of all records, which the broker has when this returns.
    fn await_deliveries(
        &self,
        count: usize,
        serve: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Vec<u64>, WriteError> {
        let mut placed = vec![0; count];
        let mut missing = count;
        while missing > 0 {
            self.producer.poll(TICK);
            for (index, delivered) in self.deliveries().take() {
                missing = missing.saturating_sub(1);
                let offset = delivered.map_err(|error| judge(&error).into_error(&error))?;
                if let Some(place) = placed.get_mut(index) {
                    *place = offset;
                }
            }
            serve().map_err(WriteError::Abort)?;
        }
        Ok(placed)
    }

    /// Calls the broker until it has answered, and serves in between. After the deadline, where there is
    /// one, the transaction is given up.
    fn repeat(
        &self,
        what: &'static str,
        serve: &mut dyn FnMut() -> Result<(), String>,
        deadline: Option<Instant>,
        mut call: impl FnMut() -> Result<(), KafkaError>,
    ) -> Result<(), WriteError> {
        let mut wait = Wait::of(&self.id, what);
        loop {
            let Err(error) = call() else { return Ok(()) };
            match judge(&error) {
                Verdict::Again if deadline.is_none_or(|deadline| Instant::now() < deadline) => {
                    wait.goes_on(&error);
                    serve().map_err(WriteError::Abort)?;
                }
                verdict => return Err(verdict.into_error(&error)),
            }
        }
    }
}
