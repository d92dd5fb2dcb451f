//! Every case of the folder (the shipped one, or MNEME_CASES) passes on the embedded default.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a panic is the report of a test"
)]

use mneme_conformance::{Options, cases_folder, run};

#[tokio::test(flavor = "multi_thread")]
async fn every_case_passes() {
    let options = Options::standard().unwrap_or_else(|error| panic!("{error}"));
    let report = run(&cases_folder(), &options, |_| ()).await.unwrap();
    println!("{report}");
    assert!(report.is_clean(), "{report}");
}
