//! What an error of a transaction asks for. Each is one of: ask again, abort and begin anew, hear what
//! the group says and get another producer, or end with the reason.

use rdkafka::error::{KafkaError, RDKafkaErrorCode};

/// Why records were not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WriteError {
    /// Nothing of it is visible; abort, then begin anew.
    Abort(String),
    /// The transaction is not this producer's own any longer: another one has its id, or the broker
    /// ended it when its time was over. It may have been committed before that.
    Lost(String),
    /// This producer is of no use any longer.
    Broken(String),
}

/// What an error asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Ask again.
    Again,
    /// Abort and begin anew.
    Abort,
    /// Hear what the group says, then get another producer or leave.
    Lost,
    /// End.
    Broken,
}

impl Verdict {
    /// The error for whoever wanted records to be written. There is no asking again any more.
    pub fn into_error(self, error: &KafkaError) -> WriteError {
        let reason = error.to_string();
        match self {
            Self::Again | Self::Abort => WriteError::Abort(reason),
            Self::Lost => WriteError::Lost(reason),
            Self::Broken => WriteError::Broken(reason),
        }
    }
}

/// Judges an error of a producer.
pub(crate) fn judge(error: &KafkaError) -> Verdict {
    use RDKafkaErrorCode::*;
    match error.rdkafka_error_code() {
        Some(Fenced | ProducerFenced | InvalidProducerEpoch | InvalidTransactionalState) => {
            return Verdict::Lost;
        }
        // Whether another has this one's place in the group is told by the group.
        Some(
            IllegalGeneration | UnknownMemberId | FencedInstanceId | RebalanceInProgress
            | QueueFull,
        ) => return Verdict::Abort,
        _ => {}
    }
    match error {
        KafkaError::Transaction(error) if error.is_fatal() => Verdict::Broken,
        KafkaError::Transaction(error) if error.txn_requires_abort() => Verdict::Abort,
        KafkaError::Transaction(error) if error.is_retriable() => Verdict::Again,
        // The broker will not take it another time either.
        KafkaError::MessageProduction(MessageSizeTooLarge | TopicAuthorizationFailed) => {
            Verdict::Broken
        }
        // The delivery of a record failed: the abort tells whether the producer is of use.
        KafkaError::MessageProduction(_) => Verdict::Abort,
        _ => Verdict::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_verdict() {
        let of_delivery = |code| judge(&KafkaError::MessageProduction(code));
        for (code, verdict) in [
            (RDKafkaErrorCode::MessageTimedOut, Verdict::Abort),
            (RDKafkaErrorCode::PurgeQueue, Verdict::Abort),
            (RDKafkaErrorCode::InvalidProducerEpoch, Verdict::Lost),
            (RDKafkaErrorCode::ProducerFenced, Verdict::Lost),
            (RDKafkaErrorCode::FencedInstanceId, Verdict::Abort),
            (RDKafkaErrorCode::MessageSizeTooLarge, Verdict::Broken),
            (RDKafkaErrorCode::TopicAuthorizationFailed, Verdict::Broken),
        ] {
            assert_eq!(of_delivery(code), verdict, "{code}");
        }
        let other = KafkaError::Global(RDKafkaErrorCode::ClusterAuthorizationFailed);
        assert_eq!(judge(&other), Verdict::Broken);
    }
}
