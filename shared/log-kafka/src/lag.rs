//! How far a member of a group is behind what it reads, noted whenever the client tells the ends that
//! it knows from fetching. The broker is not asked: an answer would wait behind a fetch.

use mneme_telemetry::metric;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::group::Group;

/// Of whom it is noted.
#[derive(Debug)]
pub(crate) struct Lag {
    stage: &'static str,
}

impl Lag {
    pub fn new(stage: &'static str) -> Self {
        Self { stage }
    }

    /// Notes it, if the client has told the ends. The positions are those of what is processed.
    pub fn note(&self, group: &Group, positions: impl FnOnce() -> TopicPartitionList) {
        let Some(ends) = group.take_ends() else {
            return;
        };
        let positions = positions();
        for end in ends {
            let position = positions.find_partition(&end.topic, end.partition);
            if let Some(Offset::Offset(position)) = position.map(|found| found.offset()) {
                let lag = (end.offset - position).max(0);
                self.gauge(&end.topic, end.partition).set(lag as f64);
            }
        }
    }

    /// What other instances have is theirs to note.
    pub fn forget(&self, list: &TopicPartitionList) {
        for element in list.elements() {
            self.gauge(element.topic(), element.partition()).set(0.0);
        }
    }

    fn gauge(&self, topic: &str, partition: i32) -> metrics::Gauge {
        let (topic, partition) = (topic.to_owned(), partition.to_string());
        metrics::gauge!(metric::LAG, "stage" => self.stage, "topic" => topic, "partition" => partition)
    }
}
