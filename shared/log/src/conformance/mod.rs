//! What every implementation of the log does, as tests that it runs.
//!
//! An implementation gives a [`Harness`] and calls `log_conformance!(harness)` in a test module:
//! one test a case. The ideas are those of restate's loglet tests and quickwit's metastore suite.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a case reports"
)]

pub mod appending;
pub mod committing;
pub mod joining;
pub mod material;
pub mod reading;

use std::future::Future;
use std::time::Duration;

use mneme_events::Topic;
use mneme_model::GroupId;

use crate::{EventLog, LogError, Partition};

/// How the suite makes and reopens an implementation.
pub trait Harness {
    /// The implementation.
    type Log: EventLog + Clone + 'static;

    /// An empty log.
    fn make(&self, partitions: Partition) -> impl Future<Output = Self::Log>;

    /// The same log as a process sees it that starts after this one ended without notice.
    fn reopen(&self, log: Self::Log) -> impl Future<Output = Self::Log>;

    /// Appends bytes as they are.
    fn append_raw(
        &self,
        log: &Self::Log,
        topic: Topic,
        group: &GroupId,
        bytes: Vec<u8>,
    ) -> impl Future<Output = Result<u64, LogError>>;
}

/// Runs a case, which has a minute.
pub fn run(case: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime
        .block_on(async { tokio::time::timeout(Duration::from_secs(60), case).await })
        .expect("the case hangs");
}

/// Makes a test of each case for the harness that the expression gives.
#[macro_export]
macro_rules! log_conformance {
    ($harness:expr) => {
        $crate::log_conformance! { @cases $harness,
            appending: offsets_count_from_zero_in_order,
            appending: a_batch_keeps_its_order_over_topics,
            appending: many_at_once_lose_and_double_nothing,
            appending: each_callers_order_is_kept,
            appending: what_was_acknowledged_outlives_the_process,
            appending: groups_stay_on_their_partition,
            reading: ranges_are_exact,
            reading: from_the_first_record_whatever_is_cached,
            reading: growth_wakes,
            reading: growth_of_another_partition_does_not,
            reading: what_does_not_decode_stops_nobody,
            committing: outputs_and_positions_move_together,
            committing: an_empty_commit_is_one,
            committing: a_position_is_never_ahead_of_its_outputs,
            committing: a_commit_tells_where_it_wrote,
            committing: positions_outlive_the_process,
            committing: stages_and_topics_have_positions_of_their_own,
            committing: outputs_keep_their_order,
            committing: commits_and_appends_at_once,
            committing: records_keep_their_trace,
            joining: the_first_word_is_the_assignment,
            joining: records_come_once_and_in_order,
            joining: waiting_may_be_cancelled,
            joining: a_later_instance_fences_the_earlier,
            joining: uncommitted_records_come_again,
        }
    };
    (@cases $harness:expr, $($module:ident: $case:ident,)*) => {
        $(
            #[test]
            fn $case() {
                let harness = $harness;
                $crate::conformance::run($crate::conformance::$module::$case(&harness));
            }
        )*
    };
}
