//! How far a stage is behind its input, noted now and then.

use std::time::{Duration, Instant};

use mneme_log::Partition;
use mneme_telemetry::metric;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::Offset;

use super::group::Group;
use super::input::list_of;
use super::owned::Owned;

/// How often it is noted.
const EVERY: Duration = Duration::from_secs(5);
/// How long the broker is asked.
const SHORT: Duration = Duration::from_millis(200);

/// When it is noted next.
#[derive(Debug)]
pub(super) struct Lag {
    due: Instant,
}

impl Default for Lag {
    fn default() -> Self {
        let due = Instant::now() + EVERY;
        Self { due }
    }
}

impl Lag {
    /// Notes it, if it is time.
    pub fn note(
        &mut self,
        consumer: &BaseConsumer<Group>,
        stage: &'static str,
        owned: &Owned,
        topic: &str,
    ) {
        if owned.len() == 0 || Instant::now() < self.due {
            return;
        }
        self.due = Instant::now() + EVERY;
        let question = list_of(topic, owned.partitions(), |_| Offset::End);
        let Ok(ends) = consumer.offsets_for_times(question, SHORT) else {
            return;
        };
        for end in ends.elements() {
            let partition = end.partition().unsigned_abs();
            if let Offset::Offset(end) = end.offset()
                && let Some(position) = owned.position(partition)
            {
                let lag = end.unsigned_abs().saturating_sub(position);
                gauge(stage, partition).set(lag as f64);
            }
        }
    }

    /// What other instances have is theirs to note.
    pub fn forget(stage: &'static str, partitions: &[Partition]) {
        for &partition in partitions {
            gauge(stage, partition).set(0.0);
        }
    }
}

fn gauge(stage: &'static str, partition: Partition) -> metrics::Gauge {
    metrics::gauge!(metric::LAG, "stage" => stage, "partition" => partition.to_string())
}
