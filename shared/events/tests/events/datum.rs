//! Records whose schema is named by a registry.

use mneme_events::{DatumReader, EventKind, SchemaTextError, encode, encode_datum, schema_texts};

use crate::samples::samples;

fn text_of(kind: EventKind) -> &'static str {
    schema_texts(kind).pop().unwrap()
}

#[test]
fn every_event_is_read_by_the_text_of_its_schema() {
    for sample in samples() {
        let reader = DatumReader::of_schema_text(text_of(sample.kind)).unwrap();
        for event in [&sample.full, &sample.bare] {
            let named = encode_datum(event, b"name").unwrap();
            let datum = named.strip_prefix(b"name").unwrap();
            assert_eq!(datum, &encode(event).unwrap()[10..]);
            assert_eq!(&reader.decode(datum).unwrap(), event);
            assert!(reader.decode(&datum[..datum.len() - 1]).is_err());
            assert!(reader.decode(&[datum, &[0]].concat()).is_err());
        }
    }
}

/// A later version has a field more.
#[test]
fn a_schema_from_the_future_is_read_as_far_as_it_is_known() {
    for sample in samples() {
        let mut schema: serde_json::Value = serde_json::from_str(text_of(sample.kind)).unwrap();
        let field = serde_json::json!({ "name": "from_tomorrow", "type": "long", "default": 0 });
        schema["fields"].as_array_mut().unwrap().push(field);
        let reader = DatumReader::of_schema_text(&schema.to_string()).unwrap();
        let mut datum = encode_datum(&sample.full, &[]).unwrap();
        assert!(reader.decode(&datum).is_err());
        datum.push(2);
        assert_eq!(reader.decode(&datum).unwrap(), sample.full);
    }
}

#[test]
fn other_texts_are_refused() {
    let refused = |text: &str| DatumReader::of_schema_text(text).err().unwrap();
    assert_eq!(refused("{"), SchemaTextError::Malformed);
    let order = r#"{"type":"record","name":"Order","namespace":"acme","fields":[]}"#;
    let unknown = SchemaTextError::UnknownEvent("acme.Order".to_owned());
    assert_eq!(refused(order), unknown);
    assert_eq!(
        refused(r#""string""#),
        SchemaTextError::UnknownEvent(String::new())
    );
}

/// A record of our name that lacks a field of ours does not decode, and is no panic.
#[test]
fn a_schema_that_does_not_resolve_is_an_error() {
    let text = r#"{"type":"record","name":"EpisodeErased","namespace":"mneme.v1",
        "fields":[{"name":"other","type":"string"}]}"#;
    let reader = DatumReader::of_schema_text(text).unwrap();
    let datum = [10, b'v', b'a', b'l', b'u', b'e'];
    assert!(reader.decode(&datum).is_err());
}
