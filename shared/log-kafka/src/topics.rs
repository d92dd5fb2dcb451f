//! The topics, as one list: what is missing is made, what is there is checked, and what may be
//! changed is changed.
//!
//! The number of partitions is never changed. A group's partition follows from it, so a group would
//! move to another one: its order would be lost, and the stage that reads it there would not have
//! its state.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mneme_events::{Retention, Topic};
use mneme_log::{LogError, Partition};
use rdkafka::admin::{
    AdminClient, AdminOptions, AlterConfig, ConfigResource, ConfigSource, NewTopic,
    ResourceSpecifier, TopicReplication,
};
use rdkafka::error::RDKafkaErrorCode;
use serde::Deserialize;

use crate::client::{Quiet, away, misconfigured};
use crate::config::{KafkaConfig, MOST_BYTES, PATIENCE};
use crate::names::Names;

/// The largest record of a producer: the body of an episode has 256 KiB at the most.
const MOST_BYTES_OF_INPUT: usize = 1 << 20;
/// An answer that was replaced may still be read for this long.
const COMPACTION_LAG: Duration = Duration::from_secs(60 * 60);

/// What an operator decides of the topics.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TopicsConfig {
    /// How many partitions each topic has. Fixed when the topics are made.
    pub partitions: Partition,
    /// On how many brokers each record is kept.
    pub replication: u16,
    /// How long dead letters are kept, in days.
    pub dead_letter_days: u32,
}

impl Default for TopicsConfig {
    fn default() -> Self {
        Self {
            partitions: 48,
            replication: 3,
            dead_letter_days: 90,
        }
    }
}

/// What became of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicOutcome {
    /// It was made.
    Created,
    /// It was as it should be.
    Unchanged,
    /// These of its settings were changed.
    Changed(Vec<String>),
}

/// A topic and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicRow {
    /// The name.
    pub topic: String,
    /// What became of it.
    pub outcome: TopicOutcome,
}

/// The largest record of a topic.
pub(crate) fn most_bytes(topic: Topic) -> usize {
    match topic {
        Topic::Episodes => MOST_BYTES_OF_INPUT,
        _ => MOST_BYTES,
    }
}

/// The settings of a topic.
fn settings(topic: Topic, config: &TopicsConfig) -> BTreeMap<&'static str, String> {
    let days = Duration::from_secs(u64::from(config.dead_letter_days) * 24 * 60 * 60);
    let (policy, retention) = match topic.retention() {
        Retention::All => ("delete", "-1".to_owned()),
        Retention::LastOfEachKey => ("compact", "-1".to_owned()),
        Retention::Days => ("delete", days.as_millis().to_string()),
    };
    let in_sync = if config.replication >= 3 { "2" } else { "1" };
    let mut settings = BTreeMap::from([
        ("cleanup.policy", policy.to_owned()),
        ("retention.ms", retention),
        ("retention.bytes", "-1".to_owned()),
        ("max.message.bytes", most_bytes(topic).to_string()),
        ("min.insync.replicas", in_sync.to_owned()),
    ]);
    if policy == "compact" {
        let lag = COMPACTION_LAG.as_millis().to_string();
        settings.insert("min.compaction.lag.ms", lag);
    }
    settings
}

/// Makes and checks the topics. Refuses another partition count than the topics have.
pub async fn apply_topics(
    config: &KafkaConfig,
    wanted: &TopicsConfig,
) -> Result<Vec<TopicRow>, LogError> {
    config.check()?;
    let names = config.names()?;
    let admin: AdminClient<Quiet> = config
        .client()
        .create_with_context(Quiet)
        .map_err(misconfigured)?;
    let there = partition_counts(config, &names).await?;
    if let Some((topic, count)) = there.iter().find(|(_, count)| **count != wanted.partitions) {
        return Err(LogError::Broken(format!(
            "{} has {count} partitions, and {} are asked for. The number can't be changed: groups \
             would move to other partitions and lose their order and the state of the stages",
            names.topic(*topic),
            wanted.partitions
        )));
    }
    let mut rows = Vec::with_capacity(Topic::ALL.len());
    for topic in Topic::ALL {
        let (name, settings) = (names.topic(topic), settings(topic, wanted));
        let outcome = match there.contains_key(&topic) {
            false => create(&admin, name, &settings, wanted).await?,
            true => change(&admin, name, &settings).await?,
        };
        rows.push(TopicRow {
            topic: name.to_owned(),
            outcome,
        });
    }
    if rows.iter().any(|row| row.outcome == TopicOutcome::Created) {
        wait_for_topics(config, &names).await?;
    }
    Ok(rows)
}

