//! The events of Mneme's log. The files `schemas/*.avsc` are the truth; the structs here equal
//! them (a test proves it), and every event of every published version keeps decoding (golden
//! bytes prove it).
//!
//! An [`Event`] is what the log carries; its [`EventHeader`] ties it to its group, its cause and
//! its place. [`encode`] and [`decode`] write Avro's single-object encoding: two marker bytes, the
//! eight bytes of the schema's CRC-64-AVRO fingerprint, then the datum.

mod bytes;
mod codec;
mod communities;
mod datum;
mod episode;
mod episodes;
mod event;
mod event_topics;
mod extractions;
mod facts;
mod parts;
mod resolutions;
mod side;
mod topic;

pub use codec::{DecodeError, EncodeError, decode, encode, encode_datum, schema_of, schema_texts};
pub use communities::*;
pub use datum::{DatumReader, SchemaTextError};
pub use episodes::*;
pub use event::{Event, EventKind, follow_up_id};
pub use extractions::*;
pub use facts::*;
pub use parts::*;
pub use resolutions::*;
pub use side::*;
pub use topic::{Retention, Topic};
