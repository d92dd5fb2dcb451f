//! What holds of every event, shown on one full and one bare sample of each.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod compatibility;
mod datum;
mod foreign_bytes;
mod golden;
mod reference;
mod samples;
mod speed;
mod structs_equal_schemas;
