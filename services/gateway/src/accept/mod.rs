//! Accepting episodes: an id once, whatever comes at the same time.
//!
//! ```text
//! claim the id ─▶ is it known? (memory, else graph) ─▶ append ─▶ remember ─▶ free the claim
//! ```
//!
//! An id that is claimed is waited for. The claim goes with the record to the writer, so that a
//! client that goes away between frees nothing too early.

mod draft;
mod erase;
mod known;
mod submit;
mod writer;

pub(crate) use draft::Draft;
pub(crate) use known::{Claim, Known};
pub(crate) use submit::Accepted;
pub(crate) use writer::Writer;
