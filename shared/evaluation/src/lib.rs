//! Measures a memory against public data with gold answers, through its public API alone: what is
//! measured is what a user gets.
//!
//! Guarantees: nothing is tuned to a question or an answer; the same memory and data give the same
//! figures; what is left out of a figure is counted beside it.
//!
//! - [`locomo`]: recall of what was said in long conversations, and what fits a context.
//! - [`temporal`]: reading time expressions, by language.
//! - [`entities`]: joining records of one thing.

mod client;
pub mod entities;
mod error;
pub mod locomo;
mod percent;
pub mod temporal;

pub use client::{ClientError, MemoryClient};
pub use error::EvaluationError;
