//! What the end-to-end tests share: a server on a folder of its own, a deterministic import, and a
//! group's content in a form that two runs can be compared by. The tests reach the product only as
//! users do: by its binary and its HTTP API.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is the report of a test"
)]

mod content;
mod dice;
mod generator;
mod place;

pub use content::{content, every_episode_is_done};
pub use dice::Dice;
pub use generator::{GROUPS, episodes, ontology};
pub use place::{Place, Setup, number_from};
