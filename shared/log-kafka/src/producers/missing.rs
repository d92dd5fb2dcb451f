//! Topics that can't be read: each is told of once by its name, and once more when it is there.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::RDKafkaErrorCode;

use super::tenures::Tenures;

/// How long the broker is asked for one topic.
const SHORT: Duration = Duration::from_millis(500);
/// The pause before it is asked again.
const AGAIN: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct Missing {
    told: BTreeSet<String>,
    /// When to look which ones they are.
    due: Option<Instant>,
}

impl Missing {
    /// The broker said that some topic can't be read, and not which.
    pub fn suspect(&mut self) {
        self.due.get_or_insert_with(Instant::now);
    }

    /// Looks which ones they are, if it is time.
    pub fn look<C: ConsumerContext>(
        &mut self,
        consumer: &BaseConsumer<C>,
        topics: &[String],
        tenures: &Tenures,
    ) {
        self.told.retain(|topic| {
            let is_there = tenures.has_topic(topic);
            if is_there {
                tracing::info!(topic, "a producer's topic can be read now");
            }
            !is_there
        });
        if self.due.is_none_or(|due| Instant::now() < due) {
            return;
        }
        self.due = None;
        for topic in topics.iter().filter(|topic| !tenures.has_topic(topic)) {
            match why_not(consumer, topic) {
                Ok(None) => {}
                Ok(Some(reason)) => {
                    if self.told.insert(topic.clone()) {
                        tracing::warn!(topic, reason, "a producer's topic can't be read yet");
                    }
                }
                Err(()) => {
                    self.due = Some(Instant::now() + AGAIN);
                    return;
                }
            }
        }
    }
}

/// What keeps a topic from being read, if something does; an error where the broker does not say.
fn why_not<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    topic: &str,
) -> Result<Option<String>, ()> {
    let found = consumer
        .fetch_metadata(Some(topic), SHORT)
        .map_err(|_| ())?;
    let mut found = found.topics().iter().filter(|found| found.name() == topic);
    let Some(found) = found.next() else {
        return Ok(Some(RDKafkaErrorCode::UnknownTopic.to_string()));
    };
    Ok(found
        .error()
        .map(|code| RDKafkaErrorCode::from(code).to_string()))
}
