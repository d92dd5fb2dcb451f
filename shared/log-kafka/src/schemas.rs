//! Which events are written to which topic, and the subjects that this makes in the registry: one
//! for each event of each topic, named `<topic>-<record>` as clients of Kafka do when one topic
//! carries several kinds of records.

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
    let (names, registry) = (config.names()?, Registry::new(config)?);
    let wait = std::time::Duration::from_secs(config.registry_wait_s);
    registry.wait(wait).await?;
    let mut rows = Vec::new();
    for &kind in EventKind::ALL {
        for topic in topics_of(kind) {
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

/// The topics that an event is written to; the first is where it comes from.
pub(crate) fn topics_of(kind: EventKind) -> Vec<Topic> {
    use EventKind::*;
    const CHAIN: [Topic; 5] = [
        Topic::Episodes,
        Topic::Extractions,
        Topic::Resolutions,
        Topic::Facts,
        Topic::Communities,
    ];
    match kind {
        EpisodeReceived => vec![Topic::Episodes],
        // Its answers are forgotten, too.
        GroupErased => CHAIN.into_iter().chain([Topic::Inferences]).collect(),
        EpisodeErased
        | OntologyChanged
        | EntitiesMergeRequested
        | EntitySplitRequested
        | FactCorrected => CHAIN.to_vec(),
        EpisodeExtracted | ExtractionFailed => vec![Topic::Extractions],
        EntityCreated | EntityUpdated | EntitiesMerged | EntitySplit | EntityErased
        | MentionResolved | StatementResolved | EpisodeResolved => vec![Topic::Resolutions],
        StatementPlaced | StatementWithdrawn | FactVersionCreated | FactVersionExpired
        | FactErased | StatementUnmatched | EpisodeApplied => vec![Topic::Facts],
        EntitySummarized | CommunityChanged | FactNoted | FactForgotten | GroupSummarized
        | CommunityRemoved => vec![Topic::Communities],
        InferenceRecorded => vec![Topic::Inferences],
        DeadLettered => vec![Topic::DeadLetters],
        RecordParked | RecordReleased | GroupReleaseRequested => vec![Topic::Parked],
    }
}
