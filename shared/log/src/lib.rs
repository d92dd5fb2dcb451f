//! The event log: ordered, durable, and committed all or nothing.
//!
//! [`EventLog`] is the port; [`EmbeddedLog`] keeps the log in a folder, [`MemoryLog`] in memory for
//! tests, with failures to order. The log on Kafka is a crate of its own. [`conformance`] is the suite that each implementation passes.

pub mod conformance;
mod embedded;
mod memory;
mod partition;
mod port;

pub use embedded::{EmbeddedLog, EmbeddedLogConfig};
pub use memory::{Fault, MemoryLog};
pub use partition::partition_of;
pub use port::{
    CommitError, Consumed, EventLog, LogError, NewRecord, Partition, Record, StageInput, StageLog,
    Undecodable, Written,
};
