//! Tells when what follows from an episode is applied everywhere. The chain of stages is linear, so
//! positions are enough: once a stage has passed what the one before had written, all that it will
//! ever write of it is written.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mneme_api::{Applied, NotApplied, UpTo};
use mneme_events::Topic;
use mneme_log::{EventLog, LogError, Partition};
use mneme_model::GroupId;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Projections;

/// A stage with the topic that it reads and the one that it writes.
type Link = (&'static str, Topic, Topic);

/// The stages in order.
const CHAIN: [Link; 4] = [
    ("extractor", Topic::Episodes, Topic::Extractions),
    ("resolver", Topic::Extractions, Topic::Resolutions),
    ("temporal-invalidator", Topic::Resolutions, Topic::Facts),
    ("community-updater", Topic::Facts, Topic::Communities),
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
                Err(LogError::Unavailable(reason)) => ask_again(partition, &reason).await,
                followed => followed?,
            }
        }
    }

    async fn follow_once(&self, partition: Partition, applied: &mut u64) -> Result<(), LogError> {
        let end = self.log.end(Topic::Episodes, partition).await?;
        if end <= *applied {
            return self.log.grown(Topic::Episodes, partition, end).await;
        }
        self.pass(partition, end, Topic::Facts).await?;
        *applied = end;
        if let Some(sender) = self.applied.get(partition as usize) {
            sender.send_replace(end);
        }
        Ok(())
    }

    /// Returns when what follows, along the chain to the topic `last`, from everything before `end` of
    /// the episodes is applied everywhere, or held. What was held before and has gone on counts too.
    async fn pass(&self, partition: Partition, end: u64, last: Topic) -> Result<(), LogError> {
        let mut written = vec![(Topic::Episodes, end)];
        let mut next = end;
        for link in CHAIN {
            let (_, _, output) = link;
            next = self.taken(link, partition, next).await?;
            if Topic::PROJECTED.contains(&output) {
                written.push((output, next));
            }
            if output == last {
                break;
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

    /// Returns when a stage has passed `next` of its input, with the end of what it has written.
    async fn taken(
        &self,
        (stage, input, output): Link,
        partition: Partition,
        next: u64,
    ) -> Result<u64, LogError> {
        let started = Instant::now();
        while self.log.position(stage, input, partition).await? < next {
            let look = (started.elapsed() / 8).clamp(SHORTEST_LOOK, LONGEST_LOOK);
            tokio::time::sleep(look).await;
        }
        self.log.end(output, partition).await
    }
}

/// Says that the log is away, and returns when it is to be asked again.
async fn ask_again(partition: Partition, reason: &str) {
    tracing::warn!(partition, reason, "the log is asked again how far it is");
    tokio::time::sleep(AGAIN).await;
}

#[async_trait]
impl Applied for Progress {
    async fn wait(
        &self,
        group: &GroupId,
        position: u64,
        up_to: UpTo,
        timeout: Duration,
    ) -> Result<(), NotApplied> {
        let unavailable = |reason: &dyn ToString| NotApplied::Unavailable(reason.to_string());
        let partition = self.log.partition_of(group);
        let Some(sender) = self.applied.get(partition as usize) else {
            return Err(unavailable(&format!("there is no partition {partition}")));
        };
        let mut applied = sender.subscribe();
        let waited = async {
            let passed = applied.wait_for(|&applied| applied > position).await;
            passed.map_err(|_| unavailable(&"the process is stopping"))?;
            // Few ask for more than is followed for all, so it is looked at only then.
            let last = match up_to {
                UpTo::Facts => return Ok(()),
                UpTo::FactsAnew => Topic::Facts,
                UpTo::Communities => Topic::Communities,
            };
            loop {
                match self.pass(partition, position + 1, last).await {
                    Err(LogError::Unavailable(reason)) => ask_again(partition, &reason).await,
                    passed => break passed.map_err(|error| unavailable(&error)),
                }
            }
        };
        let waited = tokio::time::timeout(timeout, waited).await;
        waited.unwrap_or(Err(NotApplied::TimedOut))
    }
}

#[cfg(test)]
mod tests;
