//! How long answers take, as shares of them see it.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

/// Half of the answers took no longer than `p50_ms`, and so on.
#[derive(Debug, Clone, Serialize)]
pub struct Latency {
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
}

impl Latency {
    /// Of the times of all answers.
    pub fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: f64| {
            let index = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
            times
                .get(index)
                .map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
        };
        Self {
            p50_ms: at(0.50),
            p95_ms: at(0.95),
            p99_ms: at(0.99),
        }
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            p50_ms,
            p95_ms,
            p99_ms,
        } = self;
        write!(
            f,
            "p50 {p50_ms:.1} ms, p95 {p95_ms:.1} ms, p99 {p99_ms:.1} ms"
        )
    }
}
