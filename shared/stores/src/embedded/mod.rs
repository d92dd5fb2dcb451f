//! The embedded adapters.

pub mod graph;
mod blocking;
mod documents;
pub mod text;
pub mod vector;
