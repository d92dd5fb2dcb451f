//! The thread that reads what producers write. It owns the consumer and asks the broker at all times,
//! also while nothing of what it has handed over is done yet.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use mneme_log::LogError;
use mneme_telemetry::metric;
use rdkafka::Message;
use rdkafka::consumer::Consumer;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use tokio::sync::mpsc::UnboundedSender;

use super::missing::Missing;
use super::record::ProducerRecord;
use super::tenures::{Done, Tenures};
use crate::config::KafkaConfig;
use crate::group::Change;
use crate::health::Health;
use crate::lag::Lag;
use crate::member::Member;
use crate::names::Names;
use crate::window::{Flow, Throttle, Window};

/// How long the broker is waited for at once.
const WAIT: Duration = Duration::from_millis(20);
/// The most records that are handed over at once.
const MOST_AT_ONCE: usize = 500;

/// What the thread tells.
#[derive(Debug)]
pub(super) enum Heard {
    Records(Vec<ProducerRecord>),
    /// This instance is over, mostly because another has taken over; nothing comes after this.
    Over(LogError),
}

/// What the thread and whoever works have in common.
#[derive(Debug, Clone)]
pub(super) struct Common {
    pub window: Arc<Window>,
    pub tenures: Arc<Tenures>,
    pub health: Health,
}

pub(super) struct ProducersThread {
    stage: &'static str,
    topics: Vec<String>,
    consumer: Member,
    common: Common,
    heard: UnboundedSender<Heard>,
    done: Receiver<Vec<Done>>,
    is_over: bool,
    throttle: Throttle,
    missing: Missing,
    lag: Lag,
}

impl ProducersThread {
    /// Joins the group of a stage.
    pub fn join(
        config: &KafkaConfig,
        names: &Names,
        (stage, topics): (&'static str, Vec<String>),
        (common, heard, done): (Common, UnboundedSender<Heard>, Receiver<Vec<Done>>),
    ) -> Result<Self, LogError> {
        let settings = config.producers_consumer(&names.group(stage));
        let consumer = Member::join(config, settings, topics.clone())?;
        common.health.polled();
        Ok(Self {
            stage,
            topics,
            consumer,
            common,
            heard,
            done,
            is_over: false,
            throttle: Throttle::default(),
            missing: Missing::default(),
            lag: Lag::new(stage),
        })
    }

    /// Runs until nobody listens, or another instance has taken over.
    pub fn run(mut self) {
        while !self.is_over && !self.heard.is_closed() {
            self.serve();
            let done = self.done.try_iter().flatten().collect::<Vec<_>>();
            self.store(&done);
        }
        // What was done last is stored before the consumer closes, which commits it if the process
        // lives that long; else it is read again.
        let done = self.done.try_iter().flatten().collect::<Vec<_>>();
        self.store(&done);
        self.consumer.context().close();
    }

    /// Asks the broker, and hands over what is there.
    fn serve(&mut self) {
        self.common.health.polled();
        let flow = self.throttle.next(&self.common.window, Instant::now());
        if flow == Flow::Hold {
            std::thread::sleep(WAIT);
            return;
        }
        let all = || self.common.tenures.positions();
        flow.turn(&self.consumer, self.stage, all);
        let mut records = Vec::new();
        let mut wait = WAIT;
        while records.len() < MOST_AT_ONCE {
            match self.consumer.poll(wait) {
                Some(Ok(message)) => {
                    let place = (message.partition().unsigned_abs(), message.offset());
                    let (partition, offset) = (place.0, place.1.unsigned_abs());
                    let read = self.common.tenures.read(message.topic(), partition, offset);
                    if let Some((topic, tenure)) = read {
                        records.push(ProducerRecord::new(&message, topic, tenure));
                    }
                }
                Some(Err(error)) => self.note(&error),
                None => break,
            }
            // Records before a change of the group are handed over before it.
            if let Some(change) = self.consumer.context().next() {
                self.hand_over(std::mem::take(&mut records));
                self.follow(change);
            }
            wait = Duration::ZERO;
        }
        self.hand_over(records);
        while let Some(change) = self.consumer.context().next() {
            self.follow(change);
        }
        let tenures = &self.common.tenures;
        self.missing.look(&self.consumer, &self.topics, tenures);
        self.lag
            .note(self.consumer.context(), || tenures.positions());
    }

    fn hand_over(&self, records: Vec<ProducerRecord>) {
        if !records.is_empty() {
            let bytes = records.iter().map(ProducerRecord::bytes).sum();
            self.common.window.add(records.len(), bytes);
            // Where nobody listens, the thread ends soon.
            let _ = self.heard.send(Heard::Records(records));
        }
    }

    /// Acts on a change of the group, in the order of the records.
    fn follow(&mut self, change: Change) {
        metrics::counter!(metric::REBALANCES, "stage" => self.stage).increment(1);
        self.consumer.changed();
        let Common {
            tenures, health, ..
        } = &self.common;
        match change {
            Change::Given(list) => {
                tenures.begin(&list);
                // Without an offset each goes on from its committed position, or begins at the first
                // record where there is none.
                let mut done = self.consumer.incremental_assign(&list);
                if done.is_ok() && self.throttle.is_paused() {
                    done = self.consumer.pause(&list);
                }
                if let Err(error) = done {
                    tracing::warn!(stage = self.stage, %error, "partitions could not be taken");
                }
            }
            Change::Taken(list) => {
                tenures.end(&list);
                self.lag.forget(&list);
            }
        }
        let partitions = tenures.len();
        health.set_assigned(partitions);
        tracing::info!(
            stage = self.stage,
            partitions,
            "the group gave or took partitions"
        );
    }

    /// Stores positions, which the client commits within a second, and before it gives partitions up.
    fn store(&self, done: &[Done]) {
        if done.is_empty() {
            return;
        }
        let positions = self.common.tenures.done(done);
        if positions.count() > 0
            && let Err(error) = self.consumer.store_offsets(&positions)
        {
            tracing::debug!(stage = self.stage, %error, "positions were not stored");
        }
    }

    fn note(&mut self, error: &KafkaError) {
        use RDKafkaErrorCode::{TopicAuthorizationFailed, UnknownTopic, UnknownTopicOrPartition};
        tracing::debug!(stage = self.stage, %error, "the consumer has trouble");
        if let KafkaError::MessageConsumption(
            UnknownTopic | UnknownTopicOrPartition | TopicAuthorizationFailed,
        ) = error
        {
            self.missing.suspect();
        }
        if let Some(reason) = self.consumer.over_after(error) {
            self.is_over = true;
            self.common.health.set_assigned(0);
            let _ = self.heard.send(Heard::Over(reason));
        }
    }
}
