//! Filters: understood whole or refused, and what each operator means.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by a panic; helpers of tests are not known as such to the lint"
)]

use std::collections::BTreeMap;

use mneme_model::Instant;
use mneme_stores::filter::Filtered;
use mneme_stores::{Filter, FilterField};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A subject with some fields.
#[derive(Default)]
struct Subject(BTreeMap<&'static str, Vec<Value>>);

impl Subject {
    fn with(mut self, field: &'static str, values: &[Value]) -> Self {
        self.0.insert(field, values.to_vec());
        self
    }
}

impl Filtered for Subject {
    fn times(&self, field: &FilterField) -> Vec<Instant> {
        let name = match field {
            FilterField::ValidAt => "valid_at",
            FilterField::InvalidAt => "invalid_at",
            _ => "reference_time",
        };
        let values = self.0.get(name).cloned().unwrap_or_default();
        let texts = values.iter().filter_map(Value::as_str);
        texts.map(|text| text.parse().unwrap()).collect()
    }

    fn values(&self, field: &FilterField) -> Vec<Value> {
        let name = match field {
            FilterField::Metadata(name) => name.as_str(),
            FilterField::Relation => "relation",
            FilterField::EntityType => "entity_type",
            _ => "source",
        };
        self.0.get(name).cloned().unwrap_or_default()
    }
}

fn passes(filter: Value, subject: &Subject) -> bool {
    Filter::parse(&filter).unwrap().passes(subject)
}

#[test]
fn what_is_not_understood_is_refused_by_its_place() {
    for (filter, place) in [
        (json!(null), "filter: must be an object"),
        (json!({}), "filter: must be an object with one key"),
        (json!([]), "filter: must be an object"),
        (
            json!({"and": [], "or": []}),
            "filter: must be an object with one key",
        ),
        (json!({"xor": []}), "filter.xor: is no field"),
        (
            json!({"no_such_field": {"eq": 1}}),
            "filter.no_such_field: is no field",
        ),
        (
            json!({"metadata.": {"eq": 1}}),
            "filter.metadata.: is no field",
        ),
        (
            json!({"metadata": {"eq": 1}}),
            "filter.metadata: is no field",
        ),
        (
            json!({"and": {"relation": {"eq": "x"}}}),
            "filter.and: must be a list",
        ),
        (
            json!({"or": [{"relation": {"eq": "x"}}, 3]}),
            "filter.or[1]: must be an object",
        ),
        (json!({"not": []}), "filter.not: must be an object"),
        (
            json!({"metadata.level": 3}),
            "filter.metadata.level: must be an object",
        ),
        (
            json!({"metadata.level": {}}),
            "filter.metadata.level: must be an object",
        ),
        (
            json!({"metadata.level": {"near": 3}}),
            "filter.metadata.level.near: is no operator",
        ),
        (
            json!({"metadata.mood": {"in": "urgent"}}),
            "filter.metadata.mood.in: must be a list",
        ),
        (
            json!({"metadata.mood": {"eq": ["urgent"]}}),
            "filter.metadata.mood.eq: must be text",
        ),
        (
            json!({"metadata.mood": {"in": [{}]}}),
            "filter.metadata.mood.in: must be text",
        ),
        (
            json!({"valid_at": {"gt": 2024}}),
            "filter.valid_at.gt: must be a time",
        ),
        (
            json!({"valid_at": {"gt": null}}),
            "filter.valid_at.gt: must be a time",
        ),
        (
            json!({"reference_time": {"lt": "soon"}}),
            "filter.reference_time.lt: 'soon' is not",
        ),
        (
            json!({"not": {"and": [{"or": [{"relation": {"like": "x"}}]}]}}),
            "filter.not.and[0].or[0].relation.like: is no operator",
        ),
    ] {
        let error = Filter::parse(&filter).unwrap_err();
        assert!(error.0.starts_with(place), "{filter}: {}", error.0);
    }
}

#[test]
fn nesting_has_an_end() {
    let nested = |levels: usize| {
        (0..levels).fold(
            json!({"relation": {"eq": "x"}}),
            |inner, _| json!({"not": inner}),
        )
    };
    assert!(Filter::parse(&nested(Filter::MAX_DEPTH)).is_ok());
    let error = Filter::parse(&nested(Filter::MAX_DEPTH + 1)).unwrap_err();
    assert!(error.0.contains("nested too deep"), "{}", error.0);
}

#[test]
fn operators_compare_like_with_like() {
    let subject = Subject::default()
        .with("level", &[json!(30)])
        .with("mood", &[json!("urgent")])
        .with("open", &[json!(true)])
        .with("owner", &[json!(null)])
        .with("ticket", &[json!(9_007_199_254_740_993_i64)]);
    for (filter, expected) in [
        (json!({"metadata.level": {"eq": 30}}), true),
        (json!({"metadata.level": {"eq": 30.0}}), true),
        (json!({"metadata.level": {"eq": "30"}}), false),
        (json!({"metadata.level": {"ne": "30"}}), true),
        (json!({"metadata.level": {"lt": 30}}), false),
        (json!({"metadata.level": {"lte": 30}}), true),
        (json!({"metadata.level": {"gt": 29.5}}), true),
        (json!({"metadata.level": {"gte": 30.5}}), false),
        (json!({"metadata.level": {"gt": "2"}}), false),
        (json!({"metadata.level": {"gt": 10, "lt": 20}}), false),
        (json!({"metadata.level": {"gt": 10, "lt": 40}}), true),
        (
            json!({"metadata.ticket": {"eq": 9_007_199_254_740_992_i64}}),
            false,
        ),
        (
            json!({"metadata.ticket": {"gt": 9_007_199_254_740_992_i64}}),
            true,
        ),
        (json!({"metadata.mood": {"eq": "Urgent"}}), false),
        (json!({"metadata.mood": {"in": ["calm", "urgent"]}}), true),
        (json!({"metadata.mood": {"in": []}}), false),
        (json!({"metadata.mood": {"nin": ["calm", "urgent"]}}), false),
        (json!({"metadata.mood": {"nin": []}}), true),
        (json!({"metadata.mood": {"gt": "calm"}}), true),
        (json!({"metadata.open": {"eq": true}}), true),
        (json!({"metadata.open": {"eq": 1}}), false),
        (json!({"metadata.owner": {"eq": null}}), true),
        (json!({"metadata.owner": {"ne": null}}), false),
    ] {
        assert_eq!(passes(filter.clone(), &subject), expected, "{filter}");
    }
}

#[test]
fn what_is_absent_matches_only_ne_and_nin() {
    let nothing = Subject::default();
    for field in ["metadata.level", "relation", "entity_type", "source"] {
        for (operator, operand, expected) in [
            ("eq", json!("x"), false),
            ("ne", json!("x"), true),
            ("in", json!(["x"]), false),
            ("nin", json!(["x"]), true),
            ("lt", json!("x"), false),
            ("gte", json!("x"), false),
        ] {
            let filter = json!({field: {operator: operand}});
            assert_eq!(passes(filter.clone(), &nothing), expected, "{filter}");
        }
    }
    assert!(!passes(json!({"metadata.owner": {"eq": null}}), &nothing));
    assert!(!passes(json!({"invalid_at": {"gt": "2020"}}), &nothing));
    assert!(passes(json!({"invalid_at": {"ne": "2020"}}), &nothing));
}

#[test]
fn times_are_compared_as_instants() {
    let subject = Subject::default()
        .with("valid_at", &[json!("2024-03-01T08:00:00Z")])
        .with("since", &[json!("2024-03-01")])
        .with("version", &[json!("10.2")]);
    for (filter, expected) in [
        (
            json!({"valid_at": {"eq": "2024-03-01T10:00:00+02:00"}}),
            true,
        ),
        (json!({"valid_at": {"gte": "2024-03"}}), true),
        (json!({"valid_at": {"lt": "2024-03-01"}}), false),
        (
            json!({"valid_at": {"in": ["2023", "2024-03-01T08:00:00Z"]}}),
            true,
        ),
        (
            json!({"metadata.since": {"eq": "2024-03-01T00:00:00Z"}}),
            true,
        ),
        (
            json!({"metadata.since": {"lt": "2024-03-01T00:30:00+01:00"}}),
            false,
        ),
        (
            json!({"metadata.since": {"gt": "2024-02-28T23:00:00-05:00"}}),
            true,
        ),
        (json!({"metadata.version": {"lt": "9.1"}}), true),
    ] {
        assert_eq!(passes(filter.clone(), &subject), expected, "{filter}");
    }
}

#[test]
fn any_of_several_values_may_match() {
    let subject = Subject::default()
        .with("reference_time", &[json!("2021"), json!("2023")])
        .with("entity_type", &[json!("Person"), json!("Thing")]);
    for (filter, expected) in [
        (json!({"reference_time": {"lt": "2022"}}), true),
        (json!({"reference_time": {"gt": "2022"}}), true),
        (json!({"reference_time": {"eq": "2022"}}), false),
        (json!({"entity_type": {"eq": "Thing"}}), true),
        (json!({"entity_type": {"ne": "Thing"}}), false),
        (json!({"entity_type": {"nin": ["Company"]}}), true),
    ] {
        assert_eq!(passes(filter.clone(), &subject), expected, "{filter}");
    }
}

#[test]
fn nothing_to_hold_is_true_and_nothing_to_choose_is_false() {
    let subject = Subject::default();
    assert!(passes(json!({"and": []}), &subject));
    assert!(!passes(json!({"or": []}), &subject));
    assert!(passes(json!({"not": {"or": []}}), &subject));
}

fn any_filter() -> impl Strategy<Value = Value> {
    let operator = prop::sample::select(vec!["eq", "ne", "lt", "lte", "gt", "gte"]);
    let leaf =
        (operator, 0..4).prop_map(|(operator, level)| json!({"metadata.level": {operator: level}}));
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|parts| json!({"and": parts})),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|parts| json!({"or": parts})),
            inner.prop_map(|part| json!({"not": part})),
        ]
    })
}

proptest! {
    #[test]
    fn the_laws_of_logic_hold(a in any_filter(), b in any_filter(), level in 0..4, is_set: bool) {
        let subject = if is_set {
            Subject::default().with("level", &[json!(level)])
        } else {
            Subject::default()
        };
        let holds = |filter: Value| passes(filter, &subject);
        let (a_holds, b_holds) = (holds(a.clone()), holds(b.clone()));
        prop_assert_eq!(holds(json!({"not": a})), !a_holds);
        prop_assert_eq!(holds(json!({"and": [a, b]})), a_holds && b_holds);
        prop_assert_eq!(holds(json!({"or": [a, b]})), a_holds || b_holds);
    }

    #[test]
    fn any_json_is_read_or_refused(text in "\\PC{0,60}", number: i64) {
        for json in [json!(text), json!({ text.clone(): {"eq": number} }), json!({"and": [text]})] {
            let _ = Filter::parse(&json);
        }
    }
}
