//! The one thread that writes. It takes all requests that wait, makes one batch of them, writes it
//! with one fsync, announces the new ends and positions, and answers.
//!
//! Joining goes through it too: an instance that was replaced can't slip in a commit between the
//! joining of the next one and its first look at the positions.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use fjall::PersistMode;
use mneme_events::{Event, Topic};
use mneme_model::GroupId;
use tokio::sync::{oneshot, watch};

use super::decoded;
use super::layout::{position_key, record_key, record_value};
use super::store::Store;
use super::tail::Cached;
use crate::partition::partition_of;
use crate::{CommitError, Consumed, LogError, NewRecord, Partition, Undecodable};

/// A batch is closed when it holds this much; the rest waits for the next.
const BATCH_BYTES: usize = 8 << 20;

/// A record ready to be written.
pub(super) struct Entry {
    topic: Topic,
    partition: Partition,
    group: GroupId,
    event: Result<Arc<Event>, Undecodable>,
    bytes: Vec<u8>,
}

impl Entry {
    pub fn raw(topic: Topic, partition: Partition, group: GroupId, bytes: Vec<u8>) -> Self {
        Self {
            topic,
            partition,
            group,
            event: decoded(&bytes),
            bytes,
        }
    }
}

/// Encodes records, on the caller's thread.
pub(super) fn entries(
    records: Vec<NewRecord>,
    partitions: Partition,
) -> Result<Vec<Entry>, String> {
    let entry = |record: NewRecord| {
        let group = record.event.group_id().clone();
        Ok(Entry {
            topic: record.topic,
            partition: partition_of(&group, partitions),
            bytes: mneme_events::encode(&record.event).map_err(|error| error.to_string())?,
            event: Ok(record.event),
            group,
        })
    };
    records.into_iter().map(entry).collect()
}

/// A stage's instance by its number; it is over when the number has moved on.
pub(super) struct Tenure {
    pub number: u64,
    pub newest: watch::Receiver<u64>,
}

