//! Any version of an event reads any other (FULL_TRANSITIVE).

use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::schema_compatibility::{Compatibility, SchemaCompatibility};
use apache_avro::types::Value as AvroValue;
use apache_avro::writer::datum::GenericDatumWriter;
use apache_avro::{Schema, from_value};
use mneme_events::{EpisodeReceived, Event, EventKind, decode, encode, schema_of, schema_texts};
use serde_json::{Value, json};

use crate::samples::samples;

fn full_transitive(texts: &[&str]) -> Result<(), String> {
    let parse = |text: &&str| Schema::parse_str(text).map_err(|error| error.to_string());
    let versions: Vec<Schema> = texts.iter().map(parse).collect::<Result<_, _>>()?;
    for (writer, of_writer) in versions.iter().enumerate() {
        for (reader, of_reader) in versions.iter().enumerate() {
            let what = format!("version {} can't read version {}", reader + 1, writer + 1);
            match SchemaCompatibility::can_read(of_writer, of_reader) {
                Ok(Compatibility::Full) => {}
                Ok(Compatibility::Partial) => return Err(format!("{what} always")),
                Err(error) => return Err(format!("{what}: {error}")),
            }
        }
    }
    Ok(())
}

#[test]
fn every_version_reads_every_other() {
    for kind in EventKind::ALL {
        if let Err(reason) = full_transitive(&schema_texts(*kind)) {
            panic!("{}: {reason}", kind.name());
        }
    }
}

/// The current schema of an event with a change.
fn changed(kind: EventKind, change: impl FnOnce(&mut Value)) -> String {
    let texts = schema_texts(kind);
    let mut schema = serde_json::from_str(texts.last().unwrap()).unwrap();
    change(&mut schema);
    schema.to_string()
}

fn fields(schema: &mut Value) -> &mut Vec<Value> {
    schema["fields"].as_array_mut().unwrap()
}

fn compatible(kind: EventKind, change: impl FnOnce(&mut Value)) -> Result<(), String> {
    let changed = changed(kind, change);
    let mut texts = schema_texts(kind);
    texts.push(&changed);
    full_transitive(&texts)
}

#[test]
fn a_field_with_a_default_may_come_and_go() {
    let field = json!({"name": "mood", "type": ["null", "string"], "default": null});
    compatible(EventKind::EpisodeErased, |schema| {
        fields(schema).push(field)
    })
    .unwrap();
}

#[test]
fn what_breaks_a_reader_is_found() {
    let kind = EventKind::MentionResolved;
    let position = |schema: &mut Value, name: &str| {
        fields(schema)
            .iter()
            .position(|field| field["name"] == name)
            .unwrap()
    };
    let without_default = compatible(kind, |schema| {
        fields(schema).push(json!({"name": "mood", "type": "string"}));
    });
    let gone = compatible(kind, |schema| {
        let at = position(schema, "rule");
        fields(schema).remove(at);
    });
    let renamed = compatible(kind, |schema| {
        let at = position(schema, "rule");
        fields(schema)[at]["name"] = json!("reason");
    });
    let retyped = compatible(kind, |schema| {
        let at = position(schema, "ordinal");
        fields(schema)[at]["type"] = json!("string");
    });
    // Each int is a long, but not the other way round.
    let widened = compatible(kind, |schema| {
        let at = position(schema, "ordinal");
        fields(schema)[at]["type"] = json!("long");
    });
    let no_longer_optional = compatible(kind, |schema| {
        let at = position(schema, "entity_type");
        fields(schema)[at]["type"] = json!("string");
        fields(schema)[at]["default"] = json!("");
    });
    for (what, result) in [
        ("a new field without default", without_default),
        ("a field gone", gone),
        ("a field renamed", renamed),
        ("a field of another type", retyped),
        ("a wider field", widened),
        ("a field no longer optional", no_longer_optional),
    ] {
        assert!(result.is_err(), "{what} was not found");
    }
}

#[test]
fn an_enum_without_a_default_can_not_grow() {
    let grown = |default: &str| {
        format!(r#"{{"type": "enum", "name": "E", "symbols": ["a", "b", "c"]{default}}}"#)
    };
    let plain = r#"{"type": "enum", "name": "E", "symbols": ["a", "b"]}"#;
    let with_default = r#"{"type": "enum", "name": "E", "symbols": ["a", "b"], "default": "a"}"#;
    assert!(full_transitive(&[plain, &grown("")]).is_err());
    full_transitive(&[with_default, &grown(r#", "default": "a""#)]).unwrap();
}

/// The way that the codec reads an earlier version, taken by each event with its own schema.
#[test]
fn resolving_gives_the_event_itself() {
    for sample in samples() {
        for event in [sample.full, sample.bare] {
            let schema = schema_of(sample.kind).unwrap();
            let bytes = encode(&event).unwrap();
            let value = GenericDatumReader::builder(schema)
                .reader_schema(schema)
                .build()
                .unwrap()
                .read_value(&mut &bytes[10..])
                .unwrap();
            let again = GenericDatumWriter::builder(schema)
                .build()
                .unwrap()
                .write_value_to_vec(value.clone())
                .unwrap();
            // Maps have no order there, so the events are compared and not the bytes.
            let again = decode(&[&bytes[..10], &again].concat()).unwrap();
            assert_eq!(again, event);
            if let Event::EpisodeReceived(expected) = event {
                assert_eq!(from_value::<EpisodeReceived>(&value).unwrap(), expected);
            }
        }
    }
}

/// A version that lacked a field, as an old log has it: the field gets its default.
#[test]
fn a_version_without_a_field_is_read_with_its_default() {
    let kind = EventKind::EpisodeReceived;
    let earlier = changed(kind, |schema| {
        let episode = &mut fields(schema)[1]["type"];
        fields(episode).retain(|field| field["name"] != "source_description");
    });
    let earlier = Schema::parse_str(&earlier).unwrap();
    let sample = samples()
        .into_iter()
        .find(|sample| sample.kind == kind)
        .unwrap();
    let Event::EpisodeReceived(mut expected) = sample.full else {
        panic!("the sample is of its kind");
    };
    let bytes = encode(&expected.clone().into()).unwrap();
    let current = schema_of(kind).unwrap();
    let resolved = |writer, reader, bytes: &[u8]| {
        GenericDatumReader::builder(writer)
            .reader_schema(reader)
            .build()
            .unwrap()
            .read_value(&mut &*bytes)
            .unwrap()
    };
    let old: AvroValue = resolved(current, &earlier, &bytes[10..]);
    let old = GenericDatumWriter::builder(&earlier)
        .build()
        .unwrap()
        .write_value_to_vec(old)
        .unwrap();
    let read = from_value::<EpisodeReceived>(&resolved(&earlier, current, &old)).unwrap();
    expected.episode.source_description = None;
    assert_eq!(read, expected);
}
