//! For a memory that is there for a while only, as a bench's: how many brokers there are for it, and
//! the removal of all that a namespace has, which is for ever.

use mneme_events::{EventKind, Topic};
use mneme_log::LogError;
use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::consumer::Consumer;
use rdkafka::error::RDKafkaErrorCode;

use crate::client::{Quiet, away, misconfigured, reader};
use crate::config::{KafkaConfig, PATIENCE};
use crate::registry::Registry;
use crate::schemas::subject;

/// How many brokers the cluster has: the most that can keep a record each.
pub async fn count_brokers(config: &KafkaConfig) -> Result<usize, LogError> {
    let consumer = reader(&config.client())?;
    let asked = tokio::task::spawn_blocking(move || {
        let metadata = consumer.fetch_metadata(None, PATIENCE).map_err(away)?;
        Ok(metadata.brokers().len())
    });
    let ended = |error: tokio::task::JoinError| LogError::Unavailable(error.to_string());
    asked.await.map_err(ended)?
}

/// Deletes the topics and the subjects of the namespace, as far as they are there.
pub async fn remove_namespace(config: &KafkaConfig) -> Result<(), LogError> {
    config.check()?;
    let names = config.names()?;
    let admin: AdminClient<Quiet> = config
        .client()
        .create_with_context(Quiet)
        .map_err(misconfigured)?;
    let options = AdminOptions::new()
        .request_timeout(Some(PATIENCE))
        .operation_timeout(Some(PATIENCE));
    let topics = Topic::ALL.map(|topic| names.topic(topic));
    let removed = admin.delete_topics(&topics, &options).await;
    for (topic, error) in removed.map_err(away)?.into_iter().filter_map(Result::err) {
        if error != RDKafkaErrorCode::UnknownTopicOrPartition {
            return Err(LogError::Unavailable(format!("{topic}: {error}")));
        }
    }
    let registry = Registry::new(config)?;
    for &kind in EventKind::ALL {
        for topic in kind.topics() {
            registry.forget(&subject(&names, topic, kind)).await?;
        }
    }
    Ok(())
}
