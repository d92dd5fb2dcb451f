//! The pairs of names with a right answer.

use super::world::{World, named};

#[test]
fn every_pair_is_one_or_two_as_it_should() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/conformance/cases/names.json"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let pairs: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert!(pairs.len() > 60);
    let mut wrong = Vec::new();
    for pair in &pairs {
        let end = |name: &str| {
            let mut end = named(pair[name].as_str().unwrap());
            end.entity_type = pair[format!("{name}_type")].as_str().map(str::to_owned);
            end
        };
        let expected = if pair["same"] == true { 1 } else { 2 };
        for (first, second) in [("a", "b"), ("b", "a")] {
            let mut world = World::new();
            world.mentions("e1", &[end(first)]);
            world.mentions("e2", &[end(second)]);
            world.check();
            if world.entities.len() != expected {
                wrong.push(format!("{} / {}: {}", pair["a"], pair["b"], pair["why"]));
            }
        }
        let mut world = World::new();
        world.mentions("e1", &[end("a"), end("b")]);
        if world.entities.len() != expected {
            wrong.push(format!("in one episode: {} / {}", pair["a"], pair["b"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
