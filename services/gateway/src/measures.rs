//! The names of the gateway's metrics.

use std::time::Duration;

use mneme_model::Source;

/// Counts an accepted episode by its source.
pub fn accepted(source: Source) {
    metrics::counter!("mneme_gateway_episodes_accepted_total", "source" => source.as_str())
        .increment(1);
}

/// Counts an episode that was accepted before.
pub fn repeated() {
    metrics::counter!("mneme_gateway_episodes_repeated_total").increment(1);
}

/// Counts a refusal by its status.
pub fn refused(status: u16) {
    metrics::counter!("mneme_gateway_refusals_total", "status" => status.to_string()).increment(1);
}

/// Records one append: how many records it had and how long it took.
pub fn appended(records: usize, took: Duration) {
    metrics::histogram!("mneme_gateway_append_records").record(records as f64);
    metrics::histogram!("mneme_gateway_append_seconds").record(took.as_secs_f64());
}

/// Shows how many accepted episodes the graph does not have yet, as last counted.
pub fn unprojected(count: usize) {
    metrics::gauge!("mneme_gateway_unprojected_episodes").set(count as f64);
}
