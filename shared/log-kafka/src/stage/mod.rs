//! One instance of a stage on Kafka: this side encodes, decodes and waits; its thread does the rest.
//!
//! 1. Joining fences: when it returns, an earlier instance of the same name can write nothing.
//! 2. What is committed was worked on in one unbroken tenure of its partitions. Else the commit is
//!    aborted and all is handed over again from the committed positions.
//! 3. The thread asks the broker at all times (but for a second at the most while its window is full),
//!    so work may take as long as it likes.

mod heard;
mod input;
mod owned;
mod rebalance;
mod recovery;
#[cfg(test)]
mod tests;
mod thread;

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use async_trait::async_trait;
use mneme_events::Topic;
use mneme_log::{CommitError, Consumed, LogError, NewRecord, StageInput, StageLog, Written};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;

use crate::codec::Codec;
use crate::config::KafkaConfig;
use crate::health::Health;
use crate::log::encode_all;
use crate::names::Names;
use crate::raw::Raw;
use crate::transactions::Transactions;
use crate::window::Window;
use heard::{Commit, Failure, Heard, What};
use input::{Ears, Input};
use owned::Epoch;
use thread::StageThread;

/// How often a registry that is away is asked again for the schema of a record.
const AGAIN: Duration = Duration::from_secs(1);

/// One instance of a stage.
pub(crate) struct KafkaStage {
    codec: Arc<Codec>,
    input: Topic,
    heard: UnboundedReceiver<Heard>,
    commits: Sender<Commit>,
    window: Arc<Window>,
    health: Health,
    /// What was heard and is not handed over yet.
    held: Option<Heard>,
    /// The epoch of what was handed over last.
    epoch: Epoch,
    /// What was heard before this epoch is void.
    void_before: Epoch,
}

impl KafkaStage {
    /// Joins, and starts the thread.
    pub async fn join(
        config: &KafkaConfig,
        names: &Names,
        codec: Arc<Codec>,
        input: (&'static str, Topic),
    ) -> Result<Self, LogError> {
        let (config, names) = (config.clone(), names.clone());
        let joined = tokio::task::spawn_blocking(move || start(&config, &names, codec, input));
        let ended = |error: tokio::task::JoinError| LogError::Unavailable(error.to_string());
        joined.await.map_err(ended)?
    }

    /// How the thread is.
    pub fn health(&self) -> Health {
        self.health.clone()
    }

    /// Waits until something is held, and until all that it takes to decode it is known.
    async fn hold(&mut self) -> Result<(), LogError> {
        loop {
            if self.held.is_none() {
                let Some(heard) = self.heard.recv().await else {
                    return Err(LogError::Broken("the thread of the stage ended".to_owned()));
                };
                self.held = Some(heard);
            }
            match &self.held {
                Some(heard) if heard.epoch < self.void_before => self.drop_held(),
                Some(Heard {
                    what: What::Records(records),
                    ..
                }) => {
                    let Err(error) = self.codec.prepare(records.iter()).await else {
                        return Ok(());
                    };
                    let LogError::Unavailable(reason) = error else {
                        return Err(error);
                    };
                    tracing::warn!(reason, "records wait for the schema registry");
                    tokio::time::sleep(AGAIN).await;
                }
                _ => return Ok(()),
            }
        }
    }

    fn drop_held(&mut self) {
        if let Some(Heard {
            what: What::Records(records),
            ..
        }) = self.held.take()
        {
            self.make_room(&records);
        }
    }

    fn make_room(&self, records: &[Raw]) {
        self.window
            .take(records.len(), records.iter().map(Raw::bytes).sum());
    }
}

fn start(
    config: &KafkaConfig,
    names: &Names,
    codec: Arc<Codec>,
    (stage, topic): (&'static str, Topic),
) -> Result<KafkaStage, LogError> {
    // Before the group is joined: what an earlier instance left open is gone when positions are read.
    let output = Transactions::start(config, names, stage, &mut || Ok(()))?;
    let (say, heard) = unbounded_channel();
    let window = Arc::new(Window::new(config.window_records, config.window_bytes));
    let health = Health::default();
    let ears = Ears {
        heard: say,
        window: Arc::clone(&window),
        health: health.clone(),
    };
    let input = Input::join(config, names, (stage, topic), ears)?;
    let (commits, inbox) = channel();
    let thread = StageThread {
        stage,
        input,
        output,
        commits: inbox,
        config: config.clone(),
        names: names.clone(),
    };
    std::thread::Builder::new()
        .name(format!("kafka-{stage}"))
        .spawn(move || thread.run())
        .map_err(|error| LogError::Broken(error.to_string()))?;
    Ok(KafkaStage {
        codec,
        input: topic,
        heard,
        commits,
        window,
        health,
        held: None,
        epoch: 0,
        void_before: 0,
    })
}

#[async_trait]
impl StageLog for KafkaStage {
    async fn next(&mut self) -> Result<StageInput, LogError> {
        self.hold().await?;
        let ended = || LogError::Broken("nothing was heard".to_owned());
        let Heard { epoch, what } = self.held.take().ok_or_else(ended)?;
        self.epoch = epoch;
        Ok(match what {
            What::Over(reason) => return Err(reason),
            What::Assigned(positions) => StageInput::Assigned(positions),
            What::Revoked(partitions) => StageInput::Revoked(partitions),
            What::Records(records) => {
                self.make_room(&records);
                let decode = |raw: &Raw| self.codec.decode(self.input, raw);
                StageInput::Records(records.iter().map(decode).collect())
            }
        })
    }

    async fn commit(
        &mut self,
        outputs: Vec<NewRecord>,
        consumed: Vec<Consumed>,
    ) -> Result<Vec<Written>, CommitError> {
        let outputs = encode_all(&self.codec, &outputs);
        let outputs = outputs.map_err(|error| CommitError::Broken(error.to_string()))?;
        let (answer, wait) = oneshot::channel();
        let epoch = self.epoch;
        let gone = || CommitError::Broken("the thread of the stage ended".to_owned());
        let commit = Commit {
            outputs,
            consumed,
            epoch,
            answer,
        };
        self.commits.send(commit).map_err(|_| gone())?;
        match wait.await.map_err(|_| gone())? {
            Ok(written) => Ok(written),
            Err(Failure::Abort { reason, epoch }) => {
                self.void_before = epoch;
                Err(CommitError::Abort(reason))
            }
            Err(Failure::Fenced(reason)) => Err(CommitError::Fenced(reason)),
            Err(Failure::Broken(reason)) => Err(CommitError::Broken(reason)),
        }
    }
}
