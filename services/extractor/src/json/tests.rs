use mneme_model::{LiteralKind, Ontology};

use super::*;
use crate::draft::Reading;

fn reading(body: &str, ontology: &str) -> Reading {
    let ontology: Ontology = serde_json::from_str(ontology).unwrap();
    let context = Context {
        ontology,
        ..Context::default()
    };
    let mut draft = Draft::default();
    read(&mut draft, body, &context);
    draft.finish()
}

/// Rows as `subject | RELATION | object`, a `*` before an object that is one of many.
fn rows(reading: &Reading) -> Vec<String> {
    let name = |ordinal: i32| reading.mentions[ordinal as usize].name.as_str();
    let row = |statement: &mneme_events::ExtractedStatement| {
        let object = match (&statement.object, &statement.value) {
            (Some(object), _) => format!("[{}]", name(*object)),
            (None, Some(value)) => value.text.clone(),
            (None, None) => String::new(),
        };
        let many = if statement.exclusive { "" } else { "*" };
        format!(
            "{} | {} | {many}{object}",
            name(statement.subject),
            statement.relation
        )
    };
    reading.statements.iter().map(row).collect()
}

#[track_caller]
fn check(body: &str, expected: &[&str]) -> Reading {
    let reading = reading(body, "{}");
    assert_eq!(rows(&reading), expected, "{body}");
    reading
}

#[test]
fn a_company_of_the_example() {
    let reading = check(
        r#"{"type": "Organization", "id": "acc-101", "name": "Saltmere Marina", "industry": "marina",
            "account_owner": {"type": "Person", "id": "u-11", "name": "Olga Renn"}, "plan": "Plus",
            "seats": 12, "tags": ["pier lighting", "storm watch"],
            "billing": {"currency": "EUR", "payment_terms_days": 30},
            "address": "1 Breakwater Row, Saltmere", "updated_at": "2026-01-05T08:30:00Z"}"#,
        &[
            "Saltmere Marina | INDUSTRY | marina",
            "Saltmere Marina | ACCOUNT_OWNER | [Olga Renn]",
            "Saltmere Marina | PLAN | Plus",
            "Saltmere Marina | SEATS | 12",
            "Saltmere Marina | TAGS | *pier lighting",
            "Saltmere Marina | TAGS | *storm watch",
            "Saltmere Marina | BILLING_CURRENCY | EUR",
            "Saltmere Marina | BILLING_PAYMENT_TERMS_DAYS | 30",
            "Saltmere Marina | ADDRESS | 1 Breakwater Row, Saltmere",
        ],
    );
    assert_eq!(reading.mentions[0].external_id.as_deref(), Some("acc-101"));
    assert_eq!(reading.mentions[1].external_id.as_deref(), Some("u-11"));
    assert_eq!(reading.mentions[1].entity_type.as_deref(), Some("Person"));
    assert_eq!(
        reading.statements[1].fact,
        "Saltmere Marina account owner Olga Renn"
    );
    assert_eq!(reading.statements[2].fact, "Saltmere Marina plan: Plus");
    let seats = reading.statements[3].value.as_ref().unwrap();
    assert_eq!(seats.kind, LiteralKind::Number);
    assert!(reading.notes.is_empty(), "{:?}", reading.notes);
}

#[test]
fn a_deal_refers_by_id() {
    let reading = check(
        r#"{"type": "Deal", "id": "deal-501", "name": "Pier 4 expansion", "account_id": "acc-101",
            "stage": "qualified", "amount": 18400, "owner_id": "u-11", "close_date": "2026-04-09"}"#,
        &[
            "Pier 4 expansion | ACCOUNT | [acc-101]",
            "Pier 4 expansion | STAGE | qualified",
            "Pier 4 expansion | AMOUNT | 18400",
            "Pier 4 expansion | OWNER | [u-11]",
            "Pier 4 expansion | CLOSE_DATE | 2026-04-09",
        ],
    );
    assert_eq!(reading.mentions[1].external_id.as_deref(), Some("acc-101"));
    assert_eq!(reading.mentions[1].entity_type, None);
}

#[test]
fn a_number_is_an_id_within_its_kind() {
    let reading = check(
        r#"{"type": "contact", "id": 5, "firstName": "Ann", "lastName": "Lee", "account_id": 5,
            "account_name": "Saltmere", "manager": {"id": 7, "name": "Bo"}, "manager_id": 7}"#,
        &["Ann Lee | ACCOUNT | [Saltmere]", "Ann Lee | MANAGER | [Bo]"],
    );
    let ids: Vec<_> = reading
        .mentions
        .iter()
        .map(|m| m.external_id.as_deref())
        .collect();
    assert_eq!(
        ids,
        [Some("contact:5"), Some("account:5"), Some("manager:7")]
    );
}

