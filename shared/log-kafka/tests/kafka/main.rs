//! Tests against a real broker and a real schema registry; see `support` for where they are.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a panic is how a test reports, and a skipped one says so"
)]

mod cluster;
mod conformance;
mod foreign;
mod headers;
mod outage;
mod producers;
mod restart;
mod sharing;
mod speed;
mod support;
mod zombie;
