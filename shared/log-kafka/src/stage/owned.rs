//! The partitions that an instance has, and since when.
//!
//! Every change of what it has begins a new epoch. Work was begun in some epoch; it may be committed
//! only where all that it touches has been the instance's own since then without a break.

use std::collections::BTreeMap;

use mneme_events::Topic;
use mneme_log::{Consumed, Partition};

/// Counts the changes.
pub(super) type Epoch = u64;

#[derive(Debug)]
struct Held {
    since: Epoch,
    /// The committed position.
    position: u64,
}

/// The partitions of an instance.
#[derive(Debug, Default)]
pub(super) struct Owned {
    epoch: Epoch,
    partitions: BTreeMap<Partition, Held>,
}

impl Owned {
    /// The epoch that is now.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    pub fn partitions(&self) -> impl Iterator<Item = Partition> {
        self.partitions.keys().copied()
    }

    pub fn len(&self) -> usize {
        self.partitions.len()
    }

    pub fn has(&self, partition: Partition) -> bool {
        self.partitions.contains_key(&partition)
    }

    /// The committed position of a partition that is the instance's own.
    pub fn position(&self, partition: Partition) -> Option<u64> {
        Some(self.partitions.get(&partition)?.position)
    }

    /// The committed positions of all partitions.
    pub fn positions(&self, topic: Topic) -> Vec<Consumed> {
        let position = |(&partition, held): (&Partition, &Held)| Consumed {
            topic,
            partition,
            next: held.position,
        };
        self.partitions.iter().map(position).collect()
    }

    /// Adds partitions with their committed positions.
    pub fn assign(&mut self, positions: &[(Partition, u64)]) {
        self.epoch += 1;
        for &(partition, position) in positions {
            let since = self.epoch;
            self.partitions.insert(partition, Held { since, position });
        }
    }

    /// Takes partitions away.
    pub fn revoke(&mut self, partitions: &[Partition]) {
        self.epoch += 1;
        self.partitions
            .retain(|partition, _| !partitions.contains(partition));
    }

    /// Voids all work that was begun.
    pub fn renew(&mut self) {
        self.epoch += 1;
        for held in self.partitions.values_mut() {
            held.since = self.epoch;
        }
    }

    /// Whether all these have been the instance's own since an epoch.
    pub fn all_since(&self, partitions: &[Partition], epoch: Epoch) -> bool {
        let since = |partition| self.partitions.get(partition).map(|held| held.since);
        let is_held = |partition| since(partition).is_some_and(|since| since <= epoch);
        partitions.iter().all(is_held)
    }

    /// Notes committed positions.
    pub fn committed(&mut self, positions: &[Consumed]) {
        for position in positions {
            if let Some(held) = self.partitions.get_mut(&position.partition) {
                held.position = position.next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_void_once_its_partition_was_away() {
        let mut owned = Owned::default();
        owned.assign(&[(0, 5), (1, 7)]);
        let begun = owned.epoch();
        assert!(owned.all_since(&[0, 1], begun));
        assert!(!owned.all_since(&[2], begun));
        owned.revoke(&[1]);
        assert!(owned.all_since(&[0], begun));
        assert!(!owned.all_since(&[0, 1], begun));
        owned.assign(&[(1, 7)]);
        assert!(!owned.all_since(&[1], begun));
        assert!(owned.all_since(&[0, 1], owned.epoch()));
        owned.renew();
        assert!(!owned.all_since(&[0], begun));
        assert_eq!(owned.position(0), Some(5));
    }
}