#[test]
fn wrapped_and_grouped_records() {
    check(
        r#"{"id": "901", "object": "company", "properties": {"name": "Acme", "domain": "acme.example"}}"#,
        &["Acme | DOMAIN | acme.example"],
    );
    check(
        r#"{"event": "contact.updated", "data": {"id": "c1", "name": "Ann", "city": "Ghent"}}"#,
        &["Ann | CITY | Ghent"],
    );
    check(
        r#"{"type": "article", "id": "a1", "attributes": {"title": "On tides"},
            "relationships": {"author": {"data": {"type": "Person", "id": "p9"}}}}"#,
        &["On tides | AUTHOR | [p9]"],
    );
    check(
        r#"[{"name": "Ann", "plan": "Plus"}, {"name": "Bo", "plan": "Basic"}]"#,
        &["Ann | PLAN | Plus", "Bo | PLAN | Basic"],
    );
}

#[test]
fn a_person_without_id_is_known_by_e_mail() {
    let reading = check(
        r#"{"name": "Ann Lee", "email": "Ann.Lee@Saltmere.example"}"#,
        &["Ann Lee | EMAIL | Ann.Lee@Saltmere.example"],
    );
    assert_eq!(
        reading.mentions[0].external_id.as_deref(),
        Some("ann.lee@saltmere.example")
    );
    let firm = check(
        r#"{"type": "Organization", "name": "Saltmere", "email": "office@saltmere.example"}"#,
        &["Saltmere | EMAIL | office@saltmere.example"],
    );
    assert_eq!(firm.mentions[0].external_id, None);
}

#[test]
fn times_inside_of_an_object_are_those_of_the_relation() {
    let reading = check(
        r#"{"name": "Ann", "company": {"name": "Saltmere", "since": "2019-04", "until": "2021", "size": 4},
            "jobs": [{"name": "Cook"}, {"name": "Baker", "start_date": "2020-01-02"}]}"#,
        &[
            "Ann | COMPANY | [Saltmere]",
            "Saltmere | SIZE | 4",
            "Ann | JOBS | *[Cook]",
            "Ann | JOBS | *[Baker]",
        ],
    );
    let since = reading.statements[0].valid_at.unwrap();
    assert_eq!(since.at.to_string(), "2019-04-01T00:00:00Z");
    assert!(reading.statements[0].invalid_at.is_some());
    assert!(reading.statements[3].valid_at.is_some());
}

#[test]
fn what_is_no_fact() {
    check(
        r#"{"name": "Ann", "phone": null, "fax": "", "note": "  ", "etag": "x", "_v": 3, "tags": []}"#,
        &[],
    );
    for (body, note) in [
        (r#"{"temperature": 21}"#, "belongs to no entity"),
        ("[1, 2]", "belongs to no entity"),
        ("{", "not JSON"),
        (
            r#"{"name": "Ann", "lines": [{"amount": 3}]}"#,
            "in the list lines",
        ),
    ] {
        let reading = reading(body, "{}");
        assert!(reading.statements.is_empty(), "{body}");
        assert!(reading.notes[0].contains(note), "{:?}", reading.notes);
    }
    let deep = format!("{}1{}", r#"{"name":"Ann","a":"#.repeat(40), "}".repeat(40));
    let reading = reading(&deep, "{}");
    assert!(reading.notes[0].contains("deeper"), "{:?}", reading.notes);
}

#[test]
fn the_ontology_says_what_is_an_entity_and_how_it_is_spelled() {
    let ontology = r#"{"relations": {"worksAt": {"signatures": [["Person", "Organization"]]}},
        "entities": {"Person": {}, "Organization": {}}}"#;
    let reading = reading(
        r#"{"type": "person", "name": "Ann", "works_at": "Acme"}"#,
        ontology,
    );
    assert_eq!(rows(&reading), ["Ann | worksAt | [Acme]"]);
    assert_eq!(reading.mentions[0].entity_type.as_deref(), Some("Person"));
    assert_eq!(
        reading.mentions[1].entity_type.as_deref(),
        Some("Organization")
    );
}

proptest::proptest! {
    #[test]
    fn any_json_is_read_and_twice_the_same(body in "[\\[\\]{}:,\"a-c0-9 ]{0,60}") {
        let first = reading(&body, "{}");
        let second = reading(&body, "{}");
        proptest::prop_assert_eq!(rows(&first), rows(&second));
        proptest::prop_assert_eq!(first.notes, second.notes);
    }
}
