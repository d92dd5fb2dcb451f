//! The one thread that writes. It takes all requests that wait, makes one batch of them, writes it
//! with one fsync, announces the new ends and positions, and answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use fjall::PersistMode;
use mneme_events::Topic;
use tokio::sync::watch;

use super::committer::{Input, Request, Tenure};
use super::entry::Entry;
use super::layout::{position_key, record_key, record_value};
use super::store::Store;
use super::tail::Cached;
use crate::{CommitError, LogError, Partition, Written};

/// A batch is closed when it holds this much; the rest waits for the next.
const BATCH_BYTES: usize = 8 << 20;

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

pub(super) struct Writer {
    store: Arc<Store>,
    persist: PersistMode,
    next: HashMap<(Topic, Partition), u64>,
    tenures: HashMap<Input, watch::Sender<u64>>,
}

impl Writer {
    pub fn new(store: Arc<Store>, fsync: bool) -> Self {
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

    pub fn run(&mut self, inbox: &Receiver<Request>) {
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
                let places: Vec<_> = outputs
                    .iter()
                    .map(|entry| (entry.topic, entry.partition))
                    .collect();
                let offsets = self.place(outputs, batch);
                let places = places.into_iter().zip(offsets);
                let ends = Written::after(places.map(|((topic, at), offset)| (topic, at, offset)));
                for position in consumed {
                    let key = position_key(input.0, position.topic, position.partition);
                    batch.positions.insert(key, position.next);
                }
                batch.answers.push(Box::new(move |written| {
                    let _ = answer.send(written.map(|()| ends).map_err(CommitError::Abort));
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

    /// Makes a durable batch visible: its records first, its positions last, so that whoever sees a
    /// stage at a position sees all that the stage had written by then.
    fn announce(&self, entries: Vec<(u64, Entry)>, positions: BTreeMap<Vec<u8>, u64>) {
        let mut ends: HashMap<(Topic, Partition), u64> = HashMap::new();
        for (offset, entry) in entries {
            ends.insert((entry.topic, entry.partition), offset + 1);
            if let Some(mut tail) = self.store.topic(entry.topic).tail(entry.partition) {
                tail.push(Cached {
                    group: entry.group,
                    event: entry.event,
                    bytes: entry.bytes.len(),
                    trace: entry.trace,
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
        self.store.known_positions().extend(positions);
    }
}
