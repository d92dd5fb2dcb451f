//! Records of producers: topics of other systems, read as these have made them.
//!
//! 1. The records of a partition are handed out in their order, from the committed position on, and
//!    from the first record where there is none.
//! 2. A position is committed only behind records that were told to be done. So each record is worked
//!    on at least once, and some are again after a crash or a change of the group.
//! 3. The thread asks the broker at all times and reads no further ahead than its window, so work may
//!    take as long as it likes.
//! 4. A topic that is not there is no error: it is taken up when it is made.

mod missing;
mod record;
mod tenures;
mod thread;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use mneme_log::{LogError, Partition};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::config::KafkaConfig;
use crate::health::Health;
use crate::names::Names;
use crate::window::Window;
pub use record::ProducerRecord;
use tenures::{Done, Tenure, Tenures};
use thread::{Common, Heard, ProducersThread};

/// What an instance reads of producers' topics; several instances share the partitions.
pub struct ProducerRecords {
    heard: UnboundedReceiver<Heard>,
    done: Sender<Vec<Done>>,
    common: Common,
}

impl ProducerRecords {
    /// Joins, and starts the thread.
    pub(crate) fn join(
        config: &KafkaConfig,
        names: &Names,
        stage: &'static str,
        topics: Vec<String>,
    ) -> Result<Self, LogError> {
        let common = Common {
            window: Arc::new(Window::new(config.window_records, config.window_bytes)),
            tenures: Arc::new(Tenures::default()),
            health: Health::default(),
        };
        let (say, heard) = unbounded_channel();
        let (done, inbox) = channel();
        let ears = (common.clone(), say, inbox);
        let thread = ProducersThread::join(config, names, (stage, topics), ears)?;
        std::thread::Builder::new()
            .name(format!("kafka-{stage}"))
            .spawn(move || thread.run())
            .map_err(|error| LogError::Broken(error.to_string()))?;
        Ok(Self {
            heard,
            done,
            common,
        })
    }

    pub(crate) fn health(&self) -> Health {
        self.common.health.clone()
    }

    /// Waits for the next records, in the order of each partition. Loses nothing when it is dropped.
    ///
    /// An error is the end: [`LogError::Locked`] where another instance of this name has taken over.
    pub async fn next(&mut self) -> Result<Vec<ProducerRecord>, LogError> {
        loop {
            match self.heard.recv().await {
                Some(Heard::Records(mut records)) => {
                    let bytes = records.iter().map(ProducerRecord::bytes).sum();
                    self.common.window.take(records.len(), bytes);
                    records.retain(|record| self.has(record));
                    if !records.is_empty() {
                        return Ok(records);
                    }
                }
                Some(Heard::Over(reason)) => return Err(reason),
                None => return Err(LogError::Broken("the thread that reads ended".to_owned())),
            }
        }
    }

    /// Whether a record is still this instance's to work on. One whose partition was taken is handed
    /// out where that partition is now.
    pub fn has(&self, record: &ProducerRecord) -> bool {
        self.common.tenures.has(record)
    }

    /// Says that these, and all before them in their partitions, are done.
    pub fn done<'r>(&self, records: impl IntoIterator<Item = &'r ProducerRecord>) {
        let mut last: BTreeMap<(&Arc<str>, Partition, Tenure), u64> = BTreeMap::new();
        for record in records {
            let place = (&record.topic, record.partition, record.tenure);
            let next = last.entry(place).or_default();
            *next = (*next).max(record.offset + 1);
        }
        let done = last
            .into_iter()
            .map(|((topic, partition, tenure), next)| Done {
                topic: Arc::clone(topic),
                partition,
                tenure,
                next,
            });
        // A thread that has ended says so to whoever wants more records.
        let _ = self.done.send(done.collect());
    }
}
