//! The thread of a stage's instance. It owns the consumer and the producer, asks the broker at all
//! times, also while work is out, and makes commits in between.

use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use mneme_events::Topic;
use mneme_log::{Consumed, Partition, Written};
use mneme_telemetry::metric;
use rdkafka::topic_partition_list::Offset;

use super::heard::{Commit, Failure};
use super::input::Input;
use super::owned::Epoch;
use super::recovery::serve;
use crate::config::KafkaConfig;
use crate::names::Names;
use crate::raw::OutRecord;
use crate::transactions::{Offsets, Transactions};
use crate::verdict::WriteError;

/// How long the broker is waited for at once: shortly while a commit may come at any time.
const BUSY: Duration = Duration::from_millis(1);
pub(super) const IDLE: Duration = Duration::from_millis(10);
/// How long it counts as busy after the last record or commit.
const BUSY_FOR: Duration = Duration::from_secs(1);

pub(super) struct StageThread {
    pub stage: &'static str,
    pub input: Input,
    pub output: Transactions,
    pub commits: Receiver<Commit>,
    pub config: KafkaConfig,
    pub names: Names,
}

impl StageThread {
    /// Runs until nobody listens, or another instance has taken over.
    pub fn run(mut self) {
        let mut busy_until = Instant::now();
        while self.input.is_heard() && self.input.fenced.is_none() {
            match self.commits.try_recv() {
                Ok(commit) => {
                    self.commit(commit);
                    busy_until = Instant::now() + BUSY_FOR;
                }
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => {}
            }
            let is_busy = Instant::now() < busy_until;
            if self.input.serve(if is_busy { BUSY } else { IDLE }) > 0 {
                busy_until = Instant::now() + BUSY_FOR;
            }
        }
        let fenced = self.input.fenced.take();
        drop(self.output);
        self.input.close();
        if let Some(reason) = fenced {
            for commit in self.commits {
                let _ = commit.answer.send(Err(Failure::Fenced(reason.clone())));
            }
        }
    }

    fn commit(&mut self, commit: Commit) {
        let started = Instant::now();
        let Commit {
            outputs,
            consumed,
            epoch,
            answer,
        } = commit;
        let failed = match self.write(&outputs, &consumed, epoch) {
            Ok(written) => {
                metrics::counter!(metric::TRANSACTIONS, "stage" => self.stage).increment(1);
                metrics::histogram!(metric::COMMIT_SECONDS, "stage" => self.stage)
                    .record(started.elapsed());
                let _ = answer.send(Ok(written));
                return;
            }
            Err(failed) => failed,
        };
        self.input.void();
        let epoch = self.input.owned.epoch();
        let failure = match failed.error {
            WriteError::Abort(reason) => {
                metrics::counter!(metric::TRANSACTION_ABORTS, "stage" => self.stage).increment(1);
                // The caller need not wait until a broker that is away has aborted.
                let _ = answer.send(Err(Failure::Abort { reason, epoch }));
                if failed.is_open && !self.abort() {
                    self.renew_producer();
                }
                self.begin_anew();
                return;
            }
            WriteError::Lost(reason) => {
                metrics::counter!(metric::TRANSACTION_ABORTS, "stage" => self.stage).increment(1);
                self.renew_producer();
                match &self.input.fenced {
                    Some(reason) => Failure::Fenced(reason.clone()),
                    None => Failure::Abort { reason, epoch },
                }
            }
            WriteError::Broken(reason) => {
                // A record that is refused ends the process, not the transactions of the next one.
                if failed.is_open {
                    self.abort();
                }
                Failure::Broken(reason)
            }
        };
        let _ = answer.send(Err(failure));
        self.begin_anew();
    }

    fn write(
        &mut self,
        outputs: &[OutRecord],
        consumed: &[Consumed],
        epoch: Epoch,
    ) -> Result<Vec<Written>, Failed> {
        let touched = touched(outputs, consumed);
        if !self.input.owned.all_since(&touched, epoch) {
            return Err(Failed::before(MOVED.to_owned()));
        }
        if outputs.is_empty() && consumed.is_empty() {
            return Ok(Vec::new());
        }
        let Some(group) = self.input.group() else {
            return Err(Failed::before("the group is not known".to_owned()));
        };
        // Positions are sent for all that is touched, changed or not: so the broker refuses a member
        // that is none any longer.
        let next = |partition| {
            let of_partition = |at: &&Consumed| at.partition == partition;
            let consumed = consumed.iter().find(of_partition).map(|at| at.next);
            let next = consumed.or_else(|| self.input.owned.position(partition));
            Offset::Offset(next.unwrap_or(0) as i64)
        };
        let positions = self.input.list(touched.iter().copied(), next);
        let offsets = (!touched.is_empty()).then_some(Offsets {
            positions: &positions,
            group: &group,
        });
        let input = &mut self.input;
        let mut serve = || {
            serve(input)?;
            match input.owned.all_since(&touched, epoch) {
                true => Ok(()),
                false => Err(MOVED.to_owned()),
            }
        };
        let placed = self.output.write(outputs, offsets, &mut serve);
        let placed = placed.map_err(|error| Failed {
            error,
            is_open: true,
        })?;
        self.input.owned.committed(consumed);
        let places = outputs.iter().zip(placed);
        Ok(Written::after(places.map(|(record, offset)| {
            (record.topic, record.partition, offset)
        })))
    }
}

const MOVED: &str = "the partitions were taken since the work began";

/// Why nothing was written, and whether a transaction was begun.
struct Failed {
    error: WriteError,
    is_open: bool,
}

impl Failed {
    fn before(reason: String) -> Self {
        Self {
            error: WriteError::Abort(reason),
            is_open: false,
        }
    }
}

/// The partitions that a commit needs to be the instance's own. A dead letter of a record without a
/// group may go to any: nobody keeps state of dead letters.
fn touched(outputs: &[OutRecord], consumed: &[Consumed]) -> Vec<Partition> {
    let outputs = outputs.iter();
    let outputs = outputs.filter(|record| record.topic != Topic::DeadLetters);
    let mut touched: Vec<Partition> = outputs
        .map(|record| record.partition)
        .chain(consumed.iter().map(|at| at.partition))
        .collect();
    touched.sort_unstable();
    touched.dedup();
    touched
}
