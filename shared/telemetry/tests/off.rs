//! Without a collector nobody makes spans, and a trace goes on as it was given.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use mneme_telemetry::{TraceParent, TracesConfig, spans};

#[test]
fn without_a_collector_traces_are_passed_on() {
    let none = TracesConfig::default();
    let exporter = mneme_telemetry::start("trace", false, &none, "mneme").unwrap();
    assert!(exporter.is_none());
    let given = TraceParent::new(1, 2, 1);
    let span = spans::of_record("extractor", "mneme.episodes.v1", given);
    assert!(span.is_disabled());
    assert_eq!(spans::after(&span, given), given);
    assert_eq!(spans::after(&span, None), None);
    assert!(spans::of_request("GET", "/v1/search", given).is_disabled());
    assert!(spans::of_batch("extractor", 1, given).is_disabled());
}
