//! Publishes one episode straight to Mneme's own topic, in Avro.
//!
//! - The value is in the Confluent wire format: a zero byte, the schema's id in the registry in four
//!   bytes, the record in Avro. `schema_registry_converter` writes it.
//! - The registry is only asked for the schema, never changed. Fields of it that are not in the types
//!   here have their defaults, so a later version of the schema does no harm.
//! - The key is the group, as UTF-8.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use jiff::Timestamp;
use mneme_producers_example::{exit_code, namespace, registry, send};
use schema_registry_converter::async_impl::avro::AvroEncoder;
use schema_registry_converter::async_impl::schema_registry::SrSettings;
use schema_registry_converter::schema_registry_common::SubjectNameStrategy;
use serde::{Serialize, Serializer};
use uuid::Uuid;

/// The full name of the schema.
const SCHEMA: &str = "mneme.v1.EpisodeReceived";
/// The producer, whose name makes the ids of its events differ from those of any other.
const PRODUCER: &str = "support-chat.tidelamp.example";

/// Publishes one chat message to Mneme.
#[derive(Debug, Parser)]
struct Arguments {
    #[arg(long, default_value = "tidelamp")]
    group: String,
    #[arg(long, default_value = "chat-web-nell-9-1")]
    episode_id: String,
    #[arg(long, default_value = "chat-web-nell-9")]
    thread_id: String,
    #[arg(long, default_value = "Nell Sorrow")]
    author: String,
    #[arg(long, default_value = "con-306")]
    author_id: String,
    /// When it was said, in RFC 3339 with its offset.
    #[arg(long, default_value = "2026-09-02T10:00:00Z")]
    time: Timestamp,
    #[arg(default_value = "I moved to Saltmere in August 2026.")]
    text: String,
}

#[derive(Serialize)]
struct EpisodeReceived {
    header: EventHeader,
    episode: Episode,
}

#[derive(Serialize)]
struct EventHeader {
    #[serde(serialize_with = "as_bytes")]
    event_id: Uuid,
    group_id: String,
    /// 0: on this topic the place in the log counts.
    seq: i64,
    recorded_at: i64,
}

/// The fields of an episode that a chat message has, in the order of the schema.
#[derive(Serialize)]
struct Episode {
    episode_id: String,
    thread_id: Option<String>,
    source: Source,
    author: Option<Author>,
    body: String,
    reference_time: i64,
    source_description: Option<String>,
    /// Each value is a JSON text.
    metadata: BTreeMap<String, String>,
    digest: String,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Source {
    Message,
}

#[derive(Serialize)]
struct Author {
    name: String,
    role: Option<String>,
    external_id: Option<String>,
}

fn as_bytes<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(id.as_bytes())
}

/// The event that an episode was received now.
fn event(arguments: Arguments) -> anyhow::Result<EpisodeReceived> {
    let mut episode = Episode {
        episode_id: arguments.episode_id,
        thread_id: Some(arguments.thread_id),
        source: Source::Message,
        author: Some(Author {
            name: arguments.author,
            role: Some("user".to_owned()),
            external_id: Some(arguments.author_id),
        }),
        body: arguments.text,
        reference_time: arguments.time.as_microsecond(),
        source_description: Some("support chat".to_owned()),
        metadata: BTreeMap::from([("channel".to_owned(), "\"web\"".to_owned())]),
        digest: String::new(),
    };
    // The same content must give the same digest: an id that comes again with another one is a conflict.
    let content = serde_json::to_vec(&episode)?;
    episode.digest = blake3::hash(&content).to_hex()[..32].to_owned();
    let recorded_at = Timestamp::now().as_microsecond();
    let name = [
        arguments.group.as_str(),
        &episode.episode_id,
        &episode.digest,
        &recorded_at.to_string(),
    ];
    let producer = Uuid::new_v5(&Uuid::NAMESPACE_DNS, PRODUCER.as_bytes());
    Ok(EpisodeReceived {
        header: EventHeader {
            event_id: Uuid::new_v5(&producer, name.join("\u{1f}").as_bytes()),
            group_id: arguments.group,
            seq: 0,
            recorded_at,
        },
        episode,
    })
}

async fn run() -> anyhow::Result<()> {
    let event = event(Arguments::parse())?;
    let topic = format!("{}.episodes.v1", namespace());
    let encoder = AvroEncoder::new(SrSettings::new(registry()));
    // The schema is looked up under `<topic>-<record>`.
    let subject = SubjectNameStrategy::TopicRecordNameStrategy(topic.clone(), SCHEMA.to_owned());
    let value = encoder.encode_struct(&event, &subject).await;
    let value = value.with_context(|| {
        let registry = registry();
        format!(
            "no schema {topic}-{SCHEMA} from the registry at {registry} (mneme schemas apply \
             registers it)"
        )
    })?;
    send(&topic, vec![(event.header.group_id, value)]).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    exit_code(run().await)
}
