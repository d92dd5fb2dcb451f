//! The conformance cases of identity and erasure, as far as the resolver alone decides them: which
//! entities are, what is shown of them, and which ends the statements have.

use mneme_model::EntityId;
use serde_json::Value;

use super::world::{Named, World, extraction, push_mention, push_statement};
use crate::identity::name_key;

fn cases(file: &str) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance/cases");
    let text = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn tell(world: &mut World, episode: &Value) {
    let mut extracted = extraction(None, text(&episode["episode_id"]));
    for fact in list(&episode["facts"]) {
        let named = |end: &str| Named {
            name: text(&fact[end]).to_owned(),
            entity_type: fact[format!("{end}_type")].as_str().map(str::to_owned),
            ..Named::default()
        };
        let subject = push_mention(&mut extracted, &named("subject"));
        let (object, value) = if fact["value"].is_null() {
            (Some(push_mention(&mut extracted, &named("object"))), None)
        } else {
            let value = mneme_model::Literal::string(fact["value"].to_string());
            (None, Some(value))
        };
        push_statement(
            &mut extracted,
            subject,
            text(&fact["relation"]),
            object,
            value,
        );
    }
    world.take(extracted);
}

/// Runs a case; `false` if it is about several groups.
fn run(world: &mut World, case: &Value) -> bool {
    if list(&case["steps"]).any(|step| step.get("erase_group").is_some()) {
        return false;
    }
    for step in list(&case["steps"]) {
        if let Some(episode) = step.get("episode") {
            tell(world, episode);
        } else if let Some(episodes) = step.get("episodes") {
            list(episodes).for_each(|episode| tell(world, episode));
        } else if let Some(merge) = step.get("merge") {
            world.merge(text(&merge["from"]), text(&merge["into"]));
        } else if let Some(split) = step.get("split") {
            let episodes: Vec<&str> = list(&split["episodes"]).map(text).collect();
            world.split(text(&split["entity"]), &episodes);
        } else if let Some(erase) = step.get("erase_episode") {
            world.erase(text(&erase["episode_id"]));
        }
        world.check();
    }
    true
}

/// The entities that have a name, canonical or other.
fn called(world: &World, name: &str) -> Vec<EntityId> {
    let key = name_key(name);
    let is_called = |one: &String| name_key(one) == key;
    world
        .entities
        .iter()
        .filter(|(_, row)| is_called(&row.name) || row.aliases.iter().any(is_called))
        .map(|(id, _)| *id)
        .collect()
}

fn check_entities(world: &World, expected: &Value, id: &str) {
    if let Some(names) = expected["exactly"].as_array() {
        let mut wanted: Vec<String> = names.iter().map(|name| name_key(text(name))).collect();
        let mut found: Vec<String> = world.names().iter().map(|name| name_key(name)).collect();
        wanted.sort();
        found.sort();
        assert_eq!(found, wanted, "{id}");
    }
    if let Some(count) = expected["count"].as_u64() {
        assert_eq!(
            world.entities.len() as u64,
            count,
            "{id}: {:?}",
            world.names()
        );
    }
    for (name, aliases) in expected["aliases"].as_object().into_iter().flatten() {
        let entity = called(world, name);
        for alias in list(aliases) {
            assert_eq!(called(world, text(alias)), entity, "{id}");
        }
    }
    for (name, entity_type) in expected["types"].as_object().into_iter().flatten() {
        let row = &world.entities[&called(world, name)[0]];
        assert_eq!(row.entity_type.as_deref(), entity_type.as_str(), "{id}");
    }
}

/// Each fact that must be there has a statement with these ends.
fn check_facts(world: &World, expected: &Value, id: &str) {
    for row in list(&expected["exactly"]).chain(list(&expected["contains"])) {
        let subjects = called(world, text(&row[0]));
        let objects = called(world, text(&row[2]));
        let is_said = world.statements.values().any(|said| {
            said.relation == text(&row[1])
                && subjects.contains(&said.subject.entity_id)
                && said
                    .object
                    .as_ref()
                    .is_some_and(|end| objects.contains(&end.entity_id))
        });
        assert!(is_said, "{id}: {row}");
    }
}

#[test]
fn the_cases_of_identity_and_erasure() {
    let mut checked = 0;
    for file in ["identity.json", "erasure.json"] {
        for case in cases(file) {
            let id = text(&case["id"]);
            let mut world = World::new();
            if !run(&mut world, &case) {
                continue;
            }
            for expected in list(&case["expect"]) {
                if expected.get("entities").is_some() {
                    check_entities(&world, expected, id);
                    checked += 1;
                }
                if expected.get("facts").is_some() {
                    check_facts(&world, expected, id);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 40, "{checked}");
}
