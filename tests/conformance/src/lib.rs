//! The runner of the conformance cases: black box, over HTTP, against the `mneme` binary, either as one
//! process or as roles over Kafka. [`Server`] is what it starts, for other tests too.
//!
//! Each case gets a process and a data folder of its own, so no case sees another's data, and what
//! a case expects is checked exactly: what the runner does not understand is a failed case, never
//! one that passes. Cases that need a model's endpoint are told as not run, by name.

mod case;
mod case_run;
mod check;
mod client;
mod expectation;
mod fields;
mod folder;
mod instance;
mod kafka;
mod matching;
mod names_file;
mod orders;
mod process;
mod report;
mod roles;
mod row;
mod runner;
mod server;
mod step;
mod stored;
mod stub;
mod world;

use std::path::PathBuf;

pub use client::{Answer, Client, ClientError};
pub use instance::Instance;
pub use kafka::{Kafka, Namespace, SKIPPED};
pub use report::{CaseResult, Report, Verdict};
pub use roles::STAGES;
pub use runner::{Options, RunnerError, run};
pub use server::{Launch, Server, ServerError, find_binary, find_program};

/// The folder of the cases that come with the project.
pub fn shipped_cases() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// The folder to run: `MNEME_CASES` where it is set and not empty, else [`shipped_cases`].
pub fn cases_folder() -> PathBuf {
    std::env::var_os("MNEME_CASES")
        .filter(|folder| !folder.is_empty())
        .map_or_else(shipped_cases, PathBuf::from)
}
