//! What a stage's thread reads: it asks the broker whatever else goes on, hands over what comes as
//! long as there is room for it, and follows its group.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mneme_events::Topic;
use mneme_log::{Consumed, LogError, Partition};
use rdkafka::consumer::{Consumer, ConsumerGroupMetadata};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use tokio::sync::mpsc::UnboundedSender;

use super::heard::{Heard, What};
use super::owned::Owned;
use super::rebalance::Given;
use crate::config::KafkaConfig;
use crate::health::Health;
use crate::lag::Lag;
use crate::member::Member;
use crate::names::Names;
use crate::positions::positions_of;
use crate::raw::Raw;
use crate::window::{Flow, Throttle, Window};

/// The most records that are handed over at once.
const MOST_AT_ONCE: usize = 500;
/// How long the broker is asked before the thread goes on with the rest.
const SHORT: Duration = Duration::from_millis(500);

pub(super) struct Input {
    pub owned: Owned,
    /// Why this instance is over, once it is.
    pub fenced: Option<String>,
    pub(super) consumer: Member,
    pub(super) stage: &'static str,
    pub(super) topic: Topic,
    pub(super) name: String,
    heard: UnboundedSender<Heard>,
    window: Arc<Window>,
    pub(super) health: Health,
    /// What the group gave and is not assigned yet.
    pub(super) given: Option<Given>,
    pub(super) throttle: Throttle,
    /// While work is being voided nothing is handed over: it will be fetched again.
    pub(super) is_muted: bool,
    pub(super) lag: Lag,
}

/// What an input is made of.
pub(super) struct Ears {
    pub heard: UnboundedSender<Heard>,
    pub window: Arc<Window>,
    pub health: Health,
}

impl Input {
    /// Joins the group; blocks for a moment.
    pub fn join(
        config: &KafkaConfig,
        names: &Names,
        (stage, topic): (&'static str, Topic),
        ears: Ears,
    ) -> Result<Self, LogError> {
        let name = names.topic(topic).to_owned();
        let settings = config.stage_consumer(&names.group(stage));
        let consumer = Member::join(config, settings, vec![name.clone()])?;
        let Ears {
            heard,
            window,
            health,
        } = ears;
        health.polled();
        Ok(Self {
            owned: Owned::default(),
            fenced: None,
            consumer,
            stage,
            topic,
            name,
            heard,
            window,
            health,
            given: None,
            throttle: Throttle::default(),
            is_muted: false,
            lag: Lag::new(stage),
        })
    }

    /// Whether anybody listens.
    pub fn is_heard(&self) -> bool {
        !self.heard.is_closed()
    }

    /// What the broker knows this member by.
    pub fn group(&self) -> Option<ConsumerGroupMetadata> {
        self.consumer.group_metadata()
    }

    /// Asks the broker once and hands over what is there. Returns how many records that were.
    pub fn serve(&mut self, wait: Duration) -> usize {
        self.health.polled();
        let flow = match self.is_muted {
            true => Flow::Go,
            false => self.throttle.next(&self.window, Instant::now()),
        };
        if flow == Flow::Hold {
            std::thread::sleep(wait);
            return 0;
        }
        let all = || self.list(self.owned.partitions(), |_| Offset::Invalid);
        flow.turn(&self.consumer, self.stage, all);
        let mut records = Vec::new();
        let mut wait = wait;
        loop {
            match self.consumer.poll(wait) {
                Some(Ok(message)) => {
                    let raw = Raw::from(&message);
                    if !self.is_muted && self.owned.has(raw.partition) {
                        records.push(raw);
                    }
                }
                Some(Err(error)) => self.note(&error),
                None => break,
            }
            if records.len() >= MOST_AT_ONCE {
                break;
            }
            // Records before a change of the group are handed over before it.
            if let Some(change) = self.consumer.context().next() {
                self.hand_over(std::mem::take(&mut records));
                self.follow(change);
            }
            wait = Duration::ZERO;
        }
        let count = records.len();
        self.hand_over(records);
        while let Some(change) = self.consumer.context().next() {
            self.follow(change);
        }
        self.assign_given();
        let (owned, name) = (&self.owned, &self.name);
        let position = |at| Offset::Offset(owned.position(at).unwrap_or(0) as i64);
        let positions = || list_of(name, owned.partitions(), position);
        self.lag.note(self.consumer.context(), positions);
        count
    }

    /// Voids all work: what comes next is what was committed. Nothing is handed over until
    /// [`Self::begin_anew`].
    pub fn void(&mut self) {
        self.owned.renew();
        self.is_muted = true;
    }

    /// Goes back to the committed positions, as the broker knows them, and says so.
    pub fn begin_anew(&mut self) -> Result<(), String> {
        self.owned.renew();
        if self.owned.len() > 0 {
            let question = self.list(self.owned.partitions(), |_| Offset::Invalid);
            let found = positions_of(&self.consumer, question, SHORT);
            let found = found.map_err(|error| error.to_string())?;
            let committed = |(partition, next)| Consumed {
                topic: self.topic,
                partition,
                next,
            };
            let positions: Vec<Consumed> = found.into_iter().map(committed).collect();
            self.owned.committed(&positions);
            let position = |partition| self.owned.position(partition).unwrap_or(0) as i64;
            let list = self.list(self.owned.partitions(), |at| Offset::Offset(position(at)));
            let sought = self.consumer.seek_partitions(list, SHORT);
            let sought = sought.map_err(|error| error.to_string())?;
            for element in sought.elements() {
                element.error().map_err(|error| error.to_string())?;
            }
        }
        self.is_muted = false;
        if self.owned.len() > 0 {
            let positions = self.owned.positions(self.topic);
            self.say(What::Assigned(positions));
        }
        Ok(())
    }

    /// This instance is over.
    pub fn fence(&mut self, reason: LogError) {
        let partitions: Vec<Partition> = self.owned.partitions().collect();
        self.owned.revoke(&partitions);
        self.health.set_assigned(0);
        self.say(What::Revoked(partitions));
        self.fenced = Some(reason.to_string());
        self.say(What::Over(reason));
    }

    /// Leaves quietly: the place in the group is kept until the session is over, for the next process
    /// of this name.
    pub fn close(self) {
        self.consumer.context().close();
    }

    pub(super) fn say(&self, what: What) {
        let epoch = self.owned.epoch();
        // Where nobody listens, the thread ends soon.
        let _ = self.heard.send(Heard { epoch, what });
    }

    fn hand_over(&mut self, records: Vec<Raw>) {
        if records.is_empty() {
            return;
        }
        let bytes = records.iter().map(Raw::bytes).sum();
        self.window.add(records.len(), bytes);
        self.say(What::Records(records));
    }

    fn note(&mut self, error: &KafkaError) {
        tracing::debug!(stage = self.stage, %error, "the consumer has trouble");
        if let Some(reason) = self.consumer.over_after(error) {
            self.fence(reason);
        }
    }

    /// A list of partitions of the input topic.
    pub fn list(
        &self,
        partitions: impl Iterator<Item = Partition>,
        offset: impl Fn(Partition) -> Offset,
    ) -> TopicPartitionList {
        list_of(&self.name, partitions, offset)
    }
}

/// A list of partitions of a topic.
pub(super) fn list_of(
    topic: &str,
    partitions: impl Iterator<Item = Partition>,
    offset: impl Fn(Partition) -> Offset,
) -> TopicPartitionList {
    let mut list = TopicPartitionList::new();
    for partition in partitions {
        // Fails only for an offset that is none.
        let _ = list.add_partition_offset(topic, partition as i32, offset(partition));
    }
    list
}
