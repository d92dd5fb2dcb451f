//! Schemas as people read them: types in few words, records and enums by name.

use std::collections::BTreeMap;

use serde_json::Value;

/// What types are called, and the records and enums that are met on the way, by name.
#[derive(Default)]
pub struct Named(pub BTreeMap<String, Value>);

impl Named {
    /// Keeps all that is defined inside a type.
    pub fn collect(&mut self, of: &Value) {
        match of {
            Value::Array(branches) => branches.iter().for_each(|branch| self.collect(branch)),
            Value::Object(parts) => {
                if matches!(text(of, "type"), "record" | "enum") {
                    self.0.insert(text(of, "name").to_owned(), of.clone());
                }
                for part in ["items", "values", "type"] {
                    parts.get(part).iter().for_each(|inner| self.collect(inner));
                }
                for field in fields(of) {
                    self.collect(&field["type"]);
                }
            }
            _ => {}
        }
    }
}

/// A text of a definition; empty where it has none.
pub fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_default()
}

/// The fields of a record.
pub fn fields(of: &Value) -> &[Value] {
    of["fields"].as_array().map_or(&[], Vec::as_slice)
}

/// A type in few words. Records and enums are links to where they are told.
pub fn type_text(of: &Value) -> String {
    match of {
        Value::String(name) => named(name),
        Value::Array(branches) => match branches.as_slice() {
            [null, other] if null == "null" => format!("{}?", type_text(other)),
            _ => panic!("a union that is no optional value: {of}"),
        },
        _ => match (text(of, "type"), text(of, "logicalType")) {
            (_, "timestamp-micros") => "timestamp (µs)".to_owned(),
            ("array", _) => format!("list of {}", type_text(&of["items"])),
            ("map", _) => format!("map of string to {}", type_text(&of["values"])),
            ("record" | "enum" | "fixed", _) => named(text(of, "name")),
            (_, _) => type_text(&of["type"]),
        },
    }
}

fn named(name: &str) -> String {
    match name.rsplit('.').next().unwrap_or(name) {
        "Uuid" => "uuid".to_owned(),
        name if name.starts_with(char::is_uppercase) => link(name),
        primitive => primitive.to_owned(),
    }
}

/// A link to the section that has the name as its heading.
pub fn link(name: &str) -> String {
    let anchor = name.to_lowercase().replace('.', "");
    format!("[{name}](#{anchor})")
}

/// The rows of a table of a record's fields; what no field has is no column.
pub fn field_table<'a>(fields: impl Iterator<Item = &'a Value> + Clone) -> String {
    let has_defaults = fields.clone().any(|field| field.get("default").is_some());
    let mut table = match has_defaults {
        true => "| field | type | default | meaning |\n| --- | --- | --- | --- |\n".to_owned(),
        false => "| field | type | meaning |\n| --- | --- | --- |\n".to_owned(),
    };
    for field in fields {
        let doc = text(field, "doc").replace('|', "\\|");
        assert!(!doc.is_empty(), "a field without a doc text: {field}");
        let default = match (has_defaults, field.get("default")) {
            (true, Some(default)) => format!(" `{default}` |"),
            (true, None) => " |".to_owned(),
            (false, _) => String::new(),
        };
        let (name, of) = (text(field, "name"), type_text(&field["type"]));
        table.push_str(&format!("| `{name}` | {of} |{default} {doc} |\n"));
    }
    table
}
