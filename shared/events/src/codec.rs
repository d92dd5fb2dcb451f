//! Encoding: what this version writes every later version reads, and what an older version wrote
//! this one reads by resolving the writer's schema against its own. A record whose schema is not
//! known here, or whose bytes don't fit it, is an error that says which; nothing is guessed.

use std::collections::HashMap;
use std::sync::OnceLock;

use apache_avro::Schema;
use apache_avro::error::Details;
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
        /// The rule that a field breaks, or what Avro says without the content.
        reason: String,
    },
}

/// A published schema.
struct Published {
    kind: EventKind,
    schema: Schema,
    header: [u8; HEADER_LENGTH],
    current: bool,
}

/// All that was ever published; `broken` says which file does not parse.
struct Registry {
    published: Vec<Published>,
    broken: Option<String>,
}

/// What reads the records of one schema.
pub(crate) struct Reader {
    kind: EventKind,
    reader: GenericDatumReader<'static>,
    current: bool,
}

/// Writers and readers with the names in their schemas resolved, which takes longer than an event.
#[derive(Default)]
struct Codec {
    writers: HashMap<EventKind, (GenericDatumWriter<'static>, [u8; HEADER_LENGTH])>,
    readers: HashMap<[u8; HEADER_LENGTH], Reader>,
}

/// Earlier versions of schemas, oldest first, that must keep decoding. A schema that changes puts
/// its old text here.
const EARLIER: &[(EventKind, &str)] = &[(
    EventKind::DeadLettered,
    include_str!("../../../schemas/earlier/dead_lettered.1.avsc"),
)];

fn header(schema: &Schema) -> [u8; HEADER_LENGTH] {
    let fingerprint = schema.fingerprint::<Rabin>().bytes;
    let mut header = [0; HEADER_LENGTH];
    header[..2].copy_from_slice(&MARKER);
    header[2..].copy_from_slice(&fingerprint[..8]);
    header
}

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut registry = Registry {
            published: Vec::new(),
            broken: None,
        };
        let current = EventKind::ALL
            .iter()
            .map(|&kind| (kind, kind.schema_text(), true));
        let earlier = EARLIER.iter().map(|&(kind, text)| (kind, text, false));
        for (kind, text, current) in earlier.chain(current) {
            match Schema::parse_str(text) {
                Ok(schema) => registry.published.push(Published {
                    kind,
                    header: header(&schema),
                    schema,
                    current,
                }),
                Err(error) => registry.broken = Some(format!("{}: {error}", kind.name())),
            }
        }
        registry
    })
}

fn codec() -> &'static Codec {
    static CODEC: OnceLock<Codec> = OnceLock::new();
    CODEC.get_or_init(|| {
        let mut codec = Codec::default();
        for published in &registry().published {
            let (kind, current) = (published.kind, published.current);
            if current
                && let Ok(writer) = GenericDatumWriter::builder(&published.schema)
                    .human_readable(false)
                    .validate(false)
                    .build()
            {
                codec.writers.insert(kind, (writer, published.header));
            }
            if let Ok(reader) = Reader::new(kind, &published.schema, current) {
                codec.readers.insert(published.header, reader);
            }
        }
        codec
    })
}

/// The schema that this version writes for a kind. `None` only if the schema file is broken, which
/// a test rules out.
pub fn schema_of(kind: EventKind) -> Option<&'static Schema> {
    let published = registry().published.iter();
    let mut current = published.filter(|published| published.current && published.kind == kind);
    current.next().map(|published| &published.schema)
}

/// All published schema texts of a kind, oldest first.
pub fn schema_texts(kind: EventKind) -> Vec<&'static str> {
    let earlier = EARLIER
        .iter()
        .filter(|(of, _)| *of == kind)
        .map(|(_, text)| *text);
    earlier.chain([kind.schema_text()]).collect()
}

/// What reads the records of a schema that was published, by the schema's fingerprint.
pub(crate) fn published_reader(schema: &Schema) -> Option<&'static Reader> {
    codec().readers.get(&header(schema))
}

/// Writes an event as an Avro single object.
pub fn encode(event: &Event) -> Result<Vec<u8>, EncodeError> {
    match codec().writers.get(&event.kind()) {
        Some((_, header)) => encode_datum(event, header),
        None => encode_datum(event, &[]),
    }
}

/// Writes an event behind the bytes `before`, which name its schema in another way.
pub fn encode_datum(event: &Event, before: &[u8]) -> Result<Vec<u8>, EncodeError> {
    let kind = event.kind();
    let failed = |source| EncodeError {
        event: kind.name(),
        source: Box::new(source),
    };
    let Some((writer, _)) = codec().writers.get(&kind) else {
        let text = registry().broken.clone().unwrap_or_default();
        return Err(failed(apache_avro::Error::new(
            apache_avro::error::Details::ParsePrimitive(text),
        )));
    };
    let mut bytes = Vec::with_capacity(512);
    bytes.extend_from_slice(before);
    with_event!(event, inner => writer.write_ser(&mut bytes, inner)).map_err(failed)?;
    Ok(bytes)
}

/// Reads an event from an Avro single object.
pub fn decode(bytes: &[u8]) -> Result<Event, DecodeError> {
    let Some((header, datum)) = bytes.split_at_checked(HEADER_LENGTH) else {
        return Err(DecodeError::NotSingleObject);
    };
    if header[..2] != MARKER {
        return Err(DecodeError::NotSingleObject);
    }
    let mut known = [0; HEADER_LENGTH];
    known.copy_from_slice(header);
    let Some(reader) = codec().readers.get(&known) else {
        let hex = header[2..].iter().map(|byte| format!("{byte:02x}"));
        return Err(DecodeError::UnknownSchema(hex.collect()));
    };
    reader.read(datum)
}

impl Reader {
    /// What reads the records of a schema; those of another than this version's own are resolved
    /// against it.
    pub(crate) fn new(
        kind: EventKind,
        written: &'static Schema,
        current: bool,
    ) -> Result<Self, apache_avro::Error> {
        let reader = GenericDatumReader::builder(written)
            .human_readable(false)
            .maybe_reader_schema(schema_of(kind).filter(|_| !current))
            .build()?;
        Ok(Self {
            kind,
            reader,
            current,
        })
    }

    /// Reads a datum, which is all of the bytes.
    pub(crate) fn read(&self, mut datum: &[u8]) -> Result<Event, DecodeError> {
        let (kind, reader) = (self.kind, &self.reader);
        let malformed = |what: &'static str| {
            move |error| DecodeError::Malformed {
                event: kind.name(),
                reason: rule_of(&error).unwrap_or_else(|| what.to_owned()),
            }
        };
        let event: Event = if self.current {
            with_event_type!(kind, Type => {
                reader.read_deser::<Type>(&mut datum).map_err(malformed("the bytes don't fit"))?.into()
            })
        } else {
            let value = reader
                .read_value(&mut datum)
                .map_err(malformed("the bytes don't fit the writer's schema"))?;
            with_event_type!(kind, Type => {
                apache_avro::from_value::<Type>(&value).map_err(malformed("it does not resolve"))?.into()
            })
        };
        if !datum.is_empty() {
            return Err(DecodeError::Malformed {
                event: kind.name(),
                reason: "bytes are left over".to_owned(),
            });
        }
        Ok(event)
    }
}

/// The rule that a field breaks, if it is one of ours: those quote nothing of the content.
fn rule_of(error: &apache_avro::Error) -> Option<String> {
    match error.details() {
        Details::DeserializeValue(text) if text.starts_with("must be ") => {
            Some(format!("a field {text}"))
        }
        _ => None,
    }
}
