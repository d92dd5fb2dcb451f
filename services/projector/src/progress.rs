//! Tells when what follows from an episode is applied everywhere. The chain of stages is linear, so
//! positions are enough: once a stage has passed what the one before had written, all that it will
//! ever write of it is written.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mneme_api::{Applied, NotApplied};
use mneme_events::Topic;
use mneme_log::{EventLog, LogError, Partition};
use mneme_model::GroupId;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Projections;

/// The stages in order, each with the topic that it reads and the one that it writes.
const CHAIN: [(&str, Topic, Topic); 3] = [
    ("extractor", Topic::Episodes, Topic::Extractions),
    ("resolver", Topic::Extractions, Topic::Resolutions),
    ("temporal-invalidator", Topic::Resolutions, Topic::Facts),
];

/// How often progress is looked at while something is under way: often at first, and the more seldom
/// the longer it takes, since a look asks the log.
const SHORTEST_LOOK: Duration = Duration::from_millis(1);
const LONGEST_LOOK: Duration = Duration::from_millis(20);
/// The pause before a log that is away is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// How far the stages and all projections are, by partition of `episodes`.
pub struct Progress {
    log: Arc<dyn EventLog>,
    projections: Arc<Projections>,
    applied: Vec<watch::Sender<u64>>,
}

impl Progress {
    /// Builds it; [`Self::run`] keeps it up to date.
    pub fn new(log: Arc<dyn EventLog>, projections: Arc<Projections>) -> Self {
        let applied = (0..log.partitions()).map(|_| watch::channel(0).0).collect();
        Self {
            log,
            projections,
            applied,
        }
    }

    /// Follows the stages and projections until `shutdown`.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) -> Result<(), LogError> {
        let partitions = 0..self.log.partitions();
        let all = partitions.map(|partition| self.follow(partition));
        tokio::select! {
            () = shutdown.cancelled() => Ok(()),
            ended = futures::future::try_join_all(all) => ended.map(|_| ()),
        }
    }

    /// Returns when all that the log holds now is applied everywhere; [`Self::run`] must be running.
    pub async fn caught_up(&self) -> Result<(), LogError> {
        for (partition, sender) in self.applied.iter().enumerate() {
            let end = self
                .log
                .end(Topic::Episodes, partition as Partition)
                .await?;
            let mut applied = sender.subscribe();
            let passed = applied.wait_for(|&applied| applied >= end).await;
            passed.map_err(|_| LogError::Unavailable("the process is stopping".to_owned()))?;
        }
        Ok(())
    }

    /// Follows a partition; while the log is away, until it is back.
    async fn follow(&self, partition: Partition) -> Result<(), LogError> {
        let mut applied = 0;
        loop {
            match self.follow_once(partition, &mut applied).await {
                Ok(()) => {}
                Err(LogError::Unavailable(reason)) => {
                    tracing::warn!(partition, reason, "the log is asked again how far it is");
                    tokio::time::sleep(AGAIN).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn follow_once(&self, partition: Partition, applied: &mut u64) -> Result<(), LogError> {
        let end = self.log.end(Topic::Episodes, partition).await?;
        if end <= *applied {
            return self.log.grown(Topic::Episodes, partition, end).await;
        }
        self.pass(partition, end).await?;
        *applied = end;
        if let Some(sender) = self.applied.get(partition as usize) {
            sender.send_replace(end);
        }
        Ok(())
    }

    /// Returns when everything before `end` of the episodes is applied everywhere.
    async fn pass(&self, partition: Partition, end: u64) -> Result<(), LogError> {
        let started = Instant::now();
        let look = || (started.elapsed() / 8).clamp(SHORTEST_LOOK, LONGEST_LOOK);
        let mut written = vec![(Topic::Episodes, end)];
        let mut next = end;
        for (stage, input, output) in CHAIN {
            while self.log.position(stage, input, partition).await? < next {
                tokio::time::sleep(look()).await;
            }
            next = self.log.end(output, partition).await?;
            if Topic::PROJECTED.contains(&output) {
                written.push((output, next));
            }
        }
        // An episode that is held tells so.
        written.push((Topic::Parked, self.log.end(Topic::Parked, partition).await?));
        for (topic, next) in written {
            while !self.projections.have_passed(topic, partition, next) {
                tokio::time::sleep(SHORTEST_LOOK).await;
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Applied for Progress {
    async fn wait(
        &self,
        group: &GroupId,
        position: u64,
        timeout: Duration,
    ) -> Result<(), NotApplied> {
        let partition = self.log.partition_of(group) as usize;
        let Some(sender) = self.applied.get(partition) else {
            return Err(NotApplied::Unavailable(format!(
                "there is no partition {partition}"
            )));
        };
        let mut applied = sender.subscribe();
        let passed = applied.wait_for(|&applied| applied > position);
        match tokio::time::timeout(timeout, passed).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(NotApplied::Unavailable(
                "the process is stopping".to_owned(),
            )),
            Err(_) => Err(NotApplied::TimedOut),
        }
    }
}
