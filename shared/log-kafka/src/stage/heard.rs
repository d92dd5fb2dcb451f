//! What the thread of a stage and its asynchronous side tell each other.

use mneme_log::{Consumed, LogError, Partition, Written};
use tokio::sync::oneshot;

use super::owned::Epoch;
use crate::raw::{OutRecord, Raw};

/// What the thread tells, in order. The epoch is the one that it is told in.
#[derive(Debug)]
pub(super) struct Heard {
    pub epoch: Epoch,
    pub what: What,
}

#[derive(Debug)]
pub(super) enum What {
    /// Partitions are the instance's own, from their committed positions on.
    Assigned(Vec<Consumed>),
    /// Partitions are not the instance's own any longer.
    Revoked(Vec<Partition>),
    /// Records.
    Records(Vec<Raw>),
    /// This instance is over, mostly because another has taken over; nothing comes after this.
    Over(LogError),
}

/// Asks the thread for a commit.
pub(super) struct Commit {
    pub outputs: Vec<OutRecord>,
    pub consumed: Vec<Consumed>,
    /// The epoch of the last thing that was heard when the commit was asked for.
    pub epoch: Epoch,
    pub answer: oneshot::Sender<Result<Vec<Written>, Failure>>,
}

/// Why a commit did not happen.
#[derive(Debug)]
pub(super) enum Failure {
    /// All work is void; what was heard before this epoch is, too.
    Abort { reason: String, epoch: Epoch },
    /// Another instance has taken over.
    Fenced(String),
    /// It never will.
    Broken(String),
}