/// Returns when the brokers know all topics.
async fn wait_for_topics(config: &KafkaConfig, names: &Names) -> Result<(), LogError> {
    let deadline = Instant::now() + PATIENCE;
    while let Err(error) = find_partitions(config, names).await {
        if Instant::now() > deadline {
            return Err(error);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

fn options() -> AdminOptions {
    AdminOptions::new()
        .request_timeout(Some(PATIENCE))
        .operation_timeout(Some(PATIENCE))
}

async fn create(
    admin: &AdminClient<Quiet>,
    name: &str,
    settings: &BTreeMap<&'static str, String>,
    wanted: &TopicsConfig,
) -> Result<TopicOutcome, LogError> {
    let replication = TopicReplication::Fixed(i32::from(wanted.replication));
    let mut topic = NewTopic::new(name, wanted.partitions as i32, replication);
    for (key, value) in settings {
        topic = topic.set(key, value);
    }
    let made = admin.create_topics([&topic], &options()).await;
    match made.map_err(away)?.pop() {
        Some(Ok(_)) => Ok(TopicOutcome::Created),
        Some(Err((_, RDKafkaErrorCode::TopicAlreadyExists))) => Ok(TopicOutcome::Unchanged),
        Some(Err((_, error))) => Err(LogError::Broken(format!("{name}: {error}"))),
        None => Err(LogError::Unavailable(format!("{name}: no answer"))),
    }
}

/// Changes the settings that differ. What an operator has set beside them stays.
async fn change(
    admin: &AdminClient<Quiet>,
    name: &str,
    settings: &BTreeMap<&'static str, String>,
) -> Result<TopicOutcome, LogError> {
    let which = [ResourceSpecifier::Topic(name)];
    let described = admin.describe_configs(&which, &options()).await;
    let failed = |error: RDKafkaErrorCode| LogError::Broken(format!("{name}: {error}"));
    let no_answer = || LogError::Unavailable(format!("{name}: no answer"));
    let described: ConfigResource = described
        .map_err(away)?
        .pop()
        .ok_or_else(no_answer)?
        .map_err(failed)?;
    let differs = |(key, value): &(&&'static str, &String)| {
        let found = described.get(key).and_then(|entry| entry.value.as_deref());
        found != Some(value.as_str())
    };
    let changed: Vec<String> = settings
        .iter()
        .filter(differs)
        .map(|(key, _)| (*key).to_owned())
        .collect();
    if changed.is_empty() {
        return Ok(TopicOutcome::Unchanged);
    }
    // What is not named goes back to its default, so all that was set is named.
    let mut all: BTreeMap<&str, &str> = described
        .entries
        .iter()
        .filter(|entry| entry.source == ConfigSource::DynamicTopic)
        .filter_map(|entry| Some((entry.name.as_str(), entry.value.as_deref()?)))
        .collect();
    all.extend(settings.iter().map(|(key, value)| (*key, value.as_str())));
    let mut altered = AlterConfig::new(ResourceSpecifier::Topic(name));
    for (key, value) in &all {
        altered = altered.set(key, value);
    }
    let done = admin.alter_configs([&altered], &options()).await;
    match done.map_err(away)?.pop() {
        Some(Ok(_)) => Ok(TopicOutcome::Changed(changed)),
        Some(Err((_, error))) => Err(failed(error)),
        None => Err(no_answer()),
    }
}

/// The partition count that all topics have.
pub(crate) async fn find_partitions(
    config: &KafkaConfig,
    names: &Names,
) -> Result<Partition, LogError> {
    let there = partition_counts(config, names).await?;
    let missing = Topic::ALL.iter().find(|topic| !there.contains_key(topic));
    if let Some(topic) = missing {
        return Err(LogError::Broken(format!(
            "there is no topic {}; run `mneme topics apply`",
            names.topic(*topic)
        )));
    }
    let counts: Vec<Partition> = there.values().copied().collect();
    match counts.first() {
        Some(first) if counts.iter().all(|count| count == first) => Ok(*first),
        _ => Err(LogError::Broken(format!(
            "the topics have different partition counts: {counts:?}; they need one, so that a group \
             is on the same partition everywhere: make them anew with `mneme topics apply`"
        ))),
    }
}

/// The partition counts of the topics that are there.
async fn partition_counts(
    config: &KafkaConfig,
    names: &Names,
) -> Result<BTreeMap<Topic, Partition>, LogError> {
    let consumer = crate::client::reader(&config.client())?;
    let (names, bootstrap) = (names.clone(), config.bootstrap.clone());
    let asked = tokio::task::spawn_blocking(move || {
        use rdkafka::consumer::Consumer;
        let silent = |error| {
            let seconds = PATIENCE.as_secs();
            let reason = format!("no broker of {bootstrap} has answered in {seconds} s: {error}");
            LogError::Unavailable(reason)
        };
        let metadata = consumer.fetch_metadata(None, PATIENCE).map_err(silent)?;
        let count = |topic: &rdkafka::metadata::MetadataTopic| {
            let found = names.topic_of(topic.name())?;
            let count = Partition::try_from(topic.partitions().len()).ok()?;
            Some((found, count))
        };
        Ok(metadata.topics().iter().filter_map(count).collect())
    });
    let ended = |error: tokio::task::JoinError| LogError::Unavailable(error.to_string());
    asked.await.map_err(ended)?
}
