//! A member of a consumer group under a name of its own (static membership).
//!
//! Where another takes the name, the member is over. The client can't always tell that from its own
//! earlier session: when it has lost its session with the broker away, and the broker comes back before
//! the client has given its partitions up, it asks without its id and is told that another has its name
//! (librdkafka #3437). So a member that hears this after such a loss, and before it was given partitions
//! again, joins once more; where there is another after all, one of both stays.

use std::ops::Deref;

use mneme_log::LogError;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use crate::config::KafkaConfig;
use crate::group::Group;
use crate::whole::Whole;

/// A member.
pub(crate) struct Member {
    consumer: BaseConsumer<Group>,
    settings: ClientConfig,
    topics: Vec<String>,
    whole: Whole,
}

impl Member {
    /// Joins, to read these topics.
    pub fn join(
        config: &KafkaConfig,
        settings: ClientConfig,
        topics: Vec<String>,
    ) -> Result<Self, LogError> {
        Ok(Self {
            consumer: Group::default().join(&settings, &topics)?,
            whole: Whole::watch(config.session_timeout(), &settings, &topics)?,
            settings,
            topics,
        })
    }

    /// After a change of the group.
    pub fn changed(&self) {
        self.whole.changed();
    }

    /// Why the member is over, if it is after this error: [`LogError::Locked`] where another has its
    /// name.
    pub fn over_after(&mut self, error: &KafkaError) -> Option<LogError> {
        let KafkaError::MessageConsumptionFatal(code) = error else {
            return None;
        };
        if *code != RDKafkaErrorCode::FencedInstanceId {
            return Some(LogError::Broken(error.to_string()));
        }
        if !self.context().is_lost() {
            return Some(LogError::Locked(format!(
                "another instance of this name has taken over ({error}); each needs a \
                 `kafka.instance` of its own"
            )));
        }
        let group = self.settings.get("group.id");
        tracing::warn!(
            group,
            "joins once more: the session was over with the broker away"
        );
        let next = self.context().successor();
        match next.join(&self.settings, &self.topics) {
            Ok(consumer) => self.consumer = consumer,
            Err(error) => return Some(error),
        }
        None
    }
}

impl Deref for Member {
    type Target = BaseConsumer<Group>;

    fn deref(&self) -> &Self::Target {
        &self.consumer
    }
}
