//! Records on Kafka: a zero, the number of the schema in four bytes, big endian, then the Avro datum.
//!
//! 1. The numbers of our own schemas are fetched when the log is opened, so a registry that is away
//!    later stops neither writers nor readers of what this version writes.
//! 2. A number that is not known is asked for before its records are decoded; until the registry
//!    has answered they wait.
//! 3. A record that is no event of ours, or does not stand where its group is, is undecodable, with
//!    a reason that holds nothing of its content.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use mneme_events::{DatumReader, Event, EventKind, Topic, encode_datum, schema_texts};
use mneme_log::{LogError, NewRecord, Partition, Record, Undecodable, partition_of};
use mneme_model::GroupId;

use crate::config::KafkaConfig;
use crate::headers::headers_of;
use crate::names::Names;
use crate::raw::{OutRecord, Raw};
use crate::registry::{Registry, RegistryError};
use crate::schemas::subject;

/// How many numbers that stand for nothing are remembered.
const MOST_UNKNOWN: usize = 1_000;

/// What is known of a number: how to read its records, or why they can't be read.
type Known = Result<DatumReader, Arc<str>>;

/// Encodes and decodes records.
pub(crate) struct Codec {
    registry: Registry,
    names: Names,
    partitions: Partition,
    ids: HashMap<EventKind, u32>,
    known: RwLock<HashMap<u32, Known>>,
}

impl Codec {
    /// Waits for the registry and fetches the numbers of all our schemas.
    pub async fn open(
        config: &KafkaConfig,
        names: &Names,
        partitions: Partition,
    ) -> Result<Self, LogError> {
        let registry = Registry::new(config)?;
        registry
            .wait(Duration::from_secs(config.registry_wait_s))
            .await?;
        let (mut ids, mut known) = (HashMap::new(), HashMap::new());
        for &kind in EventKind::ALL {
            let topic = kind.topics().first().copied().unwrap_or(Topic::Episodes);
            let subject = subject(names, topic, kind);
            for text in schema_texts(kind) {
                let id = match registry.id_of(&subject, text).await {
                    Err(RegistryError::Missing(_)) => {
                        return Err(LogError::Broken(format!(
                            "the schema of {subject} is not registered; run `mneme schemas apply`"
                        )));
                    }
                    found => found?,
                };
                let reader = DatumReader::of_schema_text(text);
                let reader = reader.map_err(|error| LogError::Broken(error.to_string()))?;
                known.insert(id, Ok(reader));
                // The last text is what this version writes.
                ids.insert(kind, id);
            }
        }
        Ok(Self {
            registry,
            names: names.clone(),
            partitions,
            ids,
            known: RwLock::new(known),
        })
    }

    /// What a record is on Kafka.
    pub fn encode(&self, record: &NewRecord) -> Result<OutRecord, LogError> {
        let (topic, event) = (record.topic, record.event.as_ref());
        let kind = event.kind();
        let unknown = || LogError::Broken(format!("{} has no schema", kind.name()));
        let id = self.ids.get(&kind).ok_or_else(unknown)?.to_be_bytes();
        let before = [0, id[0], id[1], id[2], id[3]];
        let value = encode_datum(event, &before);
        let partition = partition_of(event.group_id(), self.partitions);
        Ok(OutRecord {
            topic,
            partition,
            key: key_of(topic, event),
            value: value.map_err(|error| LogError::Broken(error.to_string()))?,
            headers: headers_of(record, partition, &self.names),
        })
    }

    /// Asks for the numbers that are not known yet, so that [`Self::decode`] needs nobody.
    pub async fn prepare<'a>(
        &self,
        records: impl Iterator<Item = &'a Raw>,
    ) -> Result<(), LogError> {
        let unknown: BTreeSet<u32> = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            records
                .filter_map(|record| split(&record.value).ok())
                .map(|(id, _)| id)
                .filter(|id| !matches!(known.get(id), Some(Ok(_))))
                .collect()
        };
        for id in unknown {
            let found: Known = match self.registry.text_of(id).await {
                Ok(text) => {
                    DatumReader::of_schema_text(&text).map_err(|error| error.to_string().into())
                }
                Err(error @ RegistryError::Missing(_)) => Err(error.to_string().into()),
                Err(error) => return Err(error.into()),
            };
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            if known.len() > MOST_UNKNOWN + self.ids.len() {
                known.retain(|_, found| found.is_ok());
            }
            known.insert(id, found);
        }
        Ok(())
    }

    /// The record that stands in bytes whose number was asked for.
    pub fn decode(&self, topic: Topic, raw: &Raw) -> Record {
        let key = raw.key.as_deref().and_then(group_of);
        let event = self.event(topic, raw);
        let group_id = match &event {
            Ok(event) => Some(event.group_id().clone()),
            Err(_) => key,
        };
        Record {
            topic,
            partition: raw.partition,
            offset: raw.offset,
            group_id,
            event: event.map_err(|reason| Undecodable {
                bytes: raw.value.clone(),
                key: raw.key.clone(),
                schema_id: split(&raw.value).ok().map(|(id, _)| id),
                reason,
            }),
            trace: raw.trace,
        }
    }

    fn event(&self, topic: Topic, raw: &Raw) -> Result<Arc<Event>, String> {
        let (id, datum) = split(&raw.value)?;
        let reader = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            known.get(&id).cloned()
        };
        let nothing = || format!("the schema with the number {id} is not known");
        let reader = reader
            .ok_or_else(nothing)?
            .map_err(|reason| reason.to_string())?;
        let event = reader.decode(datum).map_err(|error| error.to_string())?;
        // Order and ownership rest on it.
        let group = event.group_id().as_str().as_bytes();
        if topic != Topic::Inferences && raw.key.as_deref() != Some(group) {
            return Err("the key of the record is not its group".to_owned());
        }
        if partition_of(event.group_id(), self.partitions) != raw.partition {
            return Err("the record is not on the partition of its group".to_owned());
        }
        Ok(Arc::new(event))
    }
}

/// The key of a record: its group; of a recorded answer, which replaces the one before, what it
/// answers.
fn key_of(topic: Topic, event: &Event) -> Vec<u8> {
    match event {
        Event::InferenceRecorded(recorded) if topic == Topic::Inferences => {
            let header = &recorded.header;
            format!("{} {}", header.group_id, header.event_id).into_bytes()
        }
        _ => event.group_id().as_str().as_bytes().to_vec(),
    }
}

fn group_of(key: &[u8]) -> Option<GroupId> {
    GroupId::new(std::str::from_utf8(key).ok()?).ok()
}

/// The number of the schema, and the datum.
fn split(value: &[u8]) -> Result<(u32, &[u8]), String> {
    let not_ours = || "the record does not begin with the number of a schema".to_owned();
    let ([0, id @ ..], datum) = value.split_first_chunk::<5>().ok_or_else(not_ours)? else {
        return Err(not_ours());
    };
    Ok((u32::from_be_bytes(*id), datum))
}
