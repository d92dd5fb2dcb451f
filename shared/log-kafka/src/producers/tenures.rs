//! The partitions that an instance has now. Each time that one is given begins a tenure of its own, and
//! work that was begun in one counts in that one only.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mneme_log::Partition;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::record::ProducerRecord;

/// Tells tenures apart.
pub(super) type Tenure = u64;

/// All records of a partition before an offset are done.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Done {
    pub topic: Arc<str>,
    pub partition: Partition,
    pub tenure: Tenure,
    pub next: u64,
}

#[derive(Debug)]
struct Held {
    tenure: Tenure,
    /// The first offset that is not done, once it is known.
    next: Option<u64>,
}

#[derive(Debug, Default)]
struct State {
    last: Tenure,
    topics: BTreeMap<Arc<str>, BTreeMap<Partition, Held>>,
}

impl State {
    fn held(&mut self, topic: &str, partition: Partition) -> Option<&mut Held> {
        self.topics.get_mut(topic)?.get_mut(&partition)
    }
}

/// What an instance has, known to its thread and to whoever works.
#[derive(Debug, Default)]
pub(super) struct Tenures(Mutex<State>);

impl Tenures {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Partitions were given.
    pub fn begin(&self, list: &TopicPartitionList) {
        let mut state = self.state();
        state.last += 1;
        let tenure = state.last;
        for element in list.elements() {
            let partitions = state.topics.entry(element.topic().into()).or_default();
            let partition = element.partition().unsigned_abs();
            partitions.insert(partition, Held { tenure, next: None });
        }
    }

    /// Partitions were taken.
    pub fn end(&self, list: &TopicPartitionList) {
        let mut state = self.state();
        for element in list.elements() {
            if let Some(partitions) = state.topics.get_mut(element.topic()) {
                partitions.remove(&element.partition().unsigned_abs());
            }
        }
        state.topics.retain(|_, partitions| !partitions.is_empty());
    }

    /// How many partitions there are.
    pub fn len(&self) -> usize {
        self.state().topics.values().map(BTreeMap::len).sum()
    }

    /// Whether the instance has a partition of a topic.
    pub fn has_topic(&self, topic: &str) -> bool {
        self.state().topics.contains_key(topic)
    }

    /// The name of the topic and the tenure of a record that was read.
    pub fn read(
        &self,
        topic: &str,
        partition: Partition,
        offset: u64,
    ) -> Option<(Arc<str>, Tenure)> {
        let mut state = self.state();
        let held = state.held(topic, partition)?;
        held.next.get_or_insert(offset);
        let tenure = held.tenure;
        let (name, _) = state.topics.get_key_value(topic)?;
        Some((Arc::clone(name), tenure))
    }

    /// Whether a record is of a tenure that goes on.
    pub fn has(&self, record: &ProducerRecord) -> bool {
        let mut state = self.state();
        let held = state.held(&record.topic, record.partition);
        held.is_some_and(|held| held.tenure == record.tenure)
    }

    /// Notes what is done; returns the positions of those partitions whose tenure goes on.
    pub fn done(&self, all: &[Done]) -> TopicPartitionList {
        let mut state = self.state();
        let mut positions = TopicPartitionList::new();
        for done in all {
            if let Some(held) = state.held(&done.topic, done.partition)
                && held.tenure == done.tenure
            {
                held.next = Some(done.next);
                add(&mut positions, &done.topic, done.partition, Some(done.next));
            }
        }
        positions
    }

    /// All partitions with what is done of them, as far as that is known.
    pub fn positions(&self) -> TopicPartitionList {
        let mut list = TopicPartitionList::new();
        for (topic, partitions) in &self.state().topics {
            for (&partition, held) in partitions {
                add(&mut list, topic, partition, held.next);
            }
        }
        list
    }
}

fn add(list: &mut TopicPartitionList, topic: &str, partition: Partition, next: Option<u64>) {
    let offset = next.map_or(Offset::Invalid, |next| Offset::Offset(next as i64));
    // Fails only for an offset that is none.
    let _ = list.add_partition_offset(topic, partition as i32, offset);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(partition: i32) -> TopicPartitionList {
        let mut list = TopicPartitionList::new();
        list.add_partition("crm", partition);
        list
    }

    #[test]
    fn what_was_done_in_an_earlier_tenure_does_not_count() {
        let tenures = Tenures::default();
        tenures.begin(&one(3));
        assert!(tenures.read("crm", 4, 7).is_none());
        let (topic, tenure) = tenures.read("crm", 3, 7).unwrap();
        let done = |tenure, next| Done {
            topic: Arc::clone(&topic),
            partition: 3,
            tenure,
            next,
        };
        assert_eq!(tenures.done(&[done(tenure, 8)]).count(), 1);
        tenures.end(&one(3));
        assert_eq!(tenures.done(&[done(tenure, 9)]).count(), 0);
        tenures.begin(&one(3));
        assert_eq!(tenures.done(&[done(tenure, 9)]).count(), 0);
        let (_, again) = tenures.read("crm", 3, 8).unwrap();
        assert_eq!(tenures.done(&[done(again, 9)]).count(), 1);
        let position = tenures.positions().elements()[0].offset();
        assert_eq!((tenures.len(), position), (1, Offset::Offset(9)));
    }
}
