use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

const FILE: &str = include_str!("../../../../examples/company/intake.toml");
const SAMPLES: &str = include_str!("../../../../examples/company/intake-samples.json");

#[derive(Deserialize)]
struct Sample {
    mapping: String,
    raw: Value,
    episode: Value,
}

#[test]
fn the_example_maps_its_samples_and_the_gateway_takes_them() {
    let mappings = Mappings::parse(FILE).unwrap();
    let samples: Vec<Sample> = serde_json::from_str(SAMPLES).unwrap();
    assert_eq!(samples.len(), mappings.iter().count());
    for sample in samples {
        let mapping = mappings.get(&sample.mapping).unwrap();
        let episode = mapping.apply(&sample.raw).unwrap();
        assert_eq!(
            serde_json::to_value(&episode).unwrap(),
            sample.episode,
            "{}",
            sample.mapping
        );
        crate::episode::statements_of(episode).unwrap();
    }
}

fn file(extra: &str) -> String {
    format!(
        r#"[[mapping]]
        name = "m"
        topic = "t"
        source = "json"
        group_id = "g"
        episode_id = "e-{{$.id}}"
        reference_time = "$.at"
        {extra}"#
    )
}

fn apply(extra: &str, record: Value) -> Result<EpisodeBody, IntakeError> {
    Mappings::parse(&file(extra))
        .unwrap()
        .get("t")
        .unwrap()
        .apply(&record)
}

#[test]
fn a_needed_key_that_is_missing_is_named() {
    let missing = |record| apply("", record).unwrap_err();
    assert_eq!(
        missing(json!({"at": 1})),
        IntakeError::Missing("episode_id".to_owned())
    );
    assert_eq!(
        missing(json!({"id": [1], "at": 1})),
        IntakeError::Missing("episode_id".to_owned())
    );
    assert_eq!(
        missing(json!({"id": 1})),
        IntakeError::Missing("reference_time".to_owned())
    );
    let named = apply(
        "[mapping.record]\ntype = \"Deal\"\nname = \"$.title\"",
        json!({"id": 1, "at": 1, "title": ""}),
    );
    assert_eq!(
        named.unwrap_err(),
        IntakeError::Missing("record.name".to_owned())
    );
    assert!(
        missing(json!({"id": 1, "at": "soon"}))
            .to_string()
            .starts_with("reference_time: ")
    );
}

#[test]
fn times_are_text_or_numbers() {
    for (given, expected) in [
        (json!("2024-03-01"), "2024-03-01T00:00:00Z"),
        (json!("2024-03-01T10:00:00+02:00"), "2024-03-01T08:00:00Z"),
        (json!(1_709_251_200), "2024-03-01T00:00:00Z"),
        (json!(1_709_251_200_000_i64), "2024-03-01T00:00:00Z"),
        (json!(1_709_251_200.5), "2024-03-01T00:00:00.5Z"),
    ] {
        let episode = apply("", json!({"id": 1, "at": given})).unwrap();
        assert_eq!(episode.reference_time.to_string(), expected);
    }
}

#[test]
fn relations_take_elements_and_leave_out_what_is_missing() {
    let extra = r#"
        [mapping.record]
        type = "Team"
        name = "$.title"
        ignore = ["$.secret"]
        [mapping.record.relations]
        '$["people of"][*]' = { relation = "HAS", type = "Person", name = "@.name", external_id = "x:{@.id}", valid_at = "@.since", fact = "{@.name} joined {$.title} as {@.role}" }
        "$.lead.first[0]" = { relation = "LED_BY", name = "@" }
    "#;
    let record = json!({
        "id": 1, "at": 0, "title": "Crew", "secret": "s", "creditLimit": 12.5, "nested": {"a": 1},
        "none": null, "lead": {"first": ["Ann"]},
        "people of": [
            {"id": 7, "name": "Bo", "since": "2020-01-01", "role": "cook"},
            {"id": 8}, {"name": "Cy"}, {}, null,
        ],
    });
    let facts = apply(extra, record).unwrap().facts.unwrap();
    let told: Vec<_> = facts
        .iter()
        .map(|fact| {
            let object = fact
                .object
                .clone()
                .or_else(|| Some(fact.value.as_ref()?.to_string()));
            (fact.relation.as_str(), object.unwrap(), fact.fact.as_str())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("LED_BY", "Ann".to_owned(), "Crew led by Ann"),
            ("HAS", "Bo".to_owned(), "Bo joined Crew as cook"),
            ("HAS", "x:8".to_owned(), "Crew has x:8"),
            ("HAS", "Cy".to_owned(), "Crew has Cy"),
            ("CREDIT_LIMIT", "12.5".to_owned(), "Crew credit limit: 12.5"),
        ]
    );
    assert_eq!(facts[2].object_external_id.as_deref(), Some("x:8"));
    assert_eq!(
        facts[1].valid_at,
        Some("2020-01-01T00:00:00Z".parse().unwrap())
    );
}

#[test]
fn a_file_that_breaks_a_rule_is_refused_with_the_key() {
    let refused = |text: &str| Mappings::parse(text).unwrap_err().to_string();
    assert!(refused(&file("colour = \"mauve\"")).contains("colour"));
    assert!(refused(&file("facts = \"$.facts\"")).contains("facts"));
    assert!(refused(&file("thread_id = \"$.\"")).contains("thread_id"));
    assert!(refused(&file("thread_id = \"@.x\"")).contains("@ exists only inside a relation"));
    assert!(refused(&file("").replace("\"json\"", "\"text\"")).contains("body"));
    assert!(refused(&format!("{}{}", file(""), file(""))).contains("another mapping"));
    let relation = |entry: &str| {
        file(&format!(
            "[mapping.record]\ntype = \"T\"\nname = \"n\"\n[mapping.record.relations]\n{entry}"
        ))
    };
    assert!(refused(&relation("\"$.a\" = { relation = \"$.b\" }")).contains("relation"));
    assert!(refused(&relation("\"@.a\" = { relation = \"R\" }")).contains("$"));
    assert!(refused(&relation("\"$.a\" = { relation = \"R\", type = \"T\" }")).contains("type"));
    assert!(refused(&relation("\"$.a[*].b\" = { relation = \"R\" }")).contains("path"));
}
