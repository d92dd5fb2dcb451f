//! The newest records of the partitions that somebody follows: one thread fetches them once, however
//! many followers there are, and they are decoded once.
//!
//! A buffer holds all records from its start on, as far as they have come. Offsets have gaps, so the
//! start is what counts, not the offset of the first record that is held.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use mneme_events::Topic;
use mneme_log::{LogError, Partition, Record};
use rdkafka::Message;
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use tokio::sync::{OnceCell, watch};

use crate::client::{Reader, reader};
use crate::config::KafkaConfig;
use crate::ends::{End, Ends};
use crate::names::Names;
use crate::raw::Raw;
use crate::reader::Place;

/// What all buffers together hold at the most, as encoded.
const MOST_BYTES: usize = 32 << 20;
/// How long a new follower waits at the most until the thread sees to it.
const WAIT: Duration = Duration::from_millis(20);

type At = (Topic, Partition);

/// A record and, once somebody has read it, what it decodes to.
pub(crate) struct Fetched {
    pub raw: Raw,
    pub record: OnceLock<Record>,
}

/// The newest records of a partition.
struct Buffer {
    content: Mutex<Content>,
    /// The offset after the last record.
    end: watch::Sender<u64>,
}

struct Content {
    start: u64,
    records: VecDeque<Arc<Fetched>>,
    bytes: usize,
}

impl Buffer {
    fn new(end: u64) -> Self {
        let content = Content {
            start: end,
            records: VecDeque::new(),
            bytes: 0,
        };
        Self {
            content: Mutex::new(content),
            end: watch::Sender::new(end),
        }
    }

    fn push(&self, raw: Raw, most_bytes: usize) {
        let next = raw.offset + 1;
        if next <= *self.end.borrow() {
            return;
        }
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        content.bytes += raw.bytes();
        let record = OnceLock::new();
        content.records.push_back(Arc::new(Fetched { raw, record }));
        while content.bytes > most_bytes
            && let Some(first) = content.records.pop_front()
        {
            content.bytes -= first.raw.bytes();
            content.start = first.raw.offset + 1;
        }
        drop(content);
        self.end.send_replace(next);
    }

    /// Up to `max` records from an offset on, if the buffer reaches back so far, and on to where
    /// somebody was told that the end is.
    fn read(&self, from: u64, max: usize, told: u64) -> Option<Vec<Arc<Fetched>>> {
        let content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        if from < content.start {
            return None;
        }
        let first = content
            .records
            .partition_point(|held| held.raw.offset < from);
        let found: Vec<_> = content
            .records
            .iter()
            .skip(first)
            .take(max)
            .cloned()
            .collect();
        let is_whole = found.len() == max || *self.end.borrow() >= told;
        is_whole.then_some(found)
    }
}

/// A partition to be followed from an offset on.
struct Follow {
    at: At,
    from: u64,
    buffer: Arc<Buffer>,
}

/// The buffers of a process.
pub(crate) struct Tail {
    ends: Arc<Ends>,
    buffers: Mutex<HashMap<At, Arc<OnceCell<Arc<Buffer>>>>>,
    follows: Sender<Follow>,
}

impl Tail {
    /// Starts the thread, which ends when this goes.
    pub fn start(config: &KafkaConfig, names: &Names, ends: Arc<Ends>) -> Result<Self, LogError> {
        let mut settings = config.consumer(&names.group("reader"));
        settings
            .set("auto.offset.reset", "earliest")
            .set("queued.min.messages", "10000")
            .set("queued.max.messages.kbytes", "8192");
        let (follows, inbox) = channel();
        let (names, consumer) = (names.clone(), reader(&settings)?);
        std::thread::Builder::new()
            .name("kafka-tail".to_owned())
            .spawn(move || follow(&consumer, &names, &inbox))
            .map_err(|error| LogError::Broken(error.to_string()))?;
        Ok(Self {
            ends,
            buffers: Mutex::default(),
            follows,
        })
    }

    /// Returns when there is a record at or behind `known_end`. From the first call on the partition
    /// is followed.
    pub async fn grown(&self, at: At, known_end: u64) -> Result<(), LogError> {
        let cell = {
            let mut buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(buffers.entry(at).or_default())
        };
        let buffer = cell.get_or_try_init(|| self.begin(at)).await?;
        let mut end = buffer.end.subscribe();
        let grown = end.wait_for(|end| *end > known_end).await;
        let closed = |_| LogError::Broken("the log is closed".to_owned());
        grown.map(|_| ()).map_err(closed)
    }

    /// Up to `max` records from a place on, if they are at hand.
    pub fn read(&self, from: Place, max: usize) -> Option<Vec<Arc<Fetched>>> {
        let at = (from.topic, from.partition);
        let buffer = {
            let buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(buffers.get(&at)?.get()?)
        };
        buffer.read(from.next, max, self.ends.told(at.0, at.1))
    }

    async fn begin(&self, at: At) -> Result<Arc<Buffer>, LogError> {
        let End { record, stable } = self.ends.get(at.0, at.1).await?;
        let buffer = Arc::new(Buffer::new(record));
        let follow = Follow {
            at,
            from: stable,
            buffer: Arc::clone(&buffer),
        };
        let ended = |_| LogError::Unavailable("the thread that follows ended".to_owned());
        self.follows.send(follow).map_err(ended)?;
        Ok(buffer)
    }
}

/// Fetches what comes and hands it to the buffers, until nobody can follow any more.
fn follow(consumer: &Reader, names: &Names, inbox: &Receiver<Follow>) {
    let mut buffers: HashMap<At, Arc<Buffer>> = HashMap::new();
    loop {
        let next = match buffers.is_empty() {
            true => inbox.recv().map_err(|_| TryRecvError::Disconnected),
            false => inbox.try_recv(),
        };
        match next {
            Ok(first) => {
                let mut added = TopicPartitionList::new();
                for Follow { at, from, buffer } in std::iter::once(first).chain(inbox.try_iter()) {
                    let offset = Offset::Offset(from as i64);
                    let topic = names.topic(at.0);
                    // An offset that comes from the broker is one.
                    let _ = added.add_partition_offset(topic, at.1 as i32, offset);
                    buffers.insert(at, buffer);
                }
                if let Err(error) = consumer.incremental_assign(&added) {
                    tracing::error!(%error, "partitions can't be followed");
                }
            }
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {}
        }
        let most_bytes = MOST_BYTES / buffers.len().max(1);
        match consumer.poll(WAIT) {
            Some(Ok(message)) => {
                let raw = Raw::from(&message);
                let topic = names.topic_of(message.topic());
                let buffer = topic.and_then(|topic| buffers.get(&(topic, raw.partition)));
                if let Some(buffer) = buffer {
                    buffer.push(raw, most_bytes);
                }
            }
            Some(Err(error)) => tracing::debug!(%error, "following is held up"),
            None => {}
        }
    }
}
