//! Export of spans by OTLP (HTTP, protobuf), off unless an endpoint is named. What can't be delivered
//! is dropped with a warning; nothing waits for it.

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider, Tracer};
use serde::{Deserialize, Serialize};

use crate::TelemetryError;

/// Where a collector takes spans when the endpoint has no path.
const PATH: &str = "/v1/traces";

/// The settings of traces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TracesConfig {
    /// The collector, such as `http://127.0.0.1:4318`; none by default, and then nothing is exported.
    /// Headers that it wants, such as a token, come from `OTEL_EXPORTER_OTLP_HEADERS`.
    pub endpoint: Option<String>,
    /// The share of new traces that is exported, from 0 to 1; what a caller began is exported if the
    /// caller says so. 1 by default.
    pub sample: f64,
}

impl Default for TracesConfig {
    fn default() -> Self {
        Self {
            endpoint: None,
            sample: 1.0,
        }
    }
}

/// What exports spans. The last ones are delivered when it is dropped.
#[derive(Debug)]
pub struct Exporter(SdkTracerProvider);

impl Drop for Exporter {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last spans were not delivered");
        }
    }
}

/// Starts to export, where an endpoint is named.
pub(crate) fn start(
    config: &TracesConfig,
    service: &str,
) -> Result<Option<(Exporter, Tracer)>, TelemetryError> {
    let Some(endpoint) = &config.endpoint else {
        return Ok(None);
    };
    let refused = |reason: String| TelemetryError::Traces(reason);
    if !(0.0..=1.0).contains(&config.sample) {
        let reason = format!("traces.sample is {}, it must be from 0 to 1", config.sample);
        return Err(refused(reason));
    }
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(with_path(endpoint))
        .build()
        .map_err(|error| refused(format!("traces.endpoint: {error}")))?;
    let sampler = Sampler::TraceIdRatioBased(config.sample);
    let resource = Resource::builder()
        .with_service_name(service.to_owned())
        .build();
    let provider = SdkTracerProvider::builder()
        .with_sampler(Sampler::ParentBased(Box::new(sampler)))
        .with_resource(resource)
        .with_batch_exporter(exporter)
        .build();
    let tracer = provider.tracer("mneme");
    Ok(Some((Exporter(provider), tracer)))
}

fn with_path(endpoint: &str) -> String {
    let endpoint = endpoint.trim_end_matches('/');
    let host = endpoint
        .split_once("://")
        .map_or(endpoint, |(_, host)| host);
    match host.contains('/') {
        true => endpoint.to_owned(),
        false => format!("{endpoint}{PATH}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_without_a_path_gets_the_usual_one() {
        for (endpoint, url) in [
            ("http://collector:4318", "http://collector:4318/v1/traces"),
            ("http://collector:4318/", "http://collector:4318/v1/traces"),
            ("http://collector/otlp", "http://collector/otlp"),
        ] {
            assert_eq!(with_path(endpoint), url);
        }
    }

    #[test]
    fn a_share_that_is_none_is_refused() {
        let config = TracesConfig {
            endpoint: Some("http://127.0.0.1:1".to_owned()),
            sample: 2.0,
        };
        let refused = start(&config, "mneme").unwrap_err().to_string();
        assert!(refused.contains("traces.sample"), "{refused}");
    }
}
