//! What can't be published is told in one line, with exit code 1. That these tests are here also has the
//! programs built for the tests of the whole.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::process::Command;

/// A port where nobody listens.
const NOBODY: &str = "127.0.0.1:9";

fn fails(program: &str, arguments: &[&str], reason: &str) {
    let ended = Command::new(program)
        .args(arguments)
        .env("MNEME_KAFKA__BOOTSTRAP", NOBODY)
        .env("MNEME_KAFKA__REGISTRY", format!("http://{NOBODY}"))
        .output()
        .unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(told.contains(reason) && told.lines().count() == 1, "{told}");
}

#[test]
fn a_registry_that_is_away_is_named() {
    fails(env!("CARGO_BIN_EXE_send-episode"), &[], NOBODY);
}

#[test]
fn a_broker_that_is_away_is_named() {
    fails(env!("CARGO_BIN_EXE_send-contacts"), &[], NOBODY);
}

#[test]
fn a_line_that_is_no_record_is_named() {
    let folder = std::env::temp_dir();
    let file = folder.join(format!("contacts-{}.jsonl", std::process::id()));
    std::fs::write(&file, "{\"tenant\": \"t\"}\nno json\n").unwrap();
    let arguments = [file.to_str().unwrap()];
    fails(env!("CARGO_BIN_EXE_send-contacts"), &arguments, "line 2");
    std::fs::remove_file(&file).unwrap();
}
