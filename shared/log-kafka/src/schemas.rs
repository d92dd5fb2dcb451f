//! The subjects that the events make in the registry: one for each event of each topic that it is
//! written to, named `<topic>-<record>` as clients of Kafka do when one topic carries several kinds
//! of records.

use mneme_events::{EventKind, Topic, schema_texts};

use crate::config::KafkaConfig;
use crate::names::Names;
use crate::registry::{Registry, RegistryError};
use mneme_log::LogError;

/// What was done for a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaRow {
    /// The subject.
    pub subject: String,
    /// The number of the newest schema.
    pub id: u32,
}

/// Registers the schemas of all events, each compatible with the versions before in both directions.
/// Does no harm where that was done before.
pub async fn apply_schemas(config: &KafkaConfig) -> Result<Vec<SchemaRow>, LogError> {
    config.check()?;
    let (names, registry) = (config.names()?, Registry::new(config)?);
    let wait = std::time::Duration::from_secs(config.registry_wait_s);
    registry.wait(wait).await?;
    let mut rows = Vec::new();
    for &kind in EventKind::ALL {
        for topic in kind.topics() {
            let subject = subject(&names, topic, kind);
            rows.push(apply_subject(&registry, subject, kind).await?);
        }
    }
    Ok(rows)
}

async fn apply_subject(
    registry: &Registry,
    subject: String,
    kind: EventKind,
) -> Result<SchemaRow, RegistryError> {
    let mut id = 0;
    for (version, text) in schema_texts(kind).into_iter().enumerate() {
        id = registry.register(&subject, text).await?;
        if version == 0 {
            // Some registries keep no rule for a subject that they don't have yet.
            registry.protect(&subject).await?;
        }
    }
    Ok(SchemaRow { subject, id })
}

/// The subject of an event of a topic.
pub(crate) fn subject(names: &Names, topic: Topic, kind: EventKind) -> String {
    format!("{}-{}", names.topic(topic), kind.full_name())
}
