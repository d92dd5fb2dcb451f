//! The log in memory, for tests, with failures to order at every commit point.
//!
//! A [`Fault`] strikes one commit or append. A crash ends the handle it struck, as the death of a
//! process would: whatever uses it fails from then on, and [`MemoryLog::reopen`] gives a new handle
//! on what was committed.

mod content;
mod stage;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use mneme_events::Topic;
use mneme_model::GroupId;
use tokio::sync::watch;

use crate::partition::partition_of;
use crate::{EventLog, LogError, NewRecord, Partition, Record, StageLog};
use content::{Content, Stored};
use stage::MemoryStage;

/// A failure to order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing happens, and the caller is told to try again.
    Retry,
    /// Nothing happens, and the caller is told that its work since the last commit is void.
    Abort,
    /// The process dies before it takes effect.
    CrashBefore,
    /// The process dies after it took effect and before the caller hears of it.
    CrashAfter,
}

/// The log in memory.
#[derive(Clone)]
pub struct MemoryLog {
    shared: Arc<Shared>,
    crashed: Arc<AtomicBool>,
}

struct Shared {
    content: Mutex<Content>,
    changed: watch::Sender<()>,
}

impl Default for MemoryLog {
    fn default() -> Self {
        Self::new(1)
    }
}

impl MemoryLog {
    /// An empty log.
    pub fn new(partitions: Partition) -> Self {
        let shared = Shared {
            content: Mutex::new(Content::new(partitions.max(1))),
            changed: watch::Sender::new(()),
        };
        Self {
            shared: Arc::new(shared),
            crashed: Arc::default(),
        }
    }

    /// Another handle on the same content, as a process has that starts after a crash.
    pub fn reopen(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            crashed: Arc::default(),
        }
    }

    /// Orders a failure of the `nth` commit from now on, 1 being the next.
    pub fn fail_commit(&self, nth: u64, fault: Fault) {
        self.content().commits.order(nth, fault);
    }

    /// Orders a failure of the `nth` append from now on, 1 being the next.
    pub fn fail_append(&self, nth: u64, fault: Fault) {
        self.content().appends.order(nth, fault);
    }

    /// How many commits were asked for so far, failed ones too.
    pub fn commits(&self) -> u64 {
        self.content().commits.count()
    }

    /// Whether a crash struck this handle.
    pub fn has_crashed(&self) -> bool {
        self.crashed.load(Ordering::SeqCst)
    }

    /// Appends bytes as they are, whether or not they decode.
    pub async fn append_raw(
        &self,
        topic: Topic,
        group: &GroupId,
        bytes: Vec<u8>,
    ) -> Result<u64, LogError> {
        self.alive()?;
        let partition = self.partition_of(group);
        let stored = Stored::raw(group.clone(), bytes);
        let offset = self.content().push(topic, partition, stored);
        self.shared.changed.send_replace(());
        Ok(offset)
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        let content = self.shared.content.lock();
        content.unwrap_or_else(PoisonError::into_inner)
    }

    fn alive(&self) -> Result<(), LogError> {
        if self.has_crashed() {
            return Err(LogError::Broken("the process crashed".to_owned()));
        }
        Ok(())
    }

    fn crash(&self) {
        self.crashed.store(true, Ordering::SeqCst);
        self.shared.changed.send_replace(());
    }

    /// Waits until `ready` says something of the content, or a crash.
    async fn wait<T>(&self, mut ready: impl FnMut(&Content) -> Option<T>) -> Result<T, LogError> {
        let mut changed = self.shared.changed.subscribe();
        loop {
            self.alive()?;
            if let Some(found) = ready(&self.content()) {
                return Ok(found);
            }
            let closed = |_| LogError::Broken("the log is closed".to_owned());
            changed.changed().await.map_err(closed)?;
        }
    }
}

#[async_trait]
impl EventLog for MemoryLog {
    fn partitions(&self) -> Partition {
        self.content().partitions()
    }

    fn partition_of(&self, group: &GroupId) -> Partition {
        partition_of(group, self.partitions())
    }

    async fn append(&self, records: Vec<NewRecord>) -> Result<Vec<u64>, LogError> {
        self.alive()?;
        let fault = self.content().appends.strike();
        let away = || LogError::Unavailable("ordered by the test".to_owned());
        match fault {
            Some(Fault::Retry | Fault::Abort) => return Err(away()),
            Some(Fault::CrashBefore) => self.crash(),
            Some(Fault::CrashAfter) => {
                self.content().push_all(records);
                self.crash();
                return self.alive().map(|()| Vec::new());
            }
            None => {}
        }
        self.alive()?;
        let places = self.content().push_all(records);
        self.shared.changed.send_replace(());
        Ok(places.into_iter().map(|(_, _, offset)| offset).collect())
    }

    async fn read(
        &self,
        topic: Topic,
        partition: Partition,
        from: u64,
        max: usize,
    ) -> Result<Vec<Record>, LogError> {
        self.alive()?;
        Ok(self.content().read(topic, partition, from, max))
    }

    async fn end(&self, topic: Topic, partition: Partition) -> Result<u64, LogError> {
        self.alive()?;
        Ok(self.content().end(topic, partition))
    }

    async fn grown(
        &self,
        topic: Topic,
        partition: Partition,
        known_end: u64,
    ) -> Result<(), LogError> {
        self.wait(|content| (content.end(topic, partition) > known_end).then_some(()))
            .await
    }

    async fn position(
        &self,
        stage: &'static str,
        input: Topic,
        partition: Partition,
    ) -> Result<u64, LogError> {
        self.alive()?;
        Ok(self.content().position(stage, input, partition))
    }

    async fn join(&self, stage: &'static str, input: Topic) -> Result<Box<dyn StageLog>, LogError> {
        self.alive()?;
        let number = self.content().join(stage, input);
        self.shared.changed.send_replace(());
        Ok(Box::new(MemoryStage::new(
            self.clone(),
            stage,
            input,
            number,
        )))
    }
}

#[cfg(test)]
mod tests;
