//! The ends of partitions.
//!
//! A transaction that is under way holds back what committed readers see, also what others have
//! committed behind it. So first the end of all that was written is asked for, then waited until
//! that is stable; and since a transaction leaves a mark behind its last record, the last record is
//! looked for before the stable end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mneme_events::Topic;
use mneme_log::{LogError, Partition};
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{Reader, ask, away, reader};
use crate::config::{KafkaConfig, PATIENCE};
use crate::cursor::Readers;
use crate::latest::Latest;
use crate::names::Names;

/// How often it is asked whether a transaction is over.
const LOOK: Duration = Duration::from_millis(2);
/// What a transaction may take beyond its time until the broker has ended it.
const GRACE: Duration = Duration::from_secs(5);

/// The end of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// The offset after the last committed record.
    pub record: u64,
    /// Before this, nothing is to come any more.
    pub stable: u64,
}

#[derive(Default)]
struct Known {
    latest: Latest<End>,
    end: Mutex<Option<End>>,
}

/// Asks for ends.
pub(crate) struct Ends {
    committed: Arc<Reader>,
    written: Arc<Reader>,
    readers: Arc<Readers>,
    names: Names,
    longest: Duration,
    known: Mutex<HashMap<(Topic, Partition), Arc<Known>>>,
}

impl Ends {
    pub fn new(
        config: &KafkaConfig,
        names: &Names,
        readers: Arc<Readers>,
    ) -> Result<Self, LogError> {
        let settings = config.consumer(&names.group("reader"));
        let mut uncommitted = settings.clone();
        uncommitted.set("isolation.level", "read_uncommitted");
        Ok(Self {
            committed: Arc::new(reader(&settings)?),
            written: Arc::new(reader(&uncommitted)?),
            readers,
            names: names.clone(),
            longest: config.transaction_timeout() + GRACE,
            known: Mutex::default(),
        })
    }

    /// The end as it is now.
    pub async fn get(&self, topic: Topic, partition: Partition) -> Result<End, LogError> {
        let known = self.known(topic, partition);
        let before = *known.end.lock().unwrap_or_else(PoisonError::into_inner);
        let ask = || self.ask(topic, partition, before);
        let end = known.latest.get(ask).await?;
        *known.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        Ok(end)
    }

    /// The last end that somebody was told.
    pub fn told(&self, topic: Topic, partition: Partition) -> u64 {
        let known = self.known(topic, partition);
        let end = *known.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.map_or(0, |end| end.record)
    }

    fn known(&self, topic: Topic, partition: Partition) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry((topic, partition)).or_default())
    }

    async fn ask(
        &self,
        topic: Topic,
        partition: Partition,
        before: Option<End>,
    ) -> Result<End, LogError> {
        let name = self.names.topic(topic).to_owned();
        let (written, committed) = (Arc::clone(&self.written), Arc::clone(&self.committed));
        let longest = self.longest;
        let stable = tokio::task::spawn_blocking(move || {
            let written = latest(&written, &name, partition)?;
            if before.is_some_and(|before| before.stable == written) {
                return Ok(written);
            }
            let deadline = Instant::now() + longest;
            loop {
                let stable = latest(&committed, &name, partition)?;
                if stable >= written {
                    return Ok(stable);
                }
                if Instant::now() > deadline {
                    let reason = format!("{name} has a transaction that does not end");
                    return Err(LogError::Unavailable(reason));
                }
                std::thread::sleep(LOOK);
            }
        });
        let ended = |error: tokio::task::JoinError| LogError::Unavailable(error.to_string());
        let stable: u64 = stable.await.map_err(ended)??;
        if stable == 0 {
            return Ok(End { record: 0, stable });
        }
        if let Some(before) = before
            && before.stable == stable
        {
            return Ok(before);
        }
        let known = before.map(|before| before.stable);
        let place = (topic, partition);
        let last = self
            .readers
            .last_record_before(place, stable, known)
            .await?;
        let record = last.unwrap_or(before.map_or(0, |before| before.record));
        Ok(End { record, stable })
    }
}

/// The end of a partition as a client sees it.
fn latest(client: &Reader, topic: &str, partition: Partition) -> Result<u64, LogError> {
    let mut question = TopicPartitionList::new();
    question
        .add_partition_offset(topic, partition as i32, Offset::End)
        .map_err(away)?;
    let found = ask(|| {
        let answer = client.offsets_for_times(question.clone(), PATIENCE)?;
        match answer.find_partition(topic, partition as i32) {
            Some(found) => found.error().map(|()| Some(found.offset())),
            None => Ok(None),
        }
    })?;
    match found {
        Some(Offset::Offset(end)) => Ok(end.unsigned_abs()),
        _ => Err(LogError::Unavailable(format!(
            "the end of {topic} is not known"
        ))),
    }
}
