//! An import that is the same each time: twenty people who change employers and cities, spread over
//! a few groups. No two statements of a slot start at one instant, so what follows from all of them
//! does not depend on the order in which they arrive.

use serde_json::{Value, json};

use crate::Dice;

/// The groups of the import.
pub const GROUPS: [&str; 4] = ["crash-north", "crash-east", "crash-south", "crash-west"];

const PEOPLE: usize = 20;
const FIRMS: [&str; 7] = [
    "Alder Mills",
    "Brine Works",
    "Cinder Press",
    "Dune Freight",
    "Ember Glass",
    "Fathom Labs",
    "Gorse Dairy",
];
const CITIES: [&str; 6] = ["Arnhem", "Bergen", "Cork", "Dijon", "Evora", "Faro"];

/// One employer and one home at a time.
pub fn ontology() -> Value {
    json!({"relations": {
        "WORKS_AT": {"cardinality": "one_per_subject"},
        "LIVES_IN": {"cardinality": "one_per_subject"},
    }})
}

/// So many episodes, group by turns; each is about one person and begins a minute after the last.
pub fn episodes(count: usize) -> Vec<Value> {
    let mut dice = Dice::new(2_026);
    (0..count)
        .map(|number| episode(number, &mut dice))
        .collect()
}

fn episode(number: usize, dice: &mut Dice) -> Value {
    let group = GROUPS[number % GROUPS.len()];
    let person = format!("Person {}", letters(dice.below(PEOPLE as u64) as usize));
    let at = instant(number);
    let mut facts = Vec::new();
    if dice.below(2) == 0 {
        facts.push(statement(
            &person,
            "WORKS_AT",
            dice.one_of(&FIRMS),
            "Organization",
            &at,
        ));
    }
    if facts.is_empty() || dice.below(3) == 0 {
        facts.push(statement(
            &person,
            "LIVES_IN",
            dice.one_of(&CITIES),
            "City",
            &at,
        ));
    }
    if dice.below(10) == 0 {
        facts.push(json!({
            "subject": person, "subject_type": "Person", "relation": "MET",
            "object": dice.one_of(&FIRMS), "object_type": "Organization",
            "fact": format!("{person} met them"), "valid_at": at, "polarity": "holds",
        }));
    }
    json!({
        "group_id": group, "episode_id": format!("import-{number:05}"), "source": "facts",
        "reference_time": at, "facts": facts,
    })
}

fn statement(person: &str, relation: &str, object: &str, kind: &str, at: &str) -> Value {
    json!({
        "subject": person, "subject_type": "Person", "relation": relation,
        "object": object, "object_type": kind,
        "fact": format!("{person} is with {object}"), "valid_at": at,
    })
}

/// A name without digits or single letters, so that no two people are variants of one name.
fn letters(number: usize) -> String {
    const SYLLABLES: [&str; 5] = ["Bal", "Dor", "Fen", "Gul", "Mir"];
    format!(
        "{}{}a",
        SYLLABLES[number / 5],
        SYLLABLES[number % 5].to_lowercase()
    )
}

fn instant(number: usize) -> String {
    let (day, hour, minute) = (number / 1440, number / 60 % 24, number % 60);
    format!("2020-01-{:02}T{hour:02}:{minute:02}:00Z", day + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_import_is_the_same_each_time_and_no_start_is_twice_in_a_slot() {
        let import = episodes(2_000);
        assert_eq!(import, episodes(2_000));
        let mut starts = BTreeSet::new();
        for episode in &import {
            for fact in episode["facts"].as_array().unwrap() {
                let key = [
                    &episode["group_id"],
                    &fact["subject"],
                    &fact["relation"],
                    &fact["valid_at"],
                ];
                assert!(starts.insert(key.map(Value::to_string)), "{key:?}");
            }
        }
    }
}
