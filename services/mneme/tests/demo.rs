//! The shipped example is remembered and its ten questions are answered right, by the program that a
//! user runs.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::process::Command;

#[test]
fn the_demo_answers_its_questions() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/company");
    let demo = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(["demo", example])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&demo.stdout);
    assert!(
        demo.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&demo.stderr)
    );
    assert!(told.contains("10 of 10 answers are right"), "{told}");
}
