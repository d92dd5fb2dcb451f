//! Entities by name: how many, which, and what they are like.

use std::collections::BTreeSet;

use mneme_model::NameKey;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{listed, read_all};
use crate::client::Client;
use crate::expectation::EntitiesWanted;
use crate::fields::text_of;
use crate::matching::{missing, pair};

/// An entity as the API gives it; only what is compared.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct StoredEntity {
    pub entity_id: String,
    pub name: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    attributes: Map<String, Value>,
}

impl StoredEntity {
    /// Its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    fn is_called(&self, name: &str) -> bool {
        let key = NameKey::of(name);
        self.names().any(|own| NameKey::of(own) == key)
    }
}

/// Reads all entities of a group.
pub(super) async fn read_entities(
    client: &Client,
    group: &str,
) -> Result<Vec<StoredEntity>, String> {
    read_all(
        client,
        &["v1", "groups", group, "entities"],
        &[],
        "entities",
    )
    .await
}

/// Reads a group's entities and compares.
pub(super) async fn check(
    client: &Client,
    group: &str,
    wanted: &EntitiesWanted,
) -> Result<(), String> {
    let entities = read_entities(client, group).await?;
    judge(wanted, &entities).map_err(|difference| format!("{difference} [{group}]"))
}

fn judge(wanted: &EntitiesWanted, entities: &[StoredEntity]) -> Result<(), String> {
    let came = || listed(entities.iter().map(|entity| format!("{:?}", entity.name)));
    let fits = |name: &String, index: usize| entities[index].is_called(name);
    if let Some(count) = wanted.count.filter(|&count| count != entities.len()) {
        return Err(format!(
            "expected {count} entities; came {}: {}",
            entities.len(),
            came()
        ));
    }
    if let Some(names) = &wanted.exactly {
        let pairs = pair(names.len(), entities.len(), |name, index| {
            fits(&names[name], index)
        });
        if names.len() != entities.len() || pairs.contains(&None) {
            return Err(format!("expected exactly {names:?}; came {}", came()));
        }
    }
    let absent = missing(
        wanted.contains.as_deref().unwrap_or_default(),
        entities.len(),
        fits,
    );
    if !absent.is_empty() {
        return Err(format!("expected {absent:?}; came {}", came()));
    }
    if let Some(name) = wanted
        .lacks
        .iter()
        .flatten()
        .find(|name| called(entities, name).is_some())
    {
        return Err(format!("expected no {name:?}; came {}", came()));
    }
    let details = [
        details(&wanted.aliases, entities, has_aliases),
        details(&wanted.types, entities, |entity, kind| {
            entity.kind.as_deref() == kind.as_str()
        }),
        details(&wanted.attributes, entities, has_attributes),
    ];
    details.into_iter().collect()
}

/// Compares something of the entities of these names; one of those called so must have it.
fn details(
    wanted: &Map<String, Value>,
    entities: &[StoredEntity],
    has: impl Fn(&StoredEntity, &Value) -> bool,
) -> Result<(), String> {
    for (name, value) in wanted {
        let mut called = entities.iter().filter(|entity| entity.is_called(name));
        if called.clone().any(|entity| has(entity, value)) {
            continue;
        }
        return Err(match called.next() {
            None => format!("expected an entity {name:?}; came none"),
            Some(entity) => format!(
                "expected {name:?} with {value}; came type {:?}, aliases {:?}, attributes {}",
                entity.kind.as_deref().unwrap_or("none"),
                entity.aliases,
                Value::Object(entity.attributes.clone())
            ),
        });
    }
    Ok(())
}

fn called<'a>(entities: &'a [StoredEntity], name: &str) -> Option<&'a StoredEntity> {
    entities.iter().find(|entity| entity.is_called(name))
}

fn has_aliases(entity: &StoredEntity, wanted: &Value) -> bool {
    let keys: BTreeSet<NameKey> = entity.names().map(NameKey::of).collect();
    let has = |alias: &Value| {
        alias
            .as_str()
            .is_some_and(|a| keys.contains(&NameKey::of(a)))
    };
    wanted
        .as_array()
        .is_some_and(|aliases| aliases.iter().all(has))
}

/// Whether the entity has at least these attributes; a scalar compares by its text.
fn has_attributes(entity: &StoredEntity, wanted: &Value) -> bool {
    let same = |own: &Value, wanted: &Value| own == wanted || text_of(own) == text_of(wanted);
    wanted.as_object().is_some_and(|attributes| {
        attributes.iter().all(|(name, value)| {
            entity
                .attributes
                .get(name)
                .is_some_and(|own| same(own, value))
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(wanted: Value) -> Result<(), String> {
        let entities: Vec<StoredEntity> = serde_json::from_value(json!([
            {"entity_id": "1", "name": "Dana Moss", "type": "Person", "aliases": ["D. Moss"]},
            {"entity_id": "2", "name": "dana moss", "type": "Person", "aliases": []},
            {"entity_id": "3", "name": "Acme", "type": "Organization", "aliases": [],
             "attributes": {"size": 31, "town": "Ulm"}},
        ]))
        .unwrap();
        judge(&serde_json::from_value(wanted).unwrap(), &entities)
    }

    #[test]
    fn a_name_given_twice_is_two_entities() {
        assert_eq!(
            judged(json!({"exactly": ["Dana Moss", "Dana Moss", "ACME"]})),
            Ok(())
        );
        assert_eq!(
            judged(json!({"exactly": ["D Moss", "Dana Moss", "ACME"]})),
            Ok(())
        );
        assert!(judged(json!({"exactly": ["Dana Moss", "ACME"]})).is_err());
        assert!(judged(json!({"exactly": ["Dana Moss", "ACME", "ACME"]})).is_err());
        assert_eq!(
            judged(json!({"contains": ["Dana Moss", "Dana Moss"]})),
            Ok(())
        );
        assert!(judged(json!({"contains": ["ACME", "ACME"]})).is_err());
    }

    #[test]
    fn count_and_lacks() {
        assert_eq!(judged(json!({"count": 3, "lacks": ["Dana"]})), Ok(()));
        assert!(judged(json!({"count": 2})).is_err());
        assert!(judged(json!({"lacks": ["d moss"]})).is_err());
    }

    #[test]
    fn what_an_entity_is_like() {
        assert_eq!(judged(json!({"types": {"Acme": "Organization"}})), Ok(()));
        assert!(judged(json!({"types": {"Acme": "Person"}})).is_err());
        assert!(judged(json!({"types": {"Nobody": "Person"}})).is_err());
        assert_eq!(
            judged(json!({"aliases": {"Dana Moss": ["D Moss"]}})),
            Ok(())
        );
        assert!(judged(json!({"aliases": {"Acme": ["Acme Inc"]}})).is_err());
        assert_eq!(
            judged(json!({"attributes": {"Acme": {"size": "31"}}})),
            Ok(())
        );
        assert!(judged(json!({"attributes": {"Acme": {"size": 32}}})).is_err());
    }
}
