//! Logs on a real broker, each in a namespace of its own that is deleted when the test is over.
//!
//! `make servers-up` starts the servers; `MNEME_SERVERS=1` says that they are there, and without it
//! the tests are skipped. `MNEME_KAFKA__BOOTSTRAP` and `MNEME_KAFKA__REGISTRY` say where.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mneme_events::Topic;
use mneme_log::conformance::Harness;
use mneme_log::{EventLog, LogError, Partition};
use mneme_log_kafka::{KafkaConfig, KafkaLog, TopicsConfig, apply_schemas, apply_topics};
use mneme_model::GroupId;
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::client::DefaultClientContext;
use rdkafka::producer::{FutureProducer, FutureRecord};
use uuid::Uuid;

/// A namespace.
pub struct Namespace {
    pub config: KafkaConfig,
}

impl Namespace {
    /// A new one; none where there are no servers to test with.
    pub fn new() -> Option<Self> {
        if std::env::var("MNEME_SERVERS").as_deref() != Ok("1") {
            eprintln!("skipped: needs the servers of `make servers-up` and MNEME_SERVERS=1");
            return None;
        }
        if let Ok(filter) = std::env::var("RUST_LOG") {
            let _ = mneme_telemetry::start_logs(&filter, false);
        }
        let or = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| usual.to_owned());
        let config = KafkaConfig {
            bootstrap: or("MNEME_KAFKA__BOOTSTRAP", "127.0.0.1:19092"),
            registry: or(
                "MNEME_KAFKA__REGISTRY",
                "http://127.0.0.1:18081/apis/ccompat/v7",
            ),
            registry_wait_s: 10,
            namespace: format!("test-{}", Uuid::new_v4().simple()),
            session_timeout_ms: 6_000,
            max_poll_interval_ms: 6_000,
            ..KafkaConfig::default()
        };
        Some(Self { config })
    }

    /// Makes the topics and registers the schemas.
    pub async fn apply(&self, partitions: Partition) {
        let wanted = TopicsConfig {
            partitions,
            replication: 1,
            ..TopicsConfig::default()
        };
        apply_topics(&self.config, &wanted).await.unwrap();
        apply_schemas(&self.config).await.unwrap();
    }

    /// Opens the log as an instance.
    pub async fn open(&self, instance: &str) -> KafkaLog {
        let instance = instance.to_owned();
        let config = KafkaConfig {
            instance,
            ..self.config.clone()
        };
        KafkaLog::connect(config).await.unwrap()
    }

    /// The name of a topic.
    pub fn topic(&self, topic: Topic) -> String {
        topic.name().replacen("mneme", &self.config.namespace, 1)
    }

    /// Writes a record as a producer does that knows nothing of this crate.
    pub async fn produce(
        &self,
        topic: Topic,
        partition: Partition,
        key: Option<&str>,
        value: &[u8],
    ) -> Result<u64, rdkafka::error::KafkaError> {
        let producer: FutureProducer = ClientConfig::new()
            .set("bootstrap.servers", &self.config.bootstrap)
            .set("message.max.bytes", "4000000")
            .create()?;
        let topic = self.topic(topic);
        let mut record = FutureRecord::to(&topic)
            .partition(partition as i32)
            .payload(value);
        if let Some(key) = key {
            record = record.key(key);
        }
        let sent = producer.send(record, Duration::from_secs(10)).await;
        sent.map(|delivery| delivery.offset.unsigned_abs())
            .map_err(|(error, _)| error)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // For whoever wants to look at what a test left.
        if std::env::var_os("MNEME_TEST_KEEP").is_some() {
            return;
        }
        let topics: Vec<String> = Topic::ALL
            .into_iter()
            .map(|topic| self.topic(topic))
            .collect();
        let bootstrap = self.config.bootstrap.clone();
        let deleted = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            runtime.block_on(async {
                let admin: AdminClient<DefaultClientContext> = ClientConfig::new()
                    .set("bootstrap.servers", bootstrap)
                    .create()
                    .unwrap();
                let topics: Vec<&str> = topics.iter().map(String::as_str).collect();
                let _ = admin.delete_topics(&topics, &AdminOptions::new()).await;
            });
        });
        let _ = deleted.join();
    }
}

/// Makes logs for the conformance suite.
pub struct KafkaHarness(Mutex<Arc<Namespace>>);

impl KafkaHarness {
    pub fn new() -> Option<Self> {
        Some(Self(Mutex::new(Arc::new(Namespace::new()?))))
    }

    fn namespace(&self) -> Arc<Namespace> {
        Arc::clone(&self.0.lock().unwrap())
    }
}

impl Harness for KafkaHarness {
    type Log = KafkaLog;

    async fn make(&self, partitions: Partition) -> KafkaLog {
        let namespace = self.namespace();
        namespace.apply(partitions).await;
        namespace.open("0").await
    }

    async fn reopen(&self, log: KafkaLog) -> KafkaLog {
        drop(log);
        self.namespace().open("0").await
    }

    async fn append_raw(
        &self,
        log: &KafkaLog,
        topic: Topic,
        group: &GroupId,
        bytes: Vec<u8>,
    ) -> Result<u64, LogError> {
        let partition = log.partition_of(group);
        self.namespace()
            .produce(topic, partition, Some(group.as_str()), &bytes)
            .await
            .map_err(|error| LogError::Unavailable(error.to_string()))
    }
}

/// Registers a schema as another product does.
pub async fn register(namespace: &Namespace, subject: &str, schema: &str) -> u32 {
    let url = format!("{}/subjects/{subject}/versions", namespace.config.registry);
    let body = serde_json::json!({ "schema": schema, "schemaType": "AVRO" });
    let answer = reqwest::Client::new().post(url).json(&body).send().await;
    let answer: serde_json::Value = answer.unwrap().json().await.unwrap();
    let id = answer["id"].as_u64();
    id.unwrap_or_else(|| panic!("{answer}")) as u32
}
