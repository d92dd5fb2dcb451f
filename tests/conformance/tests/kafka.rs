//! Every case of the folder (the shipped one, or MNEME_CASES) passes with all roles as processes over
//! Kafka. Needs `make servers-up` and MNEME_SERVERS=1.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a panic is the report of a test"
)]

use mneme_conformance::{Kafka, Options, SKIPPED, cases_folder, run};

#[tokio::test(flavor = "multi_thread")]
async fn every_case_passes_over_kafka() {
    let Some(kafka) = Kafka::find() else {
        eprintln!("{SKIPPED}");
        return;
    };
    let mut options = Options::standard().unwrap_or_else(|error| panic!("{error}"));
    options.kafka = Some(kafka);
    let report = run(&cases_folder(), &options, |_| ()).await.unwrap();
    println!("{report}");
    assert!(report.is_clean(), "{report}");
}
