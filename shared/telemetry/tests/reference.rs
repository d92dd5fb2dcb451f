//! `docs/metrics.md` lists the metrics as they are.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::fmt::Write;
use std::path::PathBuf;

use mneme_telemetry::metric::{ALL, Kind};

fn reference() -> String {
    let mut page = "# Metrics\n\n\
        Every role serves its own at `GET /metrics`, in Prometheus' text format. Histograms are \
        summaries: `_count`, `_sum` and quantiles. [operating.md](operating.md) says which to watch. \
        This page is generated: `make docs`.\n\n\
        | metric | kind | meaning |\n| --- | --- | --- |\n"
        .to_owned();
    for metric in ALL {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let (name, meaning) = (metric.name, metric.meaning);
        writeln!(page, "| `{name}` | {kind} | {meaning} |").unwrap();
    }
    page
}

#[test]
fn the_page_of_metrics_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let expected = reference();
    if std::env::var_os("MNEME_WRITE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/metrics.md is not what the code says; write it anew with `make docs`"
    );
}
