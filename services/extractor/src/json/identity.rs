//! Which entity an object is: its type, its id and its name, and which of its fields said so.
//!
//! An id that is only a number counts within its kind of record, so it is written with that kind
//! before it (`account:101`); other ids are taken as they are. An e-mail address is an id of a
//! person that has no other.

use mneme_model::Ontology;
use serde_json::Value;

use super::field;
use super::fields::{Field, find, is_any};
use crate::draft::Named;

const TYPES: &[&str] = &[
    "type",
    "object type",
    "entity type",
    "record type",
    "resource type",
    "object",
    "kind",
];
const IDS: &[&str] = &["id", "uuid", "guid", "identifier"];
const RECORD_IDS: &[&str] = &["external id", "number", "key", "slug"];
const NAMES: &[&str] = &["name", "full name", "fullname", "display name"];
const FIRST_NAMES: &[&str] = &["first name", "firstname", "given name"];
const LAST_NAMES: &[&str] = &["last name", "lastname", "family name", "surname"];
const TITLES: &[&str] = &["title", "subject", "label", "username", "login"];
const EMAILS: &[&str] = &["email", "email address", "e mail", "mail"];

/// An object as an entity.
#[derive(Debug)]
pub(super) struct Identity {
    pub named: Named,
    /// The indexes of the fields that are part of the identity and so no facts.
    pub used: Vec<usize>,
}

/// The entity that an object is; `None` where it has neither id nor name. `parent_field` is the
/// field that holds the object, none for a record of its own.
pub(super) fn identity(
    fields: &[Field<'_>],
    parent_field: Option<&[String]>,
    ontology: &Ontology,
) -> Option<Identity> {
    let mut used = Vec::new();
    let mut entity_type = None;
    if let Some((index, text)) = find(fields, TYPES).filter(|(_, text)| is_type_name(text)) {
        entity_type = Some(known_type(&text, ontology));
        used.push(index);
    }
    let kind = entity_type
        .as_deref()
        .map(|name| field::words(name).join("_"))
        .or_else(|| parent_field.map(|words| words.join("_")));
    let id = find_id(fields, parent_field, kind.as_deref(), &mut used);
    let name = find_name(fields, &mut used, &mut entity_type, ontology);
    let email = find(fields, EMAILS).map(|(_, text)| text.trim().to_lowercase());
    let email = email.filter(|email| is_email(email));
    let is_person = entity_type
        .as_deref()
        .is_none_or(|name| name.eq_ignore_ascii_case("person") || kind_of_person(name));

    let name = match (&name, &id, &email) {
        (Some(name), _, _) => name.clone(),
        (None, Some(id), _) => match (&entity_type, parent_field) {
            (Some(entity_type), None) => format!("{entity_type} {}", id.text),
            (None, None) if is_local(&id.text) => return None,
            _ => id.text.clone(),
        },
        (None, None, Some(email)) if parent_field.is_some() || entity_type.is_some() => {
            email.clone()
        }
        _ => return None,
    };
    let external_id = match id {
        Some(id) => external_id(&id.text, id.kind.as_deref().or(kind.as_deref())),
        None => email.filter(|_| is_person),
    };
    Some(Identity {
        named: Named {
            name,
            entity_type,
            external_id,
        },
        used,
    })
}

/// The external id of a record: its id, with the kind of record before it where the id is only a
/// number. `None` for a number of unknown kind.
pub(super) fn external_id(id: &str, kind: Option<&str>) -> Option<String> {
    match (is_local(id), kind) {
        (false, _) => Some(id.to_owned()),
        (true, Some(kind)) => Some(format!("{kind}:{id}")),
        (true, None) => None,
    }
}

/// Whether an id counts only within its kind of record.
fn is_local(id: &str) -> bool {
    id.len() < 12 && id.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text of an id; `None` for what can't be one.
pub(super) fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !mneme_model::is_blank(text) => Some(text.trim().to_owned()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}

struct Id {
    text: String,
    /// The kind of record that the field itself names.
    kind: Option<String>,
}

fn find_id(
    fields: &[Field<'_>],
    parent_field: Option<&[String]>,
    kind: Option<&str>,
    used: &mut Vec<usize>,
) -> Option<Id> {
    if let Some(text) = take_id(fields, used, |words| is_any(words, IDS)) {
        return Some(Id { text, kind: None });
    }
    // `contact_id` in a contact, or the only reference in an object that has no id.
    let of_kind = |words: &[String]| {
        field::reference_stem(words).is_some_and(|stem| Some(stem.join("_").as_str()) == kind)
    };
    if let Some(text) = take_id(fields, used, of_kind) {
        return Some(Id { text, kind: None });
    }
    if parent_field.is_some() {
        let mut references = fields
            .iter()
            .enumerate()
            .filter_map(|(index, field)| Some((index, field::reference_stem(&field.words)?)));
        if let (Some((index, stem)), None) = (references.next(), references.next())
            && let Some(text) = id_text(fields[index].value)
        {
            used.push(index);
            let kind = Some(stem.join("_"));
            return Some(Id { text, kind });
        }
        return None;
    }
    take_id(fields, used, |words| is_any(words, RECORD_IDS)).map(|text| Id { text, kind: None })
}

fn take_id(
    fields: &[Field<'_>],
    used: &mut Vec<usize>,
    fits: impl Fn(&[String]) -> bool,
) -> Option<String> {
    let (index, text) = fields.iter().enumerate().find_map(|(index, field)| {
        let fits = fits(&field.words) && !used.contains(&index);
        fits.then(|| Some((index, id_text(field.value)?)))?
    })?;
    used.push(index);
    Some(text)
}

fn find_name(
    fields: &[Field<'_>],
    used: &mut Vec<usize>,
    entity_type: &mut Option<String>,
    ontology: &Ontology,
) -> Option<String> {
    let first = find(fields, FIRST_NAMES);
    let last = find(fields, LAST_NAMES);
    if let (Some((first_index, first)), Some((last_index, last))) = (&first, &last) {
        used.extend([*first_index, *last_index]);
        if entity_type.is_none() {
            *entity_type = Some(known_type("Person", ontology));
        }
        if let Some((index, name)) = find(fields, NAMES) {
            used.push(index);
            return Some(name);
        }
        return Some(format!("{first} {last}"));
    }
    for names in [NAMES, TITLES] {
        for name in names {
            if let Some((index, text)) = find(fields, &[name]) {
                used.push(index);
                return Some(text);
            }
        }
    }
    None
}

/// Whether a text can be the name of a type: a word or two, no sentence and no event's name.
fn is_type_name(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-');
    text.chars().count() <= 40
        && text.chars().all(fits)
        && text.chars().any(char::is_alphabetic)
        && text.split_whitespace().count() <= 3
}

/// A type in the ontology's spelling, where it has it.
fn known_type(text: &str, ontology: &Ontology) -> String {
    let folded = field::words(text).concat();
    ontology
        .entities
        .keys()
        .find(|name| field::words(name).concat() == folded)
        .cloned()
        .unwrap_or_else(|| text.to_owned())
}

fn kind_of_person(entity_type: &str) -> bool {
    const PEOPLE: &[&str] = &[
        "contact", "user", "employee", "lead", "customer", "member", "agent",
    ];
    PEOPLE
        .iter()
        .any(|person| person.eq_ignore_ascii_case(entity_type))
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains('@') && !text.contains(' ')
    })
}
