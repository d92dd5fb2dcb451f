//! A namespace on Kafka and in the registry that nobody has, for one run. What it has there is
//! removed at its end.

use anyhow::Context;
use mneme_log_kafka::{
    KafkaConfig, TopicsConfig, apply_schemas, apply_topics, count_brokers, remove_namespace,
};

/// The namespace.
pub struct Namespace {
    kafka: KafkaConfig,
}

impl Namespace {
    /// One that has nothing yet. It begins with the namespace of the settings, which access rules may
    /// name.
    pub fn new(kafka: &KafkaConfig) -> Self {
        let (of, own) = (&kafka.namespace, uuid::Uuid::new_v4().simple());
        let namespace = format!("{of}-bench-{own}");
        Self {
            kafka: KafkaConfig {
                namespace,
                ..kafka.clone()
            },
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.kafka.namespace
    }

    /// Makes the topics and registers the schemas.
    pub async fn prepare(&self, topics: &TopicsConfig) -> anyhow::Result<()> {
        let brokers = count_brokers(&self.kafka).await?;
        let most = u16::try_from(brokers).unwrap_or(u16::MAX);
        let topics = TopicsConfig {
            // A bench also runs where there is one broker.
            replication: topics.replication.min(most),
            ..topics.clone()
        };
        apply_topics(&self.kafka, &topics).await?;
        apply_schemas(&self.kafka).await?;
        Ok(())
    }

    /// Removes all that it has.
    pub async fn remove(&self) -> anyhow::Result<()> {
        let removed = remove_namespace(&self.kafka).await;
        removed.with_context(|| format!("topics and subjects of {} are left over", self.name()))
    }
}
