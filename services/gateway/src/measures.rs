//! What the gateway measures.

use std::time::Duration;

use mneme_model::Source;
use mneme_telemetry::metric;

/// Counts an accepted episode by its source.
pub fn accepted(source: Source) {
    metrics::counter!(metric::EPISODES_ACCEPTED, "source" => source.as_str()).increment(1);
}

/// Counts an episode that was accepted before.
pub fn repeated() {
    metrics::counter!(metric::EPISODES_REPEATED).increment(1);
}

/// Counts a refusal by its status.
pub fn refused(status: u16) {
    metrics::counter!(metric::REFUSALS, "status" => status.to_string()).increment(1);
}

/// Records one append: how many records it had and how long it took.
pub fn appended(records: usize, took: Duration) {
    metrics::histogram!(metric::APPEND_RECORDS).record(records as f64);
    metrics::histogram!(metric::APPEND_SECONDS).record(took.as_secs_f64());
}

/// Shows how many accepted episodes the graph does not have yet, as last counted.
pub fn unprojected(count: usize) {
    metrics::gauge!(metric::UNPROJECTED).set(count as f64);
}
