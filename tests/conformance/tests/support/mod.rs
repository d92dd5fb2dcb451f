//! A company whose CRM publishes its contacts on a topic of its own, and a memory that takes them.

mod programs;
mod received;

use std::path::Path;
use std::time::{Duration, Instant};

use mneme_conformance::{Client, Instance, Kafka, Launch, Namespace, Server, find_binary};
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use programs::Programs;
use received::read_all;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(90);
const LOOK: Duration = Duration::from_millis(100);
/// The partitions of the CRM's topic.
const PARTITIONS: i32 = 3;

/// The company and its memory.
pub struct Company {
    pub server: Server,
    /// The CRM's topic.
    pub contacts: String,
    kafka: Kafka,
    // After the server, so that its processes are gone before their topics.
    _topics: Namespace,
    _folder: TempDir,
}

impl Company {
    /// Starts the memory, the CRM's topics not being there yet.
    pub async fn start(mut kafka: Kafka) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let topics = kafka.namespace();
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mappings = std::fs::read_to_string(repository.join("examples/company/intake.toml"));
        let own = format!("topic = \"{}.", topics.name());
        let mappings = mappings.unwrap().replace("topic = \"", &own);
        let file = folder.path().join("intake.toml");
        std::fs::write(&file, mappings).unwrap();
        kafka.intake = Some(file);
        let launch = Launch {
            binary: find_binary().unwrap(),
            data: folder.path().join("data"),
            output: folder.path().join("output"),
            stub: None,
            kafka: Some(kafka.clone()),
            environment: Vec::new(),
        };
        let server = Server::start(launch).await;
        Self {
            server: server.unwrap_or_else(|error| panic!("{error}")),
            contacts: format!("{}.crm.contacts", topics.name()),
            kafka,
            _topics: topics,
            _folder: folder,
        }
    }

    /// The producers that can be run here.
    pub fn programs(&self) -> Vec<Programs> {
        Programs::all(&self.kafka, self.server.namespace().unwrap())
    }

    /// The process of a role that there is one of.
    pub fn instance(&self, name: &str) -> &Instance {
        let mut instances = self.server.instances();
        let found = instances.find(|instance| instance.name() == name);
        found.unwrap_or_else(|| panic!("there is no {name}"))
    }

    /// Waits until the intake is not ready since something is away.
    pub async fn says_that_records_wait(&self) {
        let client = Client::new(&self.instance("intake").base().unwrap()).unwrap();
        let since = Instant::now();
        loop {
            let answer = client.get(&["readyz"], &[]).await.unwrap();
            if answer.status == 503 && answer.text.contains("records wait") {
                let live = client.get(&["livez"], &[]).await.unwrap();
                assert_eq!(live.status, 200, "{}", live.text);
                return;
            }
            assert!(since.elapsed() < PATIENCE, "{}", answer.text);
            sleep(LOOK).await;
        }
    }

    fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new();
        client.set("bootstrap.servers", &self.kafka.bootstrap);
        client
    }

    /// Makes the CRM's topic.
    pub async fn make_topic(&self) {
        let admin: AdminClient<DefaultClientContext> = self.client().create().unwrap();
        let topic = NewTopic::new(&self.contacts, PARTITIONS, TopicReplication::Fixed(1));
        let made = admin.create_topics([&topic], &AdminOptions::new()).await;
        made.unwrap().pop().unwrap().unwrap();
    }

    /// A contact as the CRM has it.
    pub fn contact(&self, tenant: &str, id: u32, name: &str) -> Value {
        json!({
            "tenant": tenant, "id": id, "version": 1, "full_name": name, "title": "Caller",
            "updated_at": "2026-10-01T08:30:00Z",
        })
    }

    /// Publishes records, in order; returns their offsets.
    pub async fn publish(&self, records: &[Sent]) -> Vec<i64> {
        let producer: FutureProducer = self
            .client()
            .set("enable.idempotence", "true")
            .set("message.max.bytes", "2000000")
            .create()
            .unwrap();
        let mut sent = Vec::new();
        for record in records {
            let mut new: FutureRecord<'_, [u8], [u8]> =
                FutureRecord::to(&self.contacts).partition(record.partition);
            if let Some(key) = &record.key {
                new = new.key(key);
            }
            if let Some(value) = &record.value {
                new = new.payload(value);
            }
            sent.push(
                producer
                    .send_result(new)
                    .map_err(|(error, _)| error)
                    .unwrap(),
            );
        }
        let mut offsets = Vec::new();
        for delivery in sent {
            let delivered = delivery.await.unwrap();
            offsets.push(delivered.map_err(|(error, _)| error).unwrap().offset);
        }
        producer.flush(PATIENCE).unwrap();
        offsets
    }

    /// Waits until a search finds a text.
    pub async fn finds(&self, group: &str, query: &str, text: &str) {
        let body = json!({ "group_ids": [group], "query": query });
        let since = Instant::now();
        loop {
            let client = self.server.client();
            let answer = client.send(Method::POST, &["v1", "search"], &[], Some(&body));
            let answer = answer.await.unwrap().json();
            let results = answer["results"].as_array().cloned().unwrap_or_default();
            let is_found = |result: &Value| {
                let found = result["text"].as_str();
                found.is_some_and(|found| found.contains(text))
            };
            if results.iter().any(is_found) {
                return;
            }
            assert!(since.elapsed() < PATIENCE, "no {text} in {answer}");
            sleep(LOOK).await;
        }
    }

    /// Waits until a group has exactly so many episodes, all of them done.
    pub async fn has_done(&self, group: &str, count: usize) {
        let since = Instant::now();
        loop {
            let episodes = self.episodes(group, &self.server.client()).await;
            let done = episodes.iter().filter(|episode| episode["state"] == "done");
            if done.count() == count && episodes.len() == count {
                return;
            }
            let listed = episodes.len();
            assert!(
                since.elapsed() < PATIENCE,
                "{group}: {listed} of {count} listed"
            );
            sleep(LOOK).await;
        }
    }

    async fn episodes(&self, group: &str, client: &Client) -> Vec<Value> {
        let last = [("last", "1000".to_owned())];
        let found = client
            .get(&["v1", "groups", group, "episodes"], &last)
            .await;
        let found = found.unwrap().json();
        found["episodes"].as_array().cloned().unwrap_or_default()
    }

    /// Changes the mappings, and starts all with the new ones.
    pub async fn mend_mappings(&self, from: &str, to: &str) {
        let file = self.kafka.intake.as_ref().unwrap();
        let mappings = std::fs::read_to_string(file).unwrap();
        assert!(mappings.contains(from), "{from} is not in the mappings");
        std::fs::write(file, mappings.replacen(from, to, 1)).unwrap();
        self.server.restart().await.unwrap();
    }

    /// Has a letter taken again; tells the status and the reason.
    pub async fn replay(&self, letter: &Value) -> (u16, String) {
        let id = letter["id"].as_str().unwrap();
        let path = ["v1", "admin", "dlq", id, "replay"];
        let client = self.server.client();
        let body = json!({});
        let answer = client.send(Method::POST, &path, &[], Some(&body));
        let answer = answer.await.unwrap();
        (answer.status, answer.brief())
    }

    /// The letters that operators see.
    pub async fn letters(&self) -> Vec<Value> {
        let found = self.server.client().get(&["v1", "admin", "dlq"], &[]).await;
        let found = found.unwrap().json();
        found["letters"].as_array().cloned().unwrap()
    }

    /// How many records the topic `episodes` has of an episode.
    pub async fn received(&self, group: &str, id: &str) -> usize {
        let all = self.all_received().await;
        let is_meant = |(key, found): &&(String, String)| key == group && found == id;
        all.iter().filter(is_meant).count()
    }

    /// The group and the id of each contact on the topic `episodes`, each partition in its order.
    pub async fn all_received(&self) -> Vec<(String, String)> {
        let topic = format!("{}.episodes.v1", self.server.namespace().unwrap());
        let mut client = self.client();
        client
            .set("group.id", "nobody")
            .set("enable.partition.eof", "true");
        let partitions = self.kafka.partitions as i32;
        let read = tokio::task::spawn_blocking(move || read_all(&client, &topic, partitions));
        read.await.unwrap()
    }
}

/// A record that a producer sends.
pub struct Sent {
    key: Option<Vec<u8>>,
    partition: i32,
    value: Option<Vec<u8>>,
}

impl Sent {
    /// One as it should be.
    pub fn new(key: &str, partition: i32, value: &Value) -> Self {
        Self::raw(Some(key), partition, value.to_string().as_bytes())
    }

    pub fn raw(key: Option<&str>, partition: i32, value: &[u8]) -> Self {
        Self {
            key: key.map(|key| key.as_bytes().to_vec()),
            partition,
            value: Some(value.to_vec()),
        }
    }

    /// One without a value.
    pub fn empty(key: &str, partition: i32) -> Self {
        Self {
            value: None,
            ..Self::raw(Some(key), partition, &[])
        }
    }
}