type Input = (&'static str, Topic);

enum Request {
    Append(Vec<Entry>, oneshot::Sender<Result<Vec<u64>, LogError>>),
    Commit {
        input: Input,
        number: u64,
        outputs: Vec<Entry>,
        consumed: Vec<Consumed>,
        answer: oneshot::Sender<Result<(), CommitError>>,
    },
    Join(Input, oneshot::Sender<Tenure>),
}

/// The handle of the thread, which ends when the handle goes.
pub(super) struct Committer {
    requests: Mutex<Option<Sender<Request>>>,
    thread: Option<JoinHandle<()>>,
}

impl Committer {
    pub fn start(store: Arc<Store>, fsync: bool) -> Result<Self, LogError> {
        let (requests, inbox) = channel();
        let mut writer = Writer::new(store, fsync);
        let thread = std::thread::Builder::new()
            .name("log-committer".to_owned())
            .spawn(move || writer.run(&inbox))
            .map_err(|error| LogError::Broken(error.to_string()))?;
        Ok(Self {
            requests: Mutex::new(Some(requests)),
            thread: Some(thread),
        })
    }

    pub async fn append(&self, entries: Vec<Entry>) -> Result<Vec<u64>, LogError> {
        let (answer, wait) = oneshot::channel();
        self.send(Request::Append(entries, answer));
        wait.await.unwrap_or_else(|_| Err(gone()))
    }

    pub async fn join(&self, stage: &'static str, input: Topic) -> Result<Tenure, LogError> {
        let (answer, wait) = oneshot::channel();
        self.send(Request::Join((stage, input), answer));
        wait.await.map_err(|_| gone())
    }

    pub async fn commit(
        &self,
        input: Input,
        number: u64,
        outputs: Vec<Entry>,
        consumed: Vec<Consumed>,
    ) -> Result<(), CommitError> {
        let (answer, wait) = oneshot::channel();
        self.send(Request::Commit {
            input,
            number,
            outputs,
            consumed,
            answer,
        });
        let lost = |_| Err(CommitError::Abort(gone().to_string()));
        wait.await.unwrap_or_else(lost)
    }

    /// A request to a thread that has ended drops its answer, which the caller sees.
    fn send(&self, request: Request) {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(requests) = &*requests {
            let _ = requests.send(request);
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        if let Ok(requests) = self.requests.get_mut() {
            requests.take();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub(super) fn gone() -> LogError {
    LogError::Broken("the log's writer has ended".to_owned())
}

/// Tells one caller how the batch went.
type Answer = Box<dyn FnOnce(Result<(), String>) + Send>;

/// The requests that are written together.
#[derive(Default)]
struct Batch {
    entries: Vec<(u64, Entry)>,
    // One value a key: two writes of one key in one batch have no order.
    positions: BTreeMap<Vec<u8>, u64>,
    answers: Vec<Answer>,
    bytes: usize,
}

struct Writer {
    store: Arc<Store>,
    persist: PersistMode,
    next: HashMap<(Topic, Partition), u64>,
    tenures: HashMap<Input, watch::Sender<u64>>,
}

impl Writer {
    fn new(store: Arc<Store>, fsync: bool) -> Self {
        let next = Topic::ALL
            .into_iter()
            .flat_map(|topic| (0..store.partitions()).map(move |partition| (topic, partition)))
            .map(|place| (place, store.end(place.0, place.1)))
            .collect();
        Self {
            store,
            persist: if fsync {
                PersistMode::SyncData
            } else {
                PersistMode::Buffer
            },
            next,
            tenures: HashMap::new(),
        }
    }

    fn run(&mut self, inbox: &Receiver<Request>) {
        while let Ok(first) = inbox.recv() {
            let mut batch = Batch::default();
            self.take(first, &mut batch);
            while batch.bytes < BATCH_BYTES
                && let Ok(request) = inbox.try_recv()
            {
                self.take(request, &mut batch);
            }
            self.write(batch);
        }
    }

    fn take(&mut self, request: Request, batch: &mut Batch) {
        match request {
            Request::Append(entries, answer) => {
                let offsets = self.place(entries, batch);
                batch.answers.push(Box::new(move |written| {
                    let _ = answer.send(written.map(|()| offsets).map_err(LogError::Broken));
                }));
            }
            Request::Join(input, answer) => {
                let newest = self.tenures.entry(input).or_default();
                newest.send_modify(|number| *number += 1);
                let tenure = Tenure {
                    number: *newest.borrow(),
                    newest: newest.subscribe(),
                };
                batch.answers.push(Box::new(move |_| {
                    let _ = answer.send(tenure);
                }));
            }
            Request::Commit {
                input,
                number,
                outputs,
                consumed,
                answer,
            } => {
                let newest = self
                    .tenures
                    .get(&input)
                    .map_or(0, |newest| *newest.borrow());
                if number != newest {
                    let reason = format!("{} joined again", input.0);
                    let _ = answer.send(Err(CommitError::Fenced(reason)));
                    return;
                }
                self.place(outputs, batch);
                for position in consumed {
                    let key = position_key(input.0, position.topic, position.partition);
                    batch.positions.insert(key, position.next);
                }
                batch.answers.push(Box::new(move |written| {
                    let _ = answer.send(written.map_err(CommitError::Abort));
                }));
            }
        }
    }

    /// Gives records their offsets.
    fn place(&mut self, entries: Vec<Entry>, batch: &mut Batch) -> Vec<u64> {
        let mut offsets = Vec::with_capacity(entries.len());
        for entry in entries {
            let next = self.next.entry((entry.topic, entry.partition)).or_insert(0);
            offsets.push(*next);
            batch.bytes += entry.bytes.len();
            batch.entries.push((*next, entry));
            *next += 1;
        }
        offsets
    }

    fn write(&self, batch: Batch) {
        let written = self.persist(&batch);
        match &written {
            Ok(()) => self.announce(batch.entries, batch.positions),
            // What reached the disk is not known, so no later write may follow it.
            Err(reason) => {
                tracing::error!(%reason, "the log could not be written");
                self.store.set_broken(reason.clone());
            }
        }
        for answer in batch.answers {
            answer(written.clone());
        }
    }

    fn persist(&self, batch: &Batch) -> Result<(), String> {
        if batch.entries.is_empty() && batch.positions.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.store.check(0) {
            return Err(error.to_string());
        }
        let mut writes = self.store.database.batch().durability(Some(self.persist));
        for (offset, entry) in &batch.entries {
            let records = &self.store.topic(entry.topic).records;
            let key = record_key(entry.partition, *offset);
            writes.insert(records, key, record_value(&entry.group, &entry.bytes));
        }
        for (key, next) in &batch.positions {
            let value = next.to_be_bytes();
            writes.insert(&self.store.positions, key.as_slice(), value);
        }
        writes.commit().map_err(|error| error.to_string())
    }

    /// Makes a durable batch visible.
    fn announce(&self, entries: Vec<(u64, Entry)>, positions: BTreeMap<Vec<u8>, u64>) {
        self.store.known_positions().extend(positions);
        let mut ends: HashMap<(Topic, Partition), u64> = HashMap::new();
        for (offset, entry) in entries {
            ends.insert((entry.topic, entry.partition), offset + 1);
            if let Some(mut tail) = self.store.topic(entry.topic).tail(entry.partition) {
                tail.push(Cached {
                    group: entry.group,
                    event: entry.event,
                    bytes: entry.bytes.len(),
                });
            }
        }
        for topic in Topic::ALL {
            let moved = |place: &(Topic, Partition)| place.0 == topic;
            if ends.keys().any(moved) {
                self.store.topic(topic).ends.send_modify(|known| {
                    for ((_, partition), end) in ends.iter().filter(|(place, _)| moved(place)) {
                        known[*partition as usize] = *end;
                    }
                });
            }
        }
    }
}
