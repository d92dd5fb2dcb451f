//! The community-updater: what a group's entities are about, and which belong together.
//!
//! - Summaries and communities follow from current facts alone: when a fact ends or is erased, what
//!   was said of it goes.
//! - The result is a deterministic function of the order of the log: label propagation breaks ties
//!   by id and stops after a bounded number of rounds (Raghavan et al. 2007, section III; dynamic
//!   extension and periodic refresh as in Zep, Rasmussen et al. 2025, section 2.3).
//! - Between refreshes an entity joins its neighbours' community; after a tenth of the group's edges
//!   has changed, all communities are derived anew.
//! - Without a model, summaries are extractive: they are made of the sentences of facts.

mod facts;
mod label;
mod refresh;
mod stage;
mod summary;
mod words;

pub use stage::CommunityUpdater;
