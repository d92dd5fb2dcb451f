//! The suite that every implementation of the log passes.

use mneme_log::log_conformance;

use crate::support::KafkaHarness;

log_conformance!(match KafkaHarness::new() {
    Some(harness) => harness,
    None => return,
});
