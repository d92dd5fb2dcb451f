//! The suite of the graph port: what every [`GraphStore`] promises, as one function.
//!
//! [`graph_suite`] runs examples of each promise, then random changes against [`GraphModel`], which
//! is the contract in its plainest form.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a suite fails by a panic that names what was expected"
)]

mod case;
mod compare;
mod entities;
mod episodes;
mod erasure;
mod facts;
mod model;
mod model_reads;
mod random;
mod samples;
mod walks;
mod writing;

pub use model::{GraphModel, GroupModel};

use crate::GraphStore;
use case::Case;

/// Runs the suite on an empty store, which is empty again afterwards.
///
/// # Panics
/// When the store breaks its contract.
pub async fn graph_suite(store: &dyn GraphStore) {
    let case = Case {
        store,
        generation: 1,
    };
    writing::suite(case).await;
    episodes::suite(case).await;
    entities::suite(case).await;
    facts::suite(case).await;
    walks::suite(case).await;
    erasure::suite(case).await;
    random_changes(store, 1..9).await;
}

/// Runs random changes of each seed against the model: the same reads and digests after every
/// batch, and in whatever order the topics came.
///
/// # Panics
/// When the store breaks its contract; the text names the seed.
pub async fn random_changes(store: &dyn GraphStore, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        random::suite(store, seed).await;
    }
}
