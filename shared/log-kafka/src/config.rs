//! Where Kafka and the schema registry are, and what this process is called there. Settings that the
//! guarantees rest on are fixed here and can't be overridden.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use mneme_log::LogError;
use rdkafka::ClientConfig;
use serde::{Deserialize, Deserializer};

use crate::names::Names;
use crate::setting_text::text;

/// How often the lag is noted.
const LAG_EVERY_MS: u32 = 5_000;

/// The largest record of any topic, and of a request: what a producer may send in one go.
pub(crate) const MOST_BYTES: usize = 8 << 20;

/// How long a record may take to reach the broker, and a caller of an append waits at the most while
/// the broker is away.
pub(crate) const DELIVERY: Duration = Duration::from_secs(10);

/// How long the broker is asked before it counts as away.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A value that is not shown.
#[derive(Clone)]
pub struct Secret(String);

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

impl Secret {
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The settings.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KafkaConfig {
    /// The brokers to begin with, as `host:port`, separated by commas.
    pub bootstrap: String,
    /// The base address of the schema registry.
    pub registry: String,
    /// The user of the registry, where it asks for one.
    pub registry_user: Option<String>,
    /// The password of the registry, where it asks for one.
    pub registry_password: Option<Secret>,
    /// How long a registry that is away is waited for at the start, in seconds.
    pub registry_wait_s: u64,
    /// What the names of topics, groups and transactions begin with.
    #[serde(deserialize_with = "text")]
    pub namespace: String,
    /// The name of this instance: the same after a restart, another one for each process that runs
    /// the same role. A second process with the name takes the place of the first.
    #[serde(deserialize_with = "text")]
    pub instance: String,
    /// How long an open transaction of a process that died may hold readers up, in milliseconds.
    pub transaction_timeout_ms: u64,
    /// How long a process may be silent before its partitions go to others, in milliseconds.
    pub session_timeout_ms: u64,
    /// How long the thread of a stage may be stuck before its partitions go to others, in
    /// milliseconds. Work under way does not count: the thread goes on asking meanwhile.
    pub max_poll_interval_ms: u64,
    /// How many records are read ahead for a stage.
    pub window_records: usize,
    /// How many bytes of records are read ahead for a stage.
    pub window_bytes: usize,
    /// Settings of librdkafka, such as `security.protocol` and `sasl.password`.
    pub settings: BTreeMap<String, Secret>,
}

impl Default for KafkaConfig {
    fn default() -> Self {
        Self {
            bootstrap: "127.0.0.1:9092".to_owned(),
            registry: "http://127.0.0.1:8081".to_owned(),
            registry_user: None,
            registry_password: None,
            registry_wait_s: 60,
            namespace: "mneme".to_owned(),
            instance: "0".to_owned(),
            transaction_timeout_ms: 15_000,
            session_timeout_ms: 10_000,
            max_poll_interval_ms: 60_000,
            window_records: 2_000,
            window_bytes: 16 << 20,
            settings: BTreeMap::new(),
        }
    }
}

impl KafkaConfig {
    /// The names that follow from the namespace and the instance.
    pub(crate) fn names(&self) -> Result<Names, LogError> {
        Names::new(&self.namespace, &self.instance).map_err(LogError::Broken)
    }

    pub(crate) fn transaction_timeout(&self) -> Duration {
        // Records must have reached the broker before the transaction is over.
        Duration::from_millis(self.transaction_timeout_ms).max(DELIVERY)
    }

    /// How long a process may be silent.
    pub(crate) fn session_timeout(&self) -> Duration {
        Duration::from_millis(self.session_timeout_ms)
    }

    /// What all clients have.
    pub(crate) fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new();
        // A broker that restarts is back for us when it is back.
        client.set("reconnect.backoff.max.ms", "1000");
        for (key, value) in &self.settings {
            client.set(key, value.reveal());
        }
        client
            .set("bootstrap.servers", &self.bootstrap)
            .set("client.id", format!("{}-{}", self.namespace, self.instance));
        client
    }

    /// A consumer that sees what is committed and keeps its positions to itself.
    pub(crate) fn consumer(&self, group: &str) -> ClientConfig {
        let mut consumer = self.client();
        consumer
            .set("group.id", group)
            .set("isolation.level", "read_committed")
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            // When what is fetched ahead was taken, more is wanted soon.
            .set("fetch.queue.backoff.ms", "20")
            // A position whose transaction is under way is asked for again; that is over soon.
            .set("retry.backoff.ms", "2")
            .set("retry.backoff.max.ms", "50")
            // Not asked for so often that an unknown partition would be missed for long.
            .set("topic.metadata.refresh.interval.ms", "60000");
        consumer
    }

    /// How often a member tells its group that it lives, and hears whether it still is one.
    pub(crate) fn heartbeat(&self) -> Duration {
        Duration::from_millis((self.session_timeout_ms / 5).clamp(200, 3_000))
    }

    /// A consumer of a stage's instance.
    pub(crate) fn stage_consumer(&self, group: &str) -> ClientConfig {
        let mut consumer = self.consumer(group);
        consumer
            .set("group.instance.id", &self.instance)
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("auto.offset.reset", "earliest")
            .set("session.timeout.ms", self.session_timeout_ms.to_string())
            .set(
                "heartbeat.interval.ms",
                self.heartbeat().as_millis().to_string(),
            )
            .set(
                "max.poll.interval.ms",
                self.max_poll_interval_ms
                    .max(self.session_timeout_ms)
                    .to_string(),
            )
            // Tells the ends of partitions, for the metric of the lag.
            .set("statistics.interval.ms", LAG_EVERY_MS.to_string())
            .set("queued.min.messages", self.window_records.to_string())
            .set(
                "queued.max.messages.kbytes",
                (self.window_bytes >> 10).max(1_024).to_string(),
            );
        consumer
    }

    /// A consumer of producers' own topics. The positions that it is told to store are committed by
    /// the client, again and again until the broker has them.
    pub(crate) fn producers_consumer(&self, group: &str) -> ClientConfig {
        let mut consumer = self.stage_consumer(group);
        consumer
            .set("enable.auto.commit", "true")
            .set("auto.commit.interval.ms", "1000")
            // A topic that is made later is found by asking.
            .set("topic.metadata.refresh.interval.ms", "10000");
        consumer
    }

    /// A producer that writes in transactions.
    pub(crate) fn producer(&self, transactional_id: &str) -> ClientConfig {
        let mut producer = self.client();
        producer
            .set("transactional.id", transactional_id)
            .set("enable.idempotence", "true")
            .set("acks", "all")
            .set("compression.type", "zstd")
            .set("partitioner", "murmur2_random")
            // A transaction is sent as a whole: there is nothing to wait for.
            .set("linger.ms", "0")
            .set("message.max.bytes", MOST_BYTES.to_string())
            .set("message.timeout.ms", DELIVERY.as_millis().to_string())
            .set(
                "transaction.timeout.ms",
                self.transaction_timeout().as_millis().to_string(),
            );
        producer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let text = "registry_password = 'hush'\n[settings]\n'sasl.password' = 'hush'";
        let config: KafkaConfig = toml::from_str(text).unwrap();
        config.check().unwrap();
        assert!(!format!("{config:?}").contains("hush"));
        assert_eq!(config.client().get("sasl.password"), Some("hush"));
    }
}
