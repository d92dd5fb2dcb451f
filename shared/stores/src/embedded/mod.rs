//! The embedded adapters.

mod blocking;
mod documents;
pub mod graph;
mod stores;
pub mod text;
pub mod vector;

pub use stores::{EmbeddedStores, StoresMemory};
