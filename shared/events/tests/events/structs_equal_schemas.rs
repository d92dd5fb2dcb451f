//! The structs equal the schema files: they have the same fields with the same kinds of content,
//! and what is written is read as it was.

use std::collections::BTreeSet;

use apache_avro::Schema;
use apache_avro::schema::ResolvedSchema;
use mneme_events::{decode, encode, schema_of};
use serde_json::Value;

use crate::samples::samples;

#[test]
fn what_is_written_is_read_as_it_was() {
    for sample in samples() {
        for event in [sample.full, sample.bare] {
            let bytes = encode(&event).unwrap();
            assert_eq!(decode(&bytes).unwrap(), event);
        }
    }
}

#[test]
fn schemas_and_structs_have_the_same_fields() {
    for sample in samples() {
        let schema = schema_of(sample.kind).unwrap();
        let resolved = ResolvedSchema::try_from(schema).unwrap();
        let name = sample.kind.name();
        let mut walk = Walk {
            resolved: &resolved,
            allow_empty: false,
        };
        walk.compare(name, schema, &sample.full_json);
        walk.allow_empty = true;
        walk.compare(name, schema, &sample.bare_json);
    }
}

/// The bare samples leave out all that may be left out: each optional field is a null there, so
/// that both branches of it are written and read.
#[test]
fn bare_samples_are_bare() {
    for sample in samples() {
        let Schema::Record(record) = schema_of(sample.kind).unwrap() else {
            panic!("an event is a record");
        };
        for field in &record.fields {
            if matches!(field.schema, Schema::Union(_)) {
                let name = format!("{}.{}", sample.kind.name(), field.name);
                assert!(sample.bare_json[&field.name].is_null(), "{name}");
                assert!(!sample.full_json[&field.name].is_null(), "{name}");
            }
        }
    }
}

/// Files are named after their record, which is in the namespace of all.
#[test]
fn schemas_are_named_as_their_events() {
    for sample in samples() {
        let name = schema_of(sample.kind).unwrap().name().unwrap();
        assert_eq!(name.name(), sample.kind.name());
        assert_eq!(name.namespace(), Some("mneme.v1"));
    }
}

struct Walk<'a> {
    resolved: &'a ResolvedSchema<'a>,
    /// Whether nulls and empty lists are fine: what is not there can't be compared.
    allow_empty: bool,
}

impl Walk<'_> {
    fn compare(&self, path: &str, schema: &Schema, value: &Value) {
        let is = |fits: bool| assert!(fits, "{path}: {value} is not of {schema:?}");
        match schema {
            Schema::Record(record) => {
                let object = value
                    .as_object()
                    .unwrap_or_else(|| panic!("{path}: {value}"));
                let fields: BTreeSet<&str> = record
                    .fields
                    .iter()
                    .map(|field| field.name.as_str())
                    .collect();
                let names: BTreeSet<&str> = object.keys().map(String::as_str).collect();
                assert_eq!(
                    fields, names,
                    "{path}: fields of the schema and of the struct"
                );
                for field in &record.fields {
                    let path = format!("{path}.{}", field.name);
                    self.compare(&path, &field.schema, &value[&field.name]);
                }
            }
            Schema::Union(union) => {
                assert_eq!(union.variants().len(), 2, "{path}");
                assert_eq!(union.variants()[0], Schema::Null, "{path}");
                if !value.is_null() {
                    self.compare(path, &union.variants()[1], value);
                } else {
                    assert!(self.allow_empty, "{path} is not set in the full sample");
                }
            }
            Schema::Array(array) => {
                let members = value
                    .as_array()
                    .unwrap_or_else(|| panic!("{path}: {value}"));
                assert!(self.allow_empty || !members.is_empty(), "{path} is empty");
                for member in members {
                    // Members show what may be absent too.
                    let walk = Walk {
                        resolved: self.resolved,
                        allow_empty: true,
                    };
                    walk.compare(&format!("{path}[]"), &array.items, member);
                }
            }
            Schema::Map(map) => {
                let members = value
                    .as_object()
                    .unwrap_or_else(|| panic!("{path}: {value}"));
                assert!(self.allow_empty || !members.is_empty(), "{path} is empty");
                for member in members.values() {
                    self.compare(&format!("{path}[]"), &map.types, member);
                }
            }
            Schema::Enum(symbols) => {
                is(value
                    .as_str()
                    .is_some_and(|symbol| symbols.symbols.iter().any(|s| s == symbol)));
                assert!(
                    symbols.default.is_some(),
                    "{path}: an enum needs a default symbol"
                );
            }
            Schema::Ref { name } => self.compare(path, self.resolved.get_names()[name], value),
            Schema::Uuid(_) => {
                is(value.as_str().is_some_and(|text| text.len() == 36));
            }
            Schema::TimestampMicros => is(value.as_str().is_some_and(|text| text.ends_with('Z'))),
            Schema::String => is(value.is_string()),
            Schema::Boolean => is(value.is_boolean()),
            Schema::Int | Schema::Long => is(value.is_i64() || value.is_u64()),
            Schema::Double => is(value.is_f64()),
            Schema::Bytes => is(value.is_array()),
            other => panic!("{path}: no event has a {other:?}"),
        }
    }
}
