//! Following the group: partitions come with their committed positions, and go at once.

use std::time::{Duration, Instant};

use mneme_log::{LogError, Partition};
use mneme_telemetry::metric;
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::heard::What;
use super::input::{Input, list_of};
use crate::client::away;
use crate::group::Change;
use crate::positions::positions_of;
use crate::wait::Wait;

/// How long the broker is asked for positions before the thread goes on with the rest.
const SHORT: Duration = Duration::from_millis(500);
/// The pause before it is asked again.
const PAUSE: Duration = Duration::from_millis(50);

/// What the group gave, and its positions are asked for.
pub(super) struct Given {
    partitions: Vec<Partition>,
    /// When to ask next.
    next: Instant,
    wait: Wait<'static>,
}

impl Input {
    /// Acts on a change, in the order of the records.
    pub(super) fn follow(&mut self, change: Change) {
        metrics::counter!(metric::REBALANCES, "stage" => self.stage).increment(1);
        self.consumer.changed();
        match change {
            Change::Given(list) => {
                let given = self.given.get_or_insert_with(|| Given {
                    partitions: Vec::new(),
                    next: Instant::now(),
                    wait: Wait::of(self.stage, "positions of partitions that were given"),
                });
                given.partitions.extend(partitions_in(&list));
                given.next = Instant::now();
            }
            Change::Taken(list) => {
                let partitions = partitions_in(&list);
                if let Some(given) = &mut self.given {
                    given.partitions.retain(|at| !partitions.contains(at));
                }
                self.owned.revoke(&partitions);
                self.lag.forget(&list);
                self.health.set_assigned(self.owned.len());
                tracing::info!(stage = self.stage, ?partitions, "partitions were taken");
                self.say(What::Revoked(partitions));
            }
        }
    }

    /// Assigns what the group gave, from the committed positions on; those may have to wait for a
    /// transaction of the instance before.
    pub(super) fn assign_given(&mut self) {
        let now = Instant::now();
        let Some(mut given) = self.given.take_if(|given| given.next <= now) else {
            return;
        };
        let partitions = &given.partitions;
        match self.try_assign(partitions) {
            Ok(positions) => {
                if positions.is_empty() {
                    return;
                }
                self.owned.assign(&positions);
                self.health.set_assigned(self.owned.len());
                tracing::info!(stage = self.stage, ?partitions, "partitions were given");
                if !self.is_muted {
                    let assigned = self.owned.positions(self.topic);
                    let new = assigned.into_iter();
                    let new = new.filter(|at| partitions.contains(&at.partition));
                    self.say(What::Assigned(new.collect()));
                }
            }
            Err(error) => {
                given.wait.goes_on(&error);
                given.next = Instant::now() + PAUSE;
                self.given = Some(given);
            }
        }
    }

    fn try_assign(&self, partitions: &[Partition]) -> Result<Vec<(Partition, u64)>, LogError> {
        let mut positions = Vec::new();
        if !partitions.is_empty() {
            let question = self.list(partitions.iter().copied(), |_| Offset::Invalid);
            positions = positions_of(&self.consumer, question, SHORT)?;
        }
        let next = |partition| {
            let found = positions.iter().find(|(found, _)| *found == partition);
            Offset::Offset(found.map_or(0, |(_, next)| *next) as i64)
        };
        let list = list_of(&self.name, positions.iter().map(|(at, _)| *at), next);
        self.consumer.incremental_assign(&list).map_err(away)?;
        if self.throttle.is_paused()
            && let Err(error) = self.consumer.pause(&list)
        {
            tracing::debug!(stage = self.stage, %error, "partitions were not paused");
        }
        Ok(positions)
    }
}

/// The partitions of a list; an input has one topic.
fn partitions_in(list: &TopicPartitionList) -> Vec<Partition> {
    let elements = list.elements();
    let partitions = elements.iter().map(|element| element.partition());
    partitions.map(i32::unsigned_abs).collect()
}
