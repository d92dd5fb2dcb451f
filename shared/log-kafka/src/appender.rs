//! Appends: one thread with one producer takes all that wait and writes them in one transaction.
//!
//! 1. An append is answered when its transaction is committed, with the offsets of its records.
//! 2. One that fails has written nothing. While the broker is away each caller hears of it within
//!    the time that a delivery may take; then the thread goes on by itself.
//! 3. The producer starts with the first append: a process that appends nothing takes the place of
//!    nobody.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mneme_log::LogError;
use tokio::sync::oneshot;

use crate::config::KafkaConfig;
use crate::names::Names;
use crate::raw::OutRecord;
use crate::transactions::Transactions;
use crate::verdict::WriteError;

/// A transaction is closed when it holds this much; the rest waits for the next.
const BATCH_BYTES: usize = 8 << 20;
const BATCH_RECORDS: usize = 10_000;

type Answer = oneshot::Sender<Result<Vec<u64>, LogError>>;

struct Append {
    records: Vec<OutRecord>,
    answer: Answer,
}

/// The handle of the thread, which ends when the handle goes.
pub(crate) struct Appender {
    requests: Mutex<Option<Sender<Append>>>,
    config: KafkaConfig,
    names: Names,
    role: &'static str,
}

impl Appender {
    /// The role goes into the transactional id: of two with one role and instance, only one appends.
    pub fn new(config: KafkaConfig, names: Names, role: &'static str) -> Self {
        Self {
            requests: Mutex::new(None),
            config,
            names,
            role,
        }
    }

    /// Appends records, all or nothing.
    pub async fn append(&self, records: Vec<OutRecord>) -> Result<Vec<u64>, LogError> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let (answer, wait) = oneshot::channel();
        self.send(Append { records, answer })?;
        let ended = |_| {
            Err(LogError::Unavailable(
                "the thread that writes ended".to_owned(),
            ))
        };
        wait.await.unwrap_or_else(ended)
    }

    /// Hands a request to the thread, which is started where there is none or the last one ended.
    fn send(&self, append: Append) -> Result<(), LogError> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(thread) = &*requests else {
            return self.start(&mut requests, append);
        };
        match thread.send(append) {
            Ok(()) => Ok(()),
            Err(unsent) => self.start(&mut requests, unsent.0),
        }
    }

    fn start(&self, requests: &mut Option<Sender<Append>>, append: Append) -> Result<(), LogError> {
        let (sender, inbox) = channel();
        let (config, names, role) = (self.config.clone(), self.names.clone(), self.role);
        std::thread::Builder::new()
            .name("kafka-appender".to_owned())
            .spawn(move || run(&config, &names, role, &inbox))
            .map_err(|error| LogError::Broken(error.to_string()))?;
        let _ = sender.send(append);
        *requests = Some(sender);
        Ok(())
    }
}

/// Starts a producer and appends until it is of no use or nobody is left to ask.
fn run(config: &KafkaConfig, names: &Names, role: &str, inbox: &Receiver<Append>) {
    let Ok(first) = inbox.recv() else { return };
    match Transactions::start(config, names, role, &mut || Ok(())) {
        Ok(producer) => append_all(&producer, first, inbox),
        Err(error) => {
            let reason = error.to_string();
            let again = || match &error {
                LogError::Unavailable(_) => LogError::Unavailable(reason.clone()),
                _ => LogError::Broken(reason.clone()),
            };
            refuse(std::iter::once(first).chain(inbox.try_iter()), again);
        }
    }
}

fn append_all(producer: &Transactions, first: Append, inbox: &Receiver<Append>) {
    let mut next = Some(first);
    while let Some(first) = next.take().or_else(|| inbox.recv().ok()) {
        let (records, answers) = gather(first, inbox);
        match producer.write(&records, None, &mut || Ok(())) {
            Ok(placed) => {
                let mut placed = placed.into_iter();
                for (count, answer) in answers {
                    let _ = answer.send(Ok(placed.by_ref().take(count).collect()));
                }
            }
            Err(error) => {
                let failed = || failure(&error);
                for (_, answer) in answers {
                    let _ = answer.send(Err(failed()));
                }
                let aborted = match error {
                    WriteError::Abort(_) => abort(producer, inbox),
                    _ => false,
                };
                if !aborted {
                    // The next append starts anew.
                    refuse(inbox.try_iter(), failed);
                    return;
                }
            }
        }
    }
}

/// One transaction's worth of what waits.
fn gather(first: Append, inbox: &Receiver<Append>) -> (Vec<OutRecord>, Vec<(usize, Answer)>) {
    let (mut records, mut answers, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut next = Some(first);
    while let Some(Append {
        records: more,
        answer,
    }) = next
    {
        bytes += more.iter().map(OutRecord::bytes).sum::<usize>();
        answers.push((more.len(), answer));
        records.extend(more);
        let is_full = bytes >= BATCH_BYTES || records.len() >= BATCH_RECORDS;
        next = if is_full { None } else { inbox.try_recv().ok() };
    }
    (records, answers)
}

/// Aborts what is open; who asks meanwhile hears that the broker is away. False where the producer
/// is of no use any longer.
fn abort(producer: &Transactions, inbox: &Receiver<Append>) -> bool {
    let away = || LogError::Unavailable("the last append is still being aborted".to_owned());
    let started = Instant::now();
    let aborted = producer.abort(&mut || {
        // An abort with the broker at hand is over before anybody need be refused.
        if started.elapsed() > Duration::from_secs(1) {
            refuse(inbox.try_iter(), away);
        }
        Ok(())
    });
    if let Err(error) = &aborted {
        tracing::warn!(?error, "an append could not be aborted");
    }
    aborted.is_ok()
}

fn failure(error: &WriteError) -> LogError {
    match error {
        // What is lost was over in time while the broker was away, or another process has the name of
        // this instance; the next append starts anew.
        WriteError::Abort(reason) | WriteError::Lost(reason) => {
            LogError::Unavailable(reason.clone())
        }
        WriteError::Broken(reason) => LogError::Broken(reason.clone()),
    }
}

fn refuse(appends: impl Iterator<Item = Append>, why: impl Fn() -> LogError) {
    for append in appends {
        let _ = append.answer.send(Err(why()));
    }
}
