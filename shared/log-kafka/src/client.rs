//! What the clients of librdkafka report goes to the logs of the process, without its content.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mneme_log::LogError;
use rdkafka::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::{BaseConsumer, ConsumerContext};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use crate::config::PATIENCE;

/// The pause between warnings.
const QUIET: Duration = Duration::from_secs(10);
/// The pause before the broker is asked again.
const AGAIN: Duration = Duration::from_millis(50);

/// The context of clients that want to hear of nothing but trouble.
#[derive(Debug, Default, Clone)]
pub(crate) struct Quiet;

impl ClientContext for Quiet {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        note_log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        note_error(&error, reason);
    }
}

impl ConsumerContext for Quiet {}

/// A consumer that reads what it is pointed at.
pub(crate) type Reader = BaseConsumer<Quiet>;

/// Makes a consumer.
pub(crate) fn reader(config: &ClientConfig) -> Result<Reader, LogError> {
    config.create_with_context(Quiet).map_err(misconfigured)
}

/// A line of librdkafka's log.
pub(crate) fn note_log(level: RDKafkaLogLevel, facility: &str, message: &str) {
    match level {
        RDKafkaLogLevel::Emerg
        | RDKafkaLogLevel::Alert
        | RDKafkaLogLevel::Critical
        | RDKafkaLogLevel::Error
        | RDKafkaLogLevel::Warning => tracing::debug!(facility, message, "the kafka client warns"),
        _ => tracing::trace!(facility, message, "the kafka client says"),
    }
}

/// An error that librdkafka goes on from by itself. One of many is a warning: each client repeats it
/// until it is gone.
pub(crate) fn note_error(error: &KafkaError, reason: &str) {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    if error.rdkafka_error_code() == Some(RDKafkaErrorCode::PartitionEOF) {
        return;
    }
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.is_none_or(|last| last.elapsed() > QUIET) {
        *last = Some(Instant::now());
        tracing::warn!(%error, reason, "a kafka client has trouble");
    } else {
        tracing::debug!(%error, reason, "a kafka client has trouble");
    }
}

/// Asks the broker of a partition that there is, and asks again while a client does not know yet who
/// leads it, or that it is there, since a broker was started anew: it learns that by the refusal. Blocks.
pub(crate) fn ask<T>(call: impl Fn() -> Result<T, KafkaError>) -> Result<T, LogError> {
    use RDKafkaErrorCode::{
        FencedLeaderEpoch, LeaderNotAvailable, NotLeaderForPartition, UnknownLeaderEpoch,
        UnknownPartition, UnknownTopicOrPartition,
    };
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = call();
        let code = answer
            .as_ref()
            .err()
            .and_then(KafkaError::rdkafka_error_code);
        match code {
            Some(
                FencedLeaderEpoch
                | UnknownLeaderEpoch
                | NotLeaderForPartition
                | LeaderNotAvailable
                | UnknownPartition
                | UnknownTopicOrPartition,
            ) if Instant::now() < deadline => std::thread::sleep(AGAIN),
            _ => return answer.map_err(away),
        }
    }
}

/// A failure that is gone when the broker is back.
pub(crate) fn away(error: KafkaError) -> LogError {
    LogError::Unavailable(error.to_string())
}

/// A client can't be made of these settings.
pub(crate) fn misconfigured(error: KafkaError) -> LogError {
    LogError::Broken(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_client_that_knows_too_little_yet_is_asked_again() {
        for code in [
            RDKafkaErrorCode::NotLeaderForPartition,
            RDKafkaErrorCode::UnknownPartition,
        ] {
            let asked = Cell::new(0);
            let answer = ask(|| {
                asked.set(asked.get() + 1);
                if asked.get() < 3 {
                    return Err(KafkaError::MetadataFetch(code));
                }
                Ok(7)
            });
            assert!(matches!(answer, Ok(7)), "{answer:?}");
        }
        let asked = Cell::new(0);
        let answer = ask::<u64>(|| {
            asked.set(asked.get() + 1);
            Err(KafkaError::MetadataFetch(
                RDKafkaErrorCode::BrokerTransportFailure,
            ))
        });
        assert!(
            matches!(answer, Err(LogError::Unavailable(_))),
            "{answer:?}"
        );
        assert_eq!(asked.get(), 1, "the client itself tries that again");
    }
}
