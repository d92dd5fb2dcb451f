//! The suite of the text port: what every [`TextStore`] promises, as functions.
//!
//! [`text_suite`] runs examples of each promise and random interleavings of topics; [`exact_scores`]
//! compares scores with BM25 computed plainly, over texts, windows and sessions.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a suite fails by a panic that names what was expected"
)]

mod case;
mod erasure;
mod finding;
mod kinds;
mod random;
mod scores;
mod seeing;
mod spans;
mod writing;

use crate::TextStore;
use case::Case;

/// Runs the suite on an empty store, which is empty again afterwards.
///
/// # Panics
/// When the store breaks its contract.
pub async fn text_suite(store: &dyn TextStore) {
    let case = Case {
        store,
        generation: 1,
    };
    finding::suite(case).await;
    kinds::suite(case).await;
    seeing::suite(case).await;
    spans::suite(case).await;
    writing::suite(case).await;
    erasure::suite(case).await;
    for seed in 1..5 {
        random::suite(store, seed).await;
    }
}

/// Compares the scores of random searches with BM25 computed plainly.
///
/// # Panics
/// When the store breaks its contract; the text names the seed.
pub async fn exact_scores(store: &dyn TextStore, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        scores::suite(store, seed).await;
    }
}
