//! The handle of the one thread that writes.
//!
//! Joining goes through the thread too: an instance that was replaced can't slip in a commit between
//! the joining of the next one and its first look at the positions.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use mneme_events::Topic;
use tokio::sync::{oneshot, watch};

use super::entry::Entry;
use super::store::Store;
use super::writer::Writer;
use crate::{CommitError, Consumed, LogError, Written};

/// A stage's instance by its number; it is over when the number has moved on.
pub(super) struct Tenure {
    pub number: u64,
    pub newest: watch::Receiver<u64>,
}

/// A stage and what it reads.
pub(super) type Input = (&'static str, Topic);

/// What is asked of the thread.
pub(super) enum Request {
    Append(Vec<Entry>, oneshot::Sender<Result<Vec<u64>, LogError>>),
    Commit {
        input: Input,
        number: u64,
        outputs: Vec<Entry>,
        consumed: Vec<Consumed>,
        answer: oneshot::Sender<Result<Vec<Written>, CommitError>>,
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
    ) -> Result<Vec<Written>, CommitError> {
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
