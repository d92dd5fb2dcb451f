//! Reading records whose schema is named elsewhere, as a schema registry does: a schema that this
//! version knows is read as [`decode`](crate::decode) does; one that it does not know, of a version
//! to come, is resolved against this version's own of the same name.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use apache_avro::Schema;
use apache_avro::rabin::Rabin;

use crate::codec::{Reader, published_reader};
use crate::{DecodeError, Event, EventKind, schema_of};

/// Why the text of a schema is none that records can be read with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaTextError {
    /// It is no Avro schema.
    #[error("the schema does not parse")]
    Malformed,
    /// It is of no event.
    #[error("no event is named {0}")]
    UnknownEvent(String),
}

/// Reads the records of one schema.
#[derive(Clone, Copy)]
pub struct DatumReader(&'static Reader);

impl DatumReader {
    /// What reads the records of the schema with this text.
    pub fn of_schema_text(text: &str) -> Result<Self, SchemaTextError> {
        let schema = Schema::parse_str(text).map_err(|_| SchemaTextError::Malformed)?;
        if let Some(reader) = published_reader(&schema) {
            return Ok(Self(reader));
        }
        let name = schema.name().map(ToString::to_string).unwrap_or_default();
        let kind = EventKind::ALL
            .iter()
            .find(|kind| kind.full_name() == name)
            .ok_or(SchemaTextError::UnknownEvent(name))?;
        foreign_reader(*kind, schema).map(Self)
    }

    /// Reads an event.
    pub fn decode(&self, datum: &[u8]) -> Result<Event, DecodeError> {
        self.0.read(datum)
    }
}

/// The reader of a schema of another version. It is kept for as long as the process lives, one for
/// each schema: there are as many as versions that run at once.
fn foreign_reader(kind: EventKind, schema: Schema) -> Result<&'static Reader, SchemaTextError> {
    static READERS: OnceLock<Mutex<HashMap<Vec<u8>, &'static Reader>>> = OnceLock::new();
    let readers = READERS.get_or_init(Mutex::default);
    let mut readers = readers.lock().unwrap_or_else(PoisonError::into_inner);
    let fingerprint = schema.fingerprint::<Rabin>().bytes;
    if let Some(reader) = readers.get(&fingerprint) {
        return Ok(reader);
    }
    let schema: &'static Schema = Box::leak(Box::new(schema));
    let reader = Reader::new(kind, schema, false).map_err(|_| SchemaTextError::Malformed)?;
    let reader: &'static Reader = Box::leak(Box::new(reader));
    readers.insert(fingerprint, reader);
    Ok(reader)
}

impl EventKind {
    /// The full name of the event's Avro record, which subjects of a schema registry are named by.
    pub fn full_name(self) -> String {
        schema_of(self)
            .and_then(Schema::name)
            .map(ToString::to_string)
            .unwrap_or_default()
    }
}
