//! What operators see: metrics are named here and nowhere else; logs go to standard error, one line an
//! event, lower case, with fields and never with the content of episodes; traces go to a collector,
//! where one is named.

mod export;
pub mod metric;
pub mod spans;
mod trace_parent;

use std::io::IsTerminal;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

pub use export::{Exporter, TracesConfig};
pub use trace_parent::TraceParent;

/// Why telemetry could not be set up. The process should end.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter of the logs can't be read.
    #[error("the log filter '{0}' can't be read; write levels like info or mneme=debug")]
    Filter(String),
    /// The settings of traces are wrong.
    #[error("{0}")]
    Traces(String),
    /// It was set up before.
    #[error("telemetry was set up before: {0}")]
    Repeated(String),
}

/// Starts logging to standard error. `filter` is like `info,mneme_runtime=debug`.
pub fn start_logs(filter: &str, json: bool) -> Result<(), TelemetryError> {
    start(filter, json, &TracesConfig::default(), "mneme").map(|_| ())
}

/// Starts logging, and the export of traces under a service's name. Spans are exported as long as
/// what is returned is kept.
pub fn start(
    filter: &str,
    json: bool,
    traces: &TracesConfig,
    service: &str,
) -> Result<Option<Exporter>, TelemetryError> {
    let parsed =
        EnvFilter::try_new(filter).map_err(|_| TelemetryError::Filter(filter.to_owned()))?;
    let (exporter, tracer) = export::start(traces, service)?.unzip();
    let is_trace = |target: &str| target == spans::TARGET;
    let logs = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let logs = match json {
        true => logs.json().boxed(),
        false => logs.compact().boxed(),
    };
    // One filter: where two are stacked a span is made although one of them does not want it.
    let wanted = filter_fn(move |metadata| !is_trace(metadata.target())).and(parsed);
    let mut layers = vec![logs.with_filter(wanted).boxed()];
    layers.extend(tracer.map(|tracer| {
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_location(false)
            .with_threads(false)
            .with_filter(filter_fn(move |metadata| is_trace(metadata.target())))
            .boxed()
    }));
    tracing_subscriber::registry()
        .with(layers)
        .try_init()
        .map_err(|error| TelemetryError::Repeated(error.to_string()))?;
    Ok(exporter)
}

/// Starts collecting metrics; the handle renders them in Prometheus' text format.
pub fn start_metrics() -> Result<PrometheusHandle, TelemetryError> {
    let handle = PrometheusBuilder::new()
        .install_recorder()
        .map_err(|error| TelemetryError::Repeated(error.to_string()))?;
    metric::describe();
    Ok(handle)
}
