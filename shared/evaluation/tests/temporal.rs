//! The extractor's reading of times on public data. `MNEME_TEMPORAL` names the folder; without it
//! the test says so and passes, as the data may not be shipped.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is the report of a test"
)]

use std::path::PathBuf;

use mneme_evaluation::temporal::{ExtractorTimes, evaluate};

#[test]
fn english_is_read_at_least_as_well_as_measured() {
    let Some(folder) = std::env::var_os("MNEME_TEMPORAL").map(PathBuf::from) else {
        println!("skipped: MNEME_TEMPORAL names no folder");
        return;
    };
    let report = evaluate(&ExtractorTimes, &folder).unwrap();
    println!("{}", serde_json::to_string(&report).unwrap());
    assert!(report.overall.cases > 3_000);
    let duckling = &report.sources["duckling"]["en"];
    assert!(duckling.percent >= 70.0, "{duckling:?}");
}
