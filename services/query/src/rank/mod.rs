//! Ranking, without any I/O: what the stores found goes in as [`ScoredList`]s, an order with its
//! reasons comes out as [`Candidate`]s.
//!
//! Guarantees:
//! - the score of a candidate is the sum of its parts, so every rank can be explained;
//! - equal scores are in order of group and id: the same hits give the same order, always;
//! - no score is ever a NaN.

pub mod distance;
pub mod evidence;
pub mod fusion;
pub mod mentions;
pub mod mmr;
pub mod pool;
pub mod question;
pub mod time_words;

pub use pool::{Candidate, Key, Missing, Scale, ScoredList, pool, rank};
