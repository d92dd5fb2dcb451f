//! The read stores: what the log's events become, the ports that hold it, and the embedded
//! adapters.
//!
//! - [`change`] turns events into [`Change`]s: a pure fold, the same for every store.
//! - [`GraphStore`], [`TextStore`] and [`VectorStore`] are the ports. All reads filter on the group
//!   inside the adapter.
//! - [`digest`] is what two graph stores with the same rows agree on.
//! - [`embedded`] holds the adapters that need no server; [`conformance`] the suite of each port.

pub mod change;
pub mod conformance;
pub mod digest;
pub mod embedded;
mod error;
pub mod filter;
mod port;
mod rows;
mod time;

pub use change::Change;
pub use error::StoreError;
pub use filter::{Comparison, Filter, FilterField, FilterValue};
pub use port::{
    Checkpoint, Digest, Generation, GraphStore, Projection, TextField, TextHit, TextQuery,
    TextStore, VectorHit, VectorQuery, VectorStore, Walk,
};
pub use rows::{
    CommunityRow, DocumentKind, EntityRow, EpisodeRow, EpisodeState, FactObject, FactVersionRow,
    HoldRow, MentionRow, StatusRow, SupportRow,
};
pub use time::TimeView;
