//! Answers what was asked: search, context for a model, and plain reads, over the three read stores.
//!
//! Guarantees:
//! - every read names its groups, and nothing of another group is in any answer;
//! - a store that does not answer in time is named in `partial`; an answer never pretends to be
//!   whole;
//! - every result tells its sources, its times and what its score is made of, and the same stores
//!   give the same answer to the same question, always;
//! - nothing here writes.
//!
//! [`rank`] is pure; [`QueryService`] asks the stores and ranks; [`QueryService::router`] is the
//! HTTP face.

mod answer;
pub mod context;
mod error;
pub mod rank;
mod reads;
mod routes;
mod rows;
mod search;
mod service;
mod settings;
mod stores;

pub use error::QueryError;
pub use routes::description;
pub use service::QueryService;
pub use settings::QuerySettings;
pub use stores::QueryStores;
