//! The walk through a record: from its fields to mentions and statements.

use mneme_model::{Literal, LiteralKind, Ontology, Polarity, TimePoint, is_blank};
use serde_json::{Map, Value};

use super::fields::{
    Field, fields, is_name_of_reference, is_named_by_sibling, sibling_name, take_time, unwrapped,
};
use super::identity::{Identity, external_id, id_text, identity};
use super::{MAX_DEPTH, field};
use crate::draft::{Draft, Named, Object, Statement};

/// Reads records into a draft.
pub(super) struct RecordReader<'r> {
    draft: &'r mut Draft,
    ontology: &'r Ontology,
}

/// The field at hand: its path from the entity on, and whether it holds one value at a time.
#[derive(Clone, Copy)]
struct Place<'p> {
    subject: i32,
    path: &'p [String],
    exclusive: bool,
    depth: usize,
}

impl<'r> RecordReader<'r> {
    pub(super) fn new(draft: &'r mut Draft, ontology: &'r Ontology) -> Self {
        Self { draft, ontology }
    }

    /// Reads a record, a list of records, or an envelope around them.
    pub(super) fn read(&mut self, value: &Value) {
        self.records(value, 0);
    }

    fn records(&mut self, value: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            return self.note_depth();
        }
        match value {
            Value::Array(items) => {
                for item in items {
                    self.records(item, depth + 1);
                }
            }
            Value::Object(object) => self.record(object, depth),
            _ => self
                .draft
                .note("dropped: a value that belongs to no entity"),
        }
    }

    fn record(&mut self, object: &Map<String, Value>, depth: usize) {
        let fields = fields(object);
        if let Some(identity) = identity(&fields, None, self.ontology) {
            if let Some(subject) = self.draft.mention(identity.named, None) {
                self.fields(subject, &fields, &identity.used, &[], depth);
            }
            return;
        }
        for field in &fields {
            match field.value {
                Value::Null => {}
                Value::Object(_) | Value::Array(_) => self.records(field.value, depth + 1),
                _ if field::is_bookkeeping(&field.words) => {}
                _ => self
                    .draft
                    .note("dropped: a value that belongs to no entity"),
            }
        }
    }

    /// The fields of an entity, or of an object that is part of it and lies at `path`.
    fn fields(
        &mut self,
        subject: i32,
        fields: &[Field<'_>],
        used: &[usize],
        path: &[String],
        depth: usize,
    ) {
        for (index, field) in fields.iter().enumerate() {
            if used.contains(&index) || field::is_bookkeeping(&field.words) {
                continue;
            }
            let path = [path, &field.words].concat();
            let place = Place {
                subject,
                path: &path,
                exclusive: true,
                depth,
            };
            if let Some(stem) = field::reference_stem(&field.words) {
                if !is_named_by_sibling(fields, stem) {
                    self.references(place, field, stem, fields);
                }
            } else if !is_name_of_reference(fields, &field.words) {
                self.value(place, unwrapped(field.value));
            }
        }
    }

    fn value(&mut self, place: Place<'_>, value: &Value) {
        match value {
            Value::Null => {}
            Value::Object(object) if place.depth < MAX_DEPTH => self.object(place, object),
            Value::Array(items) if place.depth < MAX_DEPTH => {
                for item in items {
                    let place = Place {
                        exclusive: false,
                        depth: place.depth + 1,
                        ..place
                    };
                    match unwrapped(item) {
                        Value::Object(object)
                            if identity(&fields(object), Some(place.path), self.ontology)
                                .is_none() =>
                        {
                            let name = place.path.join("_");
                            self.draft.note(format!(
                                "dropped: objects without name and id in the list {name}"
                            ));
                        }
                        item => self.value(place, item),
                    }
                }
            }
            Value::Object(_) | Value::Array(_) => self.note_depth(),
            scalar => self.scalar(place, scalar),
        }
    }

    fn object(&mut self, place: Place<'_>, object: &Map<String, Value>) {
        let fields = fields(object);
        let Some(Identity {
            mut named,
            mut used,
        }) = identity(&fields, Some(place.path), self.ontology)
        else {
            return self.fields(place.subject, &fields, &[], place.path, place.depth + 1);
        };
        let relation = field::relation(place.path, self.ontology);
        if named.entity_type.is_none() {
            named.entity_type = object_type(&relation, self.ontology);
        }
        let valid_at = take_time(&fields, &mut used, field::is_since);
        let invalid_at = take_time(&fields, &mut used, field::is_until);
        let Some(object) = self.draft.mention(named, None) else {
            return;
        };
        self.relation(place, relation, object, valid_at, invalid_at);
        self.fields(object, &fields, &used, &[], place.depth + 1);
    }

    /// A field that refers to other records by their ids.
    fn references(
        &mut self,
        place: Place<'_>,
        field: &Field<'_>,
        stem: &[String],
        siblings: &[Field<'_>],
    ) {
        let ids: Vec<&Value> = match field.value {
            Value::Array(items) => items.iter().collect(),
            value => vec![value],
        };
        let path = &place.path[..place.path.len() - 1];
        let relation = field::relation(path, self.ontology);
        for id in &ids {
            let Some(id) = id_text(id) else {
                continue;
            };
            let name = sibling_name(siblings, stem).filter(|_| ids.len() == 1);
            let named = Named {
                name: name.unwrap_or_else(|| id.clone()),
                entity_type: object_type(&relation, self.ontology),
                external_id: external_id(&id, Some(&stem.join("_"))),
            };
            if let Some(object) = self.draft.mention(named, None) {
                let place = Place {
                    path,
                    exclusive: !field.value.is_array(),
                    ..place
                };
                self.relation(place, relation.clone(), object, None, None);
            }
        }
    }

    fn relation(
        &mut self,
        place: Place<'_>,
        relation: String,
        object: i32,
        valid_at: Option<TimePoint>,
        invalid_at: Option<TimePoint>,
    ) {
        let fact = format!(
            "{} {} {}",
            self.draft.name(place.subject),
            place.path.join(" "),
            self.draft.name(object)
        );
        self.draft.statement(Statement {
            subject: place.subject,
            relation,
            object: Object::Entity(object),
            fact,
            valid_at,
            invalid_at,
            polarity: Polarity::Holds,
            exclusive: place.exclusive,
            span: None,
        });
    }

    fn scalar(&mut self, place: Place<'_>, value: &Value) {
        let (text, kind) = match value {
            Value::String(text) => (text.clone(), LiteralKind::String),
            Value::Number(number) => (number.to_string(), LiteralKind::Number),
            Value::Bool(flag) => (flag.to_string(), LiteralKind::Boolean),
            _ => return,
        };
        if is_blank(&text) {
            return;
        }
        let relation = field::relation(place.path, self.ontology);
        if let (LiteralKind::String, Some(entity_type)) =
            (kind, object_type(&relation, self.ontology))
        {
            // The ontology says that such a field names an entity.
            let named = Named {
                name: text,
                entity_type: Some(entity_type),
                external_id: None,
            };
            if let Some(object) = self.draft.mention(named, None) {
                self.relation(place, relation, object, None, None);
            }
            return;
        }
        let fact = format!(
            "{} {}: {text}",
            self.draft.name(place.subject),
            place.path.join(" ")
        );
        self.draft.statement(Statement {
            subject: place.subject,
            relation,
            object: Object::Value(Literal { text, kind }),
            fact,
            valid_at: None,
            invalid_at: None,
            polarity: Polarity::Holds,
            exclusive: place.exclusive,
            span: None,
        });
    }

    fn note_depth(&mut self) {
        self.draft
            .note(format!("dropped: what lies deeper than {MAX_DEPTH} levels"));
    }
}

/// The type of the entities that are a relation's objects, where the ontology's signatures give one.
fn object_type(relation: &str, ontology: &Ontology) -> Option<String> {
    const VALUES: &[&str] = &[
        "boolean", "date", "integer", "literal", "number", "string", "text",
    ];
    let definition = ontology.relations.get(relation)?;
    let (first, others) = definition.signatures.split_first()?;
    let is_one = others.iter().all(|(_, object)| *object == first.1);
    let is_value = VALUES
        .iter()
        .any(|value| first.1.eq_ignore_ascii_case(value));
    (is_one && !is_value).then(|| first.1.clone())
}
