//! After a start, and whenever much was accepted, what the gateway remembers is brought to what the
//! graph does not have yet: read from the tail of the log, forgotten once the graph has it.

use std::collections::HashMap;
use std::time::Duration;

use mneme_api::Problem;
use mneme_events::Topic;
use mneme_log::Partition;

use crate::gateway::{Shared, log_problem, store_problem};
use crate::measures;

const PAGE: usize = 1_000;
const PAUSE: Duration = Duration::from_millis(100);

impl Shared {
    /// Remembers the episodes that the log holds beyond the graph's checkpoint. Where there are more
    /// than may be remembered, it goes on as the graph catches up.
    pub async fn catch_up_known(&self) -> Result<(), Problem> {
        for partition in 0..self.log.partitions() {
            let end = self.log.end(Topic::Episodes, partition).await;
            let end = end.map_err(|error| log_problem(&error))?;
            let mut next = self.checkpoint(partition).await?;
            while next < end {
                let page = self.log.read(Topic::Episodes, partition, next, PAGE).await;
                let page = page.map_err(|error| log_problem(&error))?;
                let Some(last) = page.last() else { break };
                next = last.offset + 1;
                for record in &page {
                    if let Ok(event) = &record.event {
                        self.known.note(event, record.offset);
                    }
                }
                while self.known.is_full() {
                    self.forget_projected().await?;
                    if self.known.is_full() {
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
        Ok(())
    }

    /// Forgets what the graph has.
    pub async fn forget_projected(&self) -> Result<(), Problem> {
        let mut passed: HashMap<Partition, u64> = HashMap::new();
        for partition in 0..self.log.partitions() {
            passed.insert(partition, self.checkpoint(partition).await?);
        }
        let left = self.known.forget(|group| {
            let partition = self.log.partition_of(group);
            passed.get(&partition).copied().unwrap_or(0)
        });
        measures::unprojected(left);
        Ok(())
    }

    /// Makes room for what is accepted next; refuses where the graph is too far behind.
    pub async fn make_room(&self) -> Result<(), Problem> {
        if self.known.wants_forgetting() {
            self.forget_projected().await?;
        }
        if self.known.is_full() {
            tracing::warn!("the projections are too far behind; new episodes are refused");
            return Err(Problem::unavailable(5));
        }
        Ok(())
    }

    async fn checkpoint(&self, partition: Partition) -> Result<u64, Problem> {
        let next = self.records.checkpoint(partition).await;
        next.map_err(store_problem)
    }
}
