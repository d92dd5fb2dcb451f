//! The suite of the vector port: what every [`VectorStore`] promises, as functions.
//!
//! [`vector_suite`] runs examples of each promise and random interleavings of topics;
//! [`exact_search`] compares hits with cosines computed plainly, for stores that miss nothing.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a suite fails by a panic that names what was expected"
)]

mod case;
mod erasure;
mod exact;
mod finding;
mod random;
mod seeing;
mod writing;

use mneme_inference::Embedder;

use crate::VectorStore;
use case::Case;

/// Runs the suite on an empty store that was made with the embedder, which is empty again
/// afterwards. The embedder must know English.
///
/// # Panics
/// When the store breaks its contract.
pub async fn vector_suite(store: &dyn VectorStore, embedder: &dyn Embedder) {
    let case = Case {
        store,
        embedder,
        generation: 1,
    };
    finding::suite(case).await;
    seeing::suite(case).await;
    writing::suite(case).await;
    erasure::suite(case).await;
    for seed in 1..5 {
        random::suite(case, seed).await;
    }
}

/// Compares the hits of random searches with cosines computed plainly.
///
/// # Panics
/// When the store breaks its contract; the text names the seed.
pub async fn exact_search(
    store: &dyn VectorStore,
    embedder: &dyn Embedder,
    seeds: std::ops::Range<u64>,
) {
    let case = Case {
        store,
        embedder,
        generation: 1,
    };
    for seed in seeds {
        exact::suite(case, seed).await;
    }
}
