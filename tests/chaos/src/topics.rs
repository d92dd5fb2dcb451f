//! What the topics of a memory hold, read from Kafka itself, and what must be true of it whatever
//! happened to the processes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mneme_conformance::Kafka;
use mneme_events::{Event, Topic};
use mneme_log::{EventLog, LogError};
use mneme_log_kafka::{KafkaConfig, KafkaLog};
use mneme_model::GroupId;
use tokio::time::sleep;

/// The outputs of the stages.
const OUTPUTS: [Topic; 4] = [
    Topic::Extractions,
    Topic::Resolutions,
    Topic::Facts,
    Topic::Communities,
];

/// The records of all topics, by group in the order of the log.
pub struct Topics {
    records: BTreeMap<Topic, BTreeMap<GroupId, Vec<Arc<Event>>>>,
}

impl Topics {
    /// Reads them.
    pub async fn read(kafka: &Kafka, namespace: &str) -> Self {
        let log = KafkaLog::connect(KafkaConfig {
            bootstrap: kafka.bootstrap.clone(),
            registry: kafka.registry.clone(),
            namespace: namespace.to_owned(),
            instance: "oracle".to_owned(),
            ..KafkaConfig::default()
        })
        .await
        .unwrap();
        let mut records: BTreeMap<_, BTreeMap<_, Vec<_>>> = BTreeMap::new();
        for topic in Topic::ALL {
            let of_topic = records.entry(topic).or_default();
            for partition in 0..log.partitions() {
                let end = patiently(|| log.end(topic, partition)).await;
                let mut next = 0;
                while next < end {
                    let page = patiently(|| log.read(topic, partition, next, 5_000)).await;
                    next = page.last().map_or(end, |last| last.offset + 1);
                    for record in page {
                        let event = record.event.expect("every record decodes");
                        let group = event.group_id().clone();
                        assert_eq!(log.partition_of(&group), partition, "of group {group}");
                        of_topic.entry(group).or_default().push(event);
                    }
                }
            }
        }
        Self { records }
    }

    /// The events of a topic, group after group, each in the order of the log.
    pub fn of(&self, topic: Topic) -> impl Iterator<Item = &Arc<Event>> {
        self.records[&topic].values().flatten()
    }

    /// Panics where a stage did not count its outputs of a group one by one, with none left out and
    /// none twice: another writer would have left such a trace.
    pub fn are_counted_without_gap_or_repeat(&self) {
        for topic in OUTPUTS {
            for (group, events) in &self.records[&topic] {
                for (event, wanted) in events.iter().zip(1..) {
                    let seq = event.header().seq;
                    assert_eq!(seq, wanted, "seq of {topic}, group {group}");
                }
            }
        }
    }

    /// Panics where nothing was to be refused or held, but something was.
    pub fn hold_nothing_back(&self) {
        for topic in [Topic::DeadLetters, Topic::Parked] {
            if let Some(event) = self.of(topic).next() {
                panic!("{topic} holds {event:?}");
            }
        }
    }

    /// Panics where the episodes of a group were not extracted and applied once each, in this order.
    pub fn have_each_once_in_order(&self, group: &str, episodes: &[String]) {
        let group = GroupId::new(group).unwrap();
        let ids = |topic, id: fn(&Event) -> Option<String>| -> Vec<String> {
            let of_group = self.records[&topic].get(&group);
            let of_group = of_group.into_iter().flatten();
            of_group.filter_map(|event| id(event)).collect()
        };
        let extracted = ids(Topic::Extractions, |event| match event {
            Event::EpisodeExtracted(extracted) => Some(extracted.episode.episode_id.to_string()),
            _ => None,
        });
        assert_eq!(extracted, episodes, "extracted of {group}");
        let applied = ids(Topic::Facts, |event| match event {
            Event::EpisodeApplied(applied) => Some(applied.episode_id.to_string()),
            _ => None,
        });
        assert_eq!(applied, episodes, "applied of {group}");
    }
}

/// Asks again while the log is away.
async fn patiently<T, F: Future<Output = Result<T, LogError>>>(ask: impl Fn() -> F) -> T {
    for _ in 0..120 {
        match ask().await {
            Ok(found) => return found,
            Err(LogError::Unavailable(_)) => sleep(Duration::from_millis(500)).await,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the log is away for too long");
}
