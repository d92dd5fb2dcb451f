//! The projector: the read stores as folds of the log.
//!
//! 1. Each store follows the log by itself, with its checkpoint beside its rows.
//! 2. A generation can be built anew beside the one that is read; it takes its place only when both
//!    are at the same positions and their digests agree, and all stores change over at once.
//! 3. No model is asked: what models answered is in the events.

mod follow;
mod generations;
mod progress;
mod projections;
mod rebuild;
mod told;

pub use generations::{Generations, GenerationsError};
pub use progress::Progress;
pub use projections::{Projections, ProjectorError};
pub use rebuild::{Comparison, Rebuilt, StoreComparison};
