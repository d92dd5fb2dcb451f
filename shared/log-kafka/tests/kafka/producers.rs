//! Topics of other systems.

use std::time::Duration;

use mneme_log::LogError;
use mneme_log::conformance::run;
use mneme_log_kafka::{KafkaConfig, KafkaLog, ProducerRecord, ProducerRecords};
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use tokio::time::timeout;

use crate::support::Namespace;

const PATIENCE: Duration = Duration::from_secs(40);
const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Other systems on the broker of a namespace.
struct Producers<'n>(&'n Namespace);

impl Producers<'_> {
    fn topic(&self, name: &str) -> String {
        format!("{}.{name}", self.0.config.namespace)
    }

    fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new();
        client.set("bootstrap.servers", &self.0.config.bootstrap);
        client
    }

    async fn make(&self, topic: &str, partitions: i32) {
        let admin: AdminClient<DefaultClientContext> = self.client().create().unwrap();
        let topic = NewTopic::new(topic, partitions, TopicReplication::Fixed(1));
        let made = admin.create_topics([&topic], &AdminOptions::new()).await;
        made.unwrap().pop().unwrap().unwrap();
    }

    async fn delete(&self, topics: &[String]) {
        let admin: AdminClient<DefaultClientContext> = self.client().create().unwrap();
        let topics: Vec<&str> = topics.iter().map(String::as_str).collect();
        let _ = admin.delete_topics(&topics, &AdminOptions::new()).await;
    }

    /// Sends texts to a partition, in order.
    async fn send(&self, topic: &str, partition: i32, texts: impl Iterator<Item = String>) {
        let producer: FutureProducer = self.client().create().unwrap();
        let mut sent = Vec::new();
        for text in texts {
            let trace = Header {
                key: "traceparent",
                value: Some(TRACE),
            };
            let record = FutureRecord::to(topic)
                .partition(partition)
                .key("k")
                .payload(&text)
                .headers(OwnedHeaders::new().insert(trace));
            sent.push(producer.send_result(record).map_err(|_| "full").unwrap());
        }
        for delivery in sent {
            delivery.await.unwrap().map_err(|(error, _)| error).unwrap();
        }
    }
}

fn text(record: &ProducerRecord) -> String {
    String::from_utf8(record.value.clone().unwrap()).unwrap()
}

fn numbered(numbers: std::ops::Range<usize>) -> impl Iterator<Item = String> {
    numbers.map(|number| number.to_string())
}

/// Takes so many records.
async fn take(records: &mut ProducerRecords, count: usize) -> Vec<ProducerRecord> {
    let mut taken = Vec::new();
    while taken.len() < count {
        let next = timeout(PATIENCE, records.next()).await;
        taken.extend(next.unwrap().unwrap());
    }
    taken
}

#[test]
fn what_is_not_done_comes_again_and_a_topic_may_come_later() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let producers = Producers(&namespace);
        let topics = [producers.topic("crm"), producers.topic("desk")];
        producers.make(&topics[0], 1).await;
        let log = namespace.open("0").await;
        let mut records = log.read_producers("intake", topics.to_vec()).unwrap();
        producers.send(&topics[0], 0, numbered(0..6)).await;
        let taken = take(&mut records, 6).await;
        let texts: Vec<String> = taken.iter().map(text).collect();
        assert_eq!(texts, numbered(0..6).collect::<Vec<_>>());
        let first = &taken[0];
        assert_eq!((&*first.topic, first.offset), (topics[0].as_str(), 0));
        assert_eq!(first.key.as_deref(), Some(&b"k"[..]));
        assert_eq!(first.trace().unwrap().to_string(), TRACE);
        assert!(first.time.is_some());
        assert!(records.has(first));
        records.done(&taken[..4]);

        // Its topic was not there when the instance joined.
        producers.make(&topics[1], 1).await;
        producers
            .send(&topics[1], 0, ["late".to_owned()].into_iter())
            .await;
        let late = take(&mut records, 1).await;
        assert_eq!(
            (&*late[0].topic, text(&late[0])),
            (topics[1].as_str(), "late".to_owned())
        );

        // The next process of the same name goes on behind what was done.
        let next = namespace.open("0").await;
        let mut after = next.read_producers("intake", topics.to_vec()).unwrap();
        let mut taken = take(&mut after, 3).await;
        taken.sort_by(|one, other| one.topic.cmp(&other.topic));
        let texts: Vec<String> = taken.iter().map(text).collect();
        assert_eq!(texts, ["4", "5", "late"]);
        let over = async {
            loop {
                match records.next().await {
                    Ok(_) => {}
                    Err(error) => return error,
                }
            }
        };
        let over = timeout(PATIENCE, over).await.unwrap();
        assert!(matches!(over, LogError::Locked(_)), "{over}");
        drop((records, after));
        producers.delete(&topics).await;
    });
}

#[test]
fn instances_share_and_read_no_further_ahead_than_their_windows() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let producers = Producers(&namespace);
        let topics = [producers.topic("crm")];
        producers.make(&topics[0], 2).await;
        for partition in 0..2 {
            producers
                .send(&topics[0], partition, numbered(0..5_000))
                .await;
        }
        let open = async |instance: &str| {
            let config = KafkaConfig {
                instance: instance.to_owned(),
                window_records: 100,
                ..namespace.config.clone()
            };
            KafkaLog::connect(config).await.unwrap()
        };
        let (one, other) = (open("1").await, open("2").await);
        let mut of_one = one.read_producers("intake", topics.to_vec()).unwrap();
        let before = take(&mut of_one, 1).await;
        let health = one.health("intake").unwrap();
        assert_eq!(health.assigned(), 2);
        // Nobody takes anything for longer than a member may be silent: it has not left.
        tokio::time::sleep(Duration::from_secs(8)).await;
        assert!(health.is_polling(Duration::from_secs(1)));
        assert_eq!(health.assigned(), 2);
        of_one.done(&before);

        let mut of_other = other.read_producers("intake", topics.to_vec()).unwrap();
        let shared = take(&mut of_other, 1).await;
        let taken_away = shared[0].partition;
        assert_eq!(health.assigned(), 1);
        let is_lost = |record: &&ProducerRecord| record.partition == taken_away;
        assert!(
            !before
                .iter()
                .filter(is_lost)
                .any(|record| of_one.has(record))
        );

        // Each in order, and nothing is left out.
        let mut expected = [0, 0];
        for record in &before {
            expected[record.partition as usize] = record.offset + 1;
        }
        let rest = take(&mut of_other, 1).await;
        for record in shared.iter().chain(&rest) {
            let wanted = &mut expected[record.partition as usize];
            assert_eq!((record.partition, record.offset), (taken_away, *wanted));
            *wanted += 1;
        }
        drop((of_one, of_other));
        producers.delete(&topics).await;
    });
}
