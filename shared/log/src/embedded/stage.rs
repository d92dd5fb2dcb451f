//! One instance of a stage on the embedded log. All partitions are its own, until another instance
//! of the same stage joins.

use async_trait::async_trait;
use mneme_events::Topic;

use super::committer::Tenure;
use super::{EmbeddedLog, store};
use crate::{
    CommitError, Consumed, EventLog, LogError, NewRecord, Partition, StageInput, StageLog, Written,
};

/// The most records, and about the most bytes, that are handed over at once.
const MOST_RECORDS: usize = 500;
const MOST_BYTES: usize = 4 << 20;

pub(super) struct EmbeddedStage {
    log: EmbeddedLog,
    stage: &'static str,
    input: Topic,
    tenure: Tenure,
    place: Place,
    /// The next offset to hand over, by partition.
    next: Vec<u64>,
    /// The partition to look at first, so that none starves.
    first: usize,
}

/// Where an instance is in its life.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Joined,
    Reading,
    Revoked,
}

impl EmbeddedStage {
    pub fn new(log: EmbeddedLog, stage: &'static str, input: Topic, tenure: Tenure) -> Self {
        Self {
            next: Vec::new(),
            first: 0,
            place: Place::Joined,
            log,
            stage,
            input,
            tenure,
        }
    }

    fn is_replaced(&self) -> bool {
        *self.tenure.newest.borrow() != self.tenure.number
    }

    /// The committed positions, to go on from.
    fn assign(&mut self) -> StageInput {
        let store = &self.log.store;
        let positions: Vec<Consumed> = (0..store.partitions())
            .map(|partition| Consumed {
                topic: self.input,
                partition,
                next: store.position(self.stage, self.input, partition),
            })
            .collect();
        self.next = positions.iter().map(|position| position.next).collect();
        self.place = Place::Reading;
        StageInput::Assigned(positions)
    }

    fn revoke(&mut self) -> StageInput {
        self.place = Place::Revoked;
        StageInput::Revoked((0..self.log.partitions()).collect())
    }

    /// A partition with records, the last one looked at coming last.
    fn waiting_partition(&self) -> Option<usize> {
        let ends = self.log.store.topic(self.input).ends.borrow();
        let count = self.next.len();
        (0..count)
            .map(|step| (self.first + step) % count)
            .find(|&partition| ends[partition] > self.next[partition])
    }

    async fn wait(&mut self) -> Result<(), LogError> {
        let grown = self.log.store.wait(self.input, |ends| {
            ends.iter().zip(&self.next).any(|(end, next)| end > next)
        });
        let number = self.tenure.number;
        tokio::select! {
            grown = grown => grown,
            _ = self.tenure.newest.wait_for(|newest| *newest != number) => Ok(()),
        }
    }
}

#[async_trait]
impl StageLog for EmbeddedStage {
    async fn next(&mut self) -> Result<StageInput, LogError> {
        loop {
            self.log.store.check(0)?;
            match self.place {
                Place::Revoked => std::future::pending().await,
                _ if self.is_replaced() => return Ok(self.revoke()),
                Place::Joined => return Ok(self.assign()),
                Place::Reading => {}
            }
            if let Some(index) = self.waiting_partition() {
                let (partition, from) = (index as Partition, self.next[index]);
                let store = &self.log.store;
                let records =
                    store::read(store, self.input, partition, from, MOST_RECORDS, MOST_BYTES)
                        .await?;
                if let Some(last) = records.last() {
                    self.next[index] = last.offset + 1;
                    self.first = (index + 1) % self.next.len();
                    return Ok(StageInput::Records(records));
                }
                return Err(LogError::Broken(format!(
                    "{} ends before its announced end",
                    self.input
                )));
            }
            self.wait().await?;
        }
    }

    async fn commit(
        &mut self,
        outputs: Vec<NewRecord>,
        consumed: Vec<Consumed>,
    ) -> Result<Vec<Written>, CommitError> {
        let entries = self.log.entries(outputs).map_err(CommitError::Abort);
        let committed = match entries {
            Ok(entries) => {
                let committer = &self.log.committer;
                let input = (self.stage, self.input);
                committer
                    .commit(input, self.tenure.number, entries, consumed)
                    .await
            }
            Err(error) => Err(error),
        };
        if let Err(CommitError::Abort(_)) = committed {
            self.place = Place::Joined;
        }
        committed
    }
}
