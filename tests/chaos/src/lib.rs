//! What the tests of a memory over Kafka share: what its topics hold and what must be true of them, the
//! same input on an undisturbed embedded memory, the broker as something that can be killed, and a
//! supervisor that disturbs the processes.
//!
//! All of them need `make servers-up` and `MNEME_SERVERS=1`; else they are skipped and say so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a panic is the report of a test"
)]

mod broker;
mod disturb;
mod import;
mod output;
mod supervise;
mod tails;
mod topics;
mod undisturbed;

pub use broker::Broker;
pub use disturb::{Disturbed, disturb};
pub use import::{Progress, import};
pub use output::lines_with;
pub use supervise::Ended;
pub use tails::Tails;
pub use topics::Topics;
pub use undisturbed::{digests_are_equal, undisturbed};

use mneme_conformance::{Kafka, SKIPPED};

/// The servers; where there are none, says that the test is skipped.
pub fn servers() -> Option<Kafka> {
    let found = Kafka::find();
    if found.is_none() {
        eprintln!("{SKIPPED}");
    }
    found
}
