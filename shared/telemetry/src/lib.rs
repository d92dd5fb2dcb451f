//! What operators see: metrics are named here and nowhere else, and logs go to standard error, one
//! line an event, lower case, with fields and never with the content of episodes.

pub mod metric;

use std::io::IsTerminal;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

/// Why telemetry could not be set up. The process should end.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter of the logs can't be read.
    #[error("the log filter '{0}' can't be read; write levels like info or mneme=debug")]
    Filter(String),
    /// It was set up before.
    #[error("telemetry was set up before: {0}")]
    Repeated(String),
}

/// Starts logging to standard error. `filter` is like `info,mneme_runtime=debug`.
pub fn start_logs(filter: &str, json: bool) -> Result<(), TelemetryError> {
    let parsed =
        EnvFilter::try_new(filter).map_err(|_| TelemetryError::Filter(filter.to_owned()))?;
    let logs = tracing_subscriber::fmt()
        .with_env_filter(parsed)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let started = if json {
        logs.json().try_init()
    } else {
        logs.compact().try_init()
    };
    started.map_err(|error| TelemetryError::Repeated(error.to_string()))
}

/// Starts collecting metrics; the handle renders them in Prometheus' text format.
pub fn start_metrics() -> Result<PrometheusHandle, TelemetryError> {
    let handle = PrometheusBuilder::new()
        .install_recorder()
        .map_err(|error| TelemetryError::Repeated(error.to_string()))?;
    metric::describe();
    Ok(handle)
}
