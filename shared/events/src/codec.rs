//! Encoding: what this version writes every later version reads, and what an older version wrote
//! this one reads by resolving the writer's schema against its own. A record whose schema is not
//! known here, or whose bytes don't fit it, is an error that says which; nothing is guessed.

use std::collections::HashMap;
use std::sync::OnceLock;

use apache_avro::Schema;
use apache_avro::rabin::Rabin;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::writer::datum::GenericDatumWriter;

use crate::event::{with_event, with_event_type};
use crate::*;

const MARKER: [u8; 2] = [0xc3, 0x01];
const HEADER_LENGTH: usize = 10;

/// Why an event could not be encoded. A bug: the structs equal the schemas.
#[derive(Debug, thiserror::Error)]
#[error("{event} does not fit its schema: {source}")]
pub struct EncodeError {
    /// The event's name.
    pub event: &'static str,
    /// What Avro says.
    pub source: Box<apache_avro::Error>,
}

/// Why bytes could not be decoded. Final: the same bytes never decode later in this version.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The bytes don't begin with Avro's single-object marker.
    #[error("not an Avro single object")]
    NotSingleObject,
    /// No version of any event has this fingerprint.
    #[error("no schema has the fingerprint {0}")]
    UnknownSchema(String),
    /// The bytes don't fit the schema that they name.
    #[error("malformed {event}: {reason}")]
    Malformed {
        /// The event's name.
        event: &'static str,
        /// What Avro says, without the content.
        reason: &'static str,
    },
}

struct Published {
    kind: EventKind,
    schema: Schema,
    current: bool,
}

struct Registry {
    by_kind: HashMap<EventKind, (Schema, [u8; HEADER_LENGTH])>,
    by_fingerprint: HashMap<[u8; 8], Published>,
    broken: Option<String>,
}

/// Earlier versions of schemas, oldest first, that must keep decoding. A schema that changes puts
/// its old text here.
const EARLIER: &[(EventKind, &str)] = &[];

fn fingerprint(schema: &Schema) -> [u8; 8] {
    let bytes = schema.fingerprint::<Rabin>().bytes;
    let mut fingerprint = [0; 8];
    fingerprint.copy_from_slice(&bytes[..8]);
    fingerprint
}

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut registry = Registry {
            by_kind: HashMap::new(),
            by_fingerprint: HashMap::new(),
            broken: None,
        };
        let current = EventKind::ALL
            .iter()
            .map(|&kind| (kind, kind.schema_text(), true));
        let earlier = EARLIER.iter().map(|&(kind, text)| (kind, text, false));
        for (kind, text, current) in earlier.chain(current) {
            let schema = match Schema::parse_str(text) {
                Ok(schema) => schema,
                Err(error) => {
                    registry.broken = Some(format!("{}: {error}", kind.name()));
                    continue;
                }
            };
            let print = fingerprint(&schema);
            if current {
                let mut header = [0; HEADER_LENGTH];
                header[..2].copy_from_slice(&MARKER);
                header[2..].copy_from_slice(&print);
                registry.by_kind.insert(kind, (schema.clone(), header));
            }
            registry.by_fingerprint.insert(
                print,
                Published {
                    kind,
                    schema,
                    current,
                },
            );
        }
        registry
    })
}

/// The schema that this version writes for a kind. `None` only if the schema file is broken, which
/// a test rules out.
pub fn schema_of(kind: EventKind) -> Option<&'static Schema> {
    registry().by_kind.get(&kind).map(|(schema, _)| schema)
}

/// All published schema texts of a kind, oldest first.
pub fn schema_texts(kind: EventKind) -> Vec<&'static str> {
    let earlier = EARLIER
        .iter()
        .filter(|(of, _)| *of == kind)
        .map(|(_, text)| *text);
    earlier.chain([kind.schema_text()]).collect()
}

/// Writes an event as an Avro single object.
pub fn encode(event: &Event) -> Result<Vec<u8>, EncodeError> {
    let kind = event.kind();
    let failed = |source| EncodeError {
        event: kind.name(),
        source: Box::new(source),
    };
    let Some((schema, header)) = registry().by_kind.get(&kind) else {
        let text = registry().broken.clone().unwrap_or_default();
        return Err(failed(apache_avro::Error::new(
            apache_avro::error::Details::ParsePrimitive(text),
        )));
    };
    let mut bytes = Vec::with_capacity(512);
    bytes.extend_from_slice(header);
    let writer = GenericDatumWriter::builder(schema)
        .human_readable(false)
        .validate(false)
        .build()
        .map_err(failed)?;
    with_event!(event, inner => writer.write_ser(&mut bytes, inner)).map_err(failed)?;
    Ok(bytes)
}

/// Reads an event from an Avro single object.
pub fn decode(bytes: &[u8]) -> Result<Event, DecodeError> {
    let Some((header, mut datum)) = bytes.split_at_checked(HEADER_LENGTH) else {
        return Err(DecodeError::NotSingleObject);
    };
    if header[..2] != MARKER {
        return Err(DecodeError::NotSingleObject);
    }
    let mut print = [0; 8];
    print.copy_from_slice(&header[2..]);
    let Some(published) = registry().by_fingerprint.get(&print) else {
        let hex = print.iter().map(|byte| format!("{byte:02x}")).collect();
        return Err(DecodeError::UnknownSchema(hex));
    };
    let kind = published.kind;
    let malformed = |reason| {
        move |_| DecodeError::Malformed {
            event: kind.name(),
            reason,
        }
    };
    let event: Event = if published.current {
        let reader = GenericDatumReader::builder(&published.schema)
            .human_readable(false)
            .build()
            .map_err(malformed("the schema can't be read"))?;
        with_event_type!(kind, Type => {
            reader.read_deser::<Type>(&mut datum).map_err(malformed("the bytes don't fit"))?.into()
        })
    } else {
        let Some(reader_schema) = schema_of(kind) else {
            return Err(DecodeError::UnknownSchema(kind.name().to_owned()));
        };
        let value = GenericDatumReader::builder(&published.schema)
            .reader_schema(reader_schema)
            .build()
            .and_then(|reader| reader.read_value(&mut datum))
            .map_err(malformed("the bytes don't fit the writer's schema"))?;
        with_event_type!(kind, Type => {
            apache_avro::from_value::<Type>(&value).map_err(malformed("it does not resolve"))?.into()
        })
    };
    if !datum.is_empty() {
        return Err(DecodeError::Malformed {
            event: kind.name(),
            reason: "bytes are left over",
        });
    }
    Ok(event)
}
