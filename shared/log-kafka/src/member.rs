//! A member of a consumer group under a name of its own (static membership).
//!
//! Where another takes the name, the member is over. The client can't always tell that from its own
//! earlier session: when it has lost its session with the broker away, and the broker comes back before
//! the client has given its partitions up, it asks without its id and is told that another has its name
//! (librdkafka #3437). So a member that hears this within a session's time of such a loss joins once more;
//! where there is another after all, that one hears it in turn, and one of both stays.

use std::ops::Deref;
use std::time::Duration;

use mneme_log::LogError;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use crate::client::misconfigured;
use crate::config::KafkaConfig;
use crate::group::Group;

/// A member.
pub(crate) struct Member {
    consumer: BaseConsumer<Group>,
    settings: ClientConfig,
    topics: Vec<String>,
    session: Duration,
}

impl Member {
    /// Joins, to read these topics.
    pub fn join(
        config: &KafkaConfig,
        settings: ClientConfig,
        topics: Vec<String>,
    ) -> Result<Self, LogError> {
        Ok(Self {
            consumer: connect(&settings, &topics, Group::default())?,
            settings,
            topics,
            session: Duration::from_millis(config.session_timeout_ms),
        })
    }

    /// Why the member is over, if it is after this error. Where it joined once more, its partitions are
    /// taken and given like those of any member.
    pub fn over_after(&mut self, error: &KafkaError) -> Option<String> {
        let is_fatal = matches!(
            error,
            KafkaError::MessageConsumptionFatal(_)
                | KafkaError::MessageConsumption(RDKafkaErrorCode::FencedInstanceId)
        );
        if !is_fatal {
            return None;
        }
        let is_fenced = error.rdkafka_error_code() == Some(RDKafkaErrorCode::FencedInstanceId);
        if !is_fenced || !self.context().has_lost_within(self.session) {
            return Some(error.to_string());
        }
        match connect(&self.settings, &self.topics, Group::successor()) {
            Ok(consumer) => {
                tracing::warn!("joined once more: the session was over with the broker away");
                self.consumer = consumer;
                None
            }
            Err(error) => Some(error.to_string()),
        }
    }
}

impl Deref for Member {
    type Target = BaseConsumer<Group>;

    fn deref(&self) -> &Self::Target {
        &self.consumer
    }
}

fn connect(
    settings: &ClientConfig,
    topics: &[String],
    group: Group,
) -> Result<BaseConsumer<Group>, LogError> {
    let consumer: BaseConsumer<Group> =
        settings.create_with_context(group).map_err(misconfigured)?;
    let topics: Vec<&str> = topics.iter().map(String::as_str).collect();
    consumer.subscribe(&topics).map_err(misconfigured)?;
    Ok(consumer)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rdkafka::mocking::MockCluster;
    use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

    use super::*;
    use crate::group::Change;

    const SESSION: Duration = Duration::from_secs(4);
    const FENCED: RDKafkaRespErr = RDKafkaRespErr::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID;

    fn member(cluster: &MockCluster<'_, impl rdkafka::ClientContext>) -> Member {
        let config = KafkaConfig {
            bootstrap: cluster.bootstrap_servers(),
            session_timeout_ms: SESSION.as_millis() as u64,
            ..KafkaConfig::default()
        };
        cluster.create_topic("read", 1, 1).unwrap();
        let settings = config.stage_consumer("readers");
        Member::join(&config, settings, vec!["read".to_owned()]).unwrap()
    }

    /// Asks the broker until the group has done this, or the member is over.
    fn until(member: &mut Member, is_it: impl Fn(&Change) -> bool) -> Result<(), String> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            let error = member.poll(Duration::from_millis(10)).and_then(Result::err);
            if let Some(reason) = error.and_then(|error| member.over_after(&error)) {
                return Err(reason);
            }
            while let Some(change) = member.context().next() {
                if let Change::Given(list) = &change {
                    member.incremental_assign(list).unwrap();
                }
                if is_it(&change) {
                    return Ok(());
                }
            }
        }
        panic!("nothing of that kind happened");
    }

    fn given(change: &Change) -> bool {
        matches!(change, Change::Given(_))
    }

    #[test]
    fn a_member_whose_name_is_taken_is_over() {
        let cluster = MockCluster::new(1).unwrap();
        let mut member = member(&cluster);
        until(&mut member, given).unwrap();
        cluster.request_errors(RDKafkaApiKey::Heartbeat, &[FENCED]);
        until(&mut member, |_| false).unwrap_err();
    }

    #[test]
    fn one_that_lost_its_session_joins_once_more() {
        let cluster = MockCluster::new(1).unwrap();
        let mut member = member(&cluster);
        until(&mut member, given).unwrap();
        cluster.broker_down(1).unwrap();
        until(&mut member, |change| matches!(change, Change::Taken(_))).unwrap();
        cluster.request_errors(RDKafkaApiKey::Heartbeat, &[FENCED, FENCED]);
        cluster.broker_up(1).unwrap();
        until(&mut member, |change| matches!(change, Change::AllTaken)).unwrap();
        until(&mut member, given).unwrap();
        // That was once; the loss was of the consumer before.
        until(&mut member, |_| false).unwrap_err();
    }
}
