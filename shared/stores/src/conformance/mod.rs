//! The suites of the ports.

pub(crate) mod documents;
pub mod graph;
pub(crate) mod random;
pub mod text;
pub mod vector;
