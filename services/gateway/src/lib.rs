//! The way in: what producers and operators send is checked and appended to the `episodes` topic.
//!
//! - What is answered with 202 is durable.
//! - What is accepted is valid: every refusal happens here, names the field and the fix, and leaves
//!   nothing behind ([`limits`] holds the numbers).
//! - An episode id is accepted once: the same content again answers the first result, other content
//!   is a conflict, also while the first is still on its way to the projections, after a restart,
//!   and when many send it at once. Between several gateways the extractor has the last word.
//! - Within a group the instants of reception grow in the order of the log.
//! - [`intake`] turns raw records of producers into episodes by a mapping.

mod accept;
mod catch_up;
mod change;
mod config;
mod episode;
mod gateway;
mod http;
pub mod intake;
pub mod limits;
mod measures;
mod records;
mod take;
mod wait;

pub use config::GatewayConfig;
pub use gateway::Gateway;
pub use records::{Found, Lookup, ProjectedRecords, Records};
pub use take::{RawRecord, Taken};
