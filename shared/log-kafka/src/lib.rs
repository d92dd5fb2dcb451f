//! The event log on Apache Kafka, with the numbers of a schema registry in front of each record.
//!
//! [`KafkaLog`] is the log; [`apply_topics`] and [`apply_schemas`] prepare a cluster and a registry
//! for it. Each guarantee of [`mneme_log::EventLog`] rests on transactions: a commit writes outputs
//! and positions in one, and everybody reads only what is committed. [`ProducerRecords`] reads the
//! topics of other systems.
//!
//! librdkafka is driven by threads of our own, one for each stage instance, one for appends and one
//! for what is followed; each owns its clients.

mod appender;
mod check;
mod client;
mod codec;
mod config;
mod cursor;
mod ends;
mod group;
mod headers;
mod health;
mod lag;
mod latest;
mod log;
mod member;
mod names;
mod positions;
mod producers;
mod raw;
mod reader;
mod registry;
mod removal;
mod schemas;
mod setting_text;
mod stage;
mod tail;
mod topics;
mod transactions;
mod verdict;
mod wait;
mod whole;
mod window;

pub use config::{KafkaConfig, Secret};
pub use health::Health;
pub use log::KafkaLog;
pub use producers::{ProducerRecord, ProducerRecords};
pub use removal::{count_brokers, remove_namespace};
pub use schemas::{SchemaRow, apply_schemas};
pub use topics::{TopicOutcome, TopicRow, TopicsConfig, apply_topics};
