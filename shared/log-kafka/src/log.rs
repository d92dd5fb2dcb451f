//! The log: what is asked of it, and who answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mneme_events::Topic;
use mneme_log::{EventLog, LogError, NewRecord, Partition, Record, StageLog, partition_of};
use mneme_model::GroupId;

use crate::appender::Appender;
use crate::codec::Codec;
use crate::config::{KafkaConfig, MOST_BYTES};
use crate::cursor::Readers;
use crate::ends::Ends;
use crate::health::Health;
use crate::names::Names;
use crate::positions::Positions;
use crate::producers::ProducerRecords;
use crate::raw::{OutRecord, Raw};
use crate::reader::Place;
use crate::stage::KafkaStage;
use crate::tail::Tail;
use crate::topics::{find_partitions, most_bytes};

/// The log on Kafka.
#[derive(Clone)]
pub struct KafkaLog {
    shared: Arc<Handle>,
}

/// Closes the clients on a thread of its own: it blocks.
struct Handle(Option<Shared>);

struct Shared {
    config: KafkaConfig,
    names: Names,
    partitions: Partition,
    codec: Arc<Codec>,
    appender: Appender,
    positions: Positions,
    tail: Tail,
    ends: Arc<Ends>,
    readers: Arc<Readers>,
    health: Mutex<BTreeMap<&'static str, Health>>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        let shared = self.0.take();
        let closing = std::thread::Builder::new().name("kafka-close".to_owned());
        if let Err(error) = closing.spawn(move || drop(shared)) {
            tracing::debug!(%error, "the clients were closed at once");
        }
    }
}

impl KafkaLog {
    /// Opens the log. Waits for a registry that is away; refuses a cluster whose topics are not there
    /// or not all of one partition count.
    pub async fn connect(config: KafkaConfig) -> Result<Self, LogError> {
        Self::connect_as("gateway", config).await
    }

    /// The same for a process of this role, which appends beside processes of other roles that have
    /// the same instance name. No stage may have the name of the role.
    pub async fn connect_as(role: &'static str, config: KafkaConfig) -> Result<Self, LogError> {
        config.check()?;
        let names = config.names()?;
        let partitions = find_partitions(&config, &names).await?;
        let codec = Arc::new(Codec::open(&config, &names, partitions).await?);
        let readers = Readers::new(config.clone(), names.clone());
        let ends = Arc::new(Ends::new(&config, &names, Arc::clone(&readers))?);
        let shared = Shared {
            partitions,
            codec,
            appender: Appender::new(config.clone(), names.clone(), role),
            positions: Positions::new(config.clone(), names.clone(), partitions),
            tail: Tail::start(&config, &names, Arc::clone(&ends))?,
            ends,
            readers,
            health: Mutex::default(),
            config,
            names,
        };
        let shared = Arc::new(Handle(Some(shared)));
        Ok(Self { shared })
    }

    /// How the thread of a stage is that was joined here last.
    pub fn health(&self, stage: &str) -> Option<Health> {
        let shared = self.shared().ok()?;
        let health = shared.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.get(stage).cloned()
    }

    /// Reads topics of producers, by their full names, as an instance of a stage. Its thread is told of
    /// by [`Self::health`].
    pub fn read_producers(
        &self,
        stage: &'static str,
        topics: Vec<String>,
    ) -> Result<ProducerRecords, LogError> {
        let shared = self.shared()?;
        let refused = topics.iter();
        let mut refused = refused.filter_map(|topic| shared.names.refuse_producers(topic));
        if let Some(reason) = refused.next() {
            return Err(LogError::Broken(reason));
        }
        let joined = ProducerRecords::join(&shared.config, &shared.names, stage, topics)?;
        let mut health = shared.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.insert(stage, joined.health());
        Ok(joined)
    }

    fn shared(&self) -> Result<&Shared, LogError> {
        let closed = || LogError::Broken("the log is closed".to_owned());
        self.shared.0.as_ref().ok_or_else(closed)
    }

    fn place(&self, topic: Topic, partition: Partition) -> Result<&Shared, LogError> {
        let shared = self.shared()?;
        if partition < shared.partitions {
            return Ok(shared);
        }
        Err(LogError::Broken(format!(
            "there is no partition {partition} of {topic}: it has {}",
            shared.partitions
        )))
    }
}

/// Encodes records on the thread of whoever writes them.
pub(crate) fn encode_all(codec: &Codec, records: &[NewRecord]) -> Result<Vec<OutRecord>, LogError> {
    let encode = |record: &NewRecord| {
        let encoded = codec.encode(record)?;
        let most = most_bytes(record.topic).min(MOST_BYTES);
        if encoded.bytes() <= most {
            return Ok(encoded);
        }
        Err(LogError::Refused(format!(
            "a record of {} bytes; {} takes {most} at the most",
            encoded.value.len(),
            record.topic
        )))
    };
    records.iter().map(encode).collect()
}

#[async_trait]
impl EventLog for KafkaLog {
    fn partitions(&self) -> Partition {
        self.shared().map_or(1, |shared| shared.partitions)
    }

    fn partition_of(&self, group: &GroupId) -> Partition {
        partition_of(group, self.partitions())
    }

    async fn append(&self, records: Vec<NewRecord>) -> Result<Vec<u64>, LogError> {
        let shared = self.shared()?;
        let encoded = encode_all(&shared.codec, &records)?;
        shared.appender.append(encoded).await
    }

    async fn read(
        &self,
        topic: Topic,
        partition: Partition,
        from: u64,
        max: usize,
    ) -> Result<Vec<Record>, LogError> {
        let shared = self.place(topic, partition)?;
        let from = Place {
            topic,
            partition,
            next: from,
        };
        if max == 0 {
            return Ok(Vec::new());
        }
        let codec = &shared.codec;
        if let Some(found) = shared.tail.read(from, max) {
            codec
                .prepare(found.iter().map(|fetched| &fetched.raw))
                .await?;
            let decode = |raw: &Raw| codec.decode(topic, raw);
            let decoded = found.iter().map(|fetched| {
                let record = fetched.record.get_or_init(|| decode(&fetched.raw));
                record.clone()
            });
            return Ok(decoded.collect());
        }
        let found = shared.readers.read(from, max).await?;
        codec.prepare(found.iter()).await?;
        Ok(found.iter().map(|raw| codec.decode(topic, raw)).collect())
    }

    async fn end(&self, topic: Topic, partition: Partition) -> Result<u64, LogError> {
        let shared = self.place(topic, partition)?;
        Ok(shared.ends.get(topic, partition).await?.record)
    }

    async fn grown(
        &self,
        topic: Topic,
        partition: Partition,
        known_end: u64,
    ) -> Result<(), LogError> {
        let shared = self.place(topic, partition)?;
        shared.tail.grown((topic, partition), known_end).await
    }

    async fn position(
        &self,
        stage: &'static str,
        input: Topic,
        partition: Partition,
    ) -> Result<u64, LogError> {
        let shared = self.place(input, partition)?;
        shared.positions.get(stage, input, partition).await
    }

    async fn join(&self, stage: &'static str, input: Topic) -> Result<Box<dyn StageLog>, LogError> {
        let shared = self.shared()?;
        let codec = Arc::clone(&shared.codec);
        let joined = KafkaStage::join(&shared.config, &shared.names, codec, (stage, input));
        let joined = joined.await?;
        let mut health = shared.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.insert(stage, joined.health());
        Ok(Box::new(joined))
    }
}
