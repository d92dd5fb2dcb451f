//! One instance of a stage on the log in memory.

use async_trait::async_trait;
use mneme_events::Topic;

use super::{Fault, MemoryLog};
use crate::{
    CommitError, Consumed, EventLog, LogError, NewRecord, Partition, StageInput, StageLog, Written,
};

const MOST_RECORDS: usize = 500;

pub(super) struct MemoryStage {
    log: MemoryLog,
    stage: &'static str,
    input: Topic,
    number: u64,
    /// The next offset to hand over, by partition; none before the assignment.
    next: Option<Vec<u64>>,
    revoked: bool,
}

enum Found {
    Replaced,
    Records(Partition),
}

impl MemoryStage {
    pub fn new(log: MemoryLog, stage: &'static str, input: Topic, number: u64) -> Self {
        Self {
            log,
            stage,
            input,
            number,
            next: None,
            revoked: false,
        }
    }

    fn assign(&mut self) -> StageInput {
        let content = self.log.content();
        let positions: Vec<Consumed> = (0..content.partitions())
            .map(|partition| Consumed {
                topic: self.input,
                partition,
                next: content.position(self.stage, self.input, partition),
            })
            .collect();
        self.next = Some(positions.iter().map(|position| position.next).collect());
        StageInput::Assigned(positions)
    }
}

#[async_trait]
impl StageLog for MemoryStage {
    async fn next(&mut self) -> Result<StageInput, LogError> {
        self.log.alive()?;
        if self.revoked {
            // Only a crash is still to come.
            self.log.wait(|_| None::<()>).await?;
        }
        let (stage, input, number) = (self.stage, self.input, self.number);
        let next = self.next.clone().unwrap_or_default();
        let is_assigned = self.next.is_some();
        let found = self.log.wait(|content| {
            if content.newest(stage, input) != number {
                return Some(Some(Found::Replaced));
            }
            if !is_assigned {
                return Some(None);
            }
            let has_more =
                |partition: &Partition| content.end(input, *partition) > next[*partition as usize];
            let partition = (0..content.partitions()).find(has_more)?;
            Some(Some(Found::Records(partition)))
        });
        match found.await? {
            None => Ok(self.assign()),
            Some(Found::Replaced) => {
                self.revoked = true;
                Ok(StageInput::Revoked((0..self.log.partitions()).collect()))
            }
            Some(Found::Records(partition)) => {
                let from = next[partition as usize];
                let records = self
                    .log
                    .content()
                    .read(input, partition, from, MOST_RECORDS);
                if let Some(next) = &mut self.next {
                    next[partition as usize] = from + records.len() as u64;
                }
                Ok(StageInput::Records(records))
            }
        }
    }

    async fn commit(
        &mut self,
        outputs: Vec<NewRecord>,
        consumed: Vec<Consumed>,
    ) -> Result<Vec<Written>, CommitError> {
        let crashed = || CommitError::Fenced("the process crashed".to_owned());
        if self.log.has_crashed() {
            return Err(crashed());
        }
        let ordered = || "ordered by the test".to_owned();
        let mut content = self.log.content();
        if content.newest(self.stage, self.input) != self.number {
            let reason = format!("{} joined again", self.stage);
            return Err(CommitError::Fenced(reason));
        }
        let fault = content.commits.strike();
        let mut written = Vec::new();
        match fault {
            Some(Fault::Retry) => return Err(CommitError::Retry(ordered())),
            Some(Fault::Abort) => {
                self.next = None;
                return Err(CommitError::Abort(ordered()));
            }
            Some(Fault::CrashBefore) => {}
            Some(Fault::CrashAfter) | None => {
                written = Written::after(content.push_all(outputs));
                content.set_positions(self.stage, &consumed);
            }
        }
        drop(content);
        if fault.is_some() {
            self.log.crash();
            return Err(crashed());
        }
        self.log.shared.changed.send_replace(());
        Ok(written)
    }
}
