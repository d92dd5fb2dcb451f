//! Facts by row, and the episodes that a fact rests on.

use std::collections::BTreeSet;

use mneme_model::NameKey;

use super::entities::{StoredEntity, read_entities};
use super::{Scene, listed, read_all};
use crate::expectation::{FactsRead, SupportOf, Wanted};
use crate::matching::{missing, pair};
use crate::row::Row;
use crate::stored::{NameBook, Source, StoredFact};

/// Reads the facts and compares them with the rows.
pub(super) async fn check(
    scene: &Scene<'_>,
    read: &FactsRead,
    wanted: &Wanted<Row>,
) -> Result<(), String> {
    let mut query: Vec<(&str, String)> = Vec::new();
    query.extend(read.as_of.clone().map(|at| ("as_of", at)));
    if let Some(known_at) = &read.known_at {
        query.push(("known_at", scene.known_at(known_at)?));
    }
    query.extend(
        read.include_past
            .map(|past| ("include_past", past.to_string())),
    );
    let (facts, names) = read_facts(scene, &read.group_id, &query).await?;
    judge(wanted, &facts, &names, |relation| {
        scene.plan.is_symmetric(relation)
    })
    .map_err(|difference| format!("{difference} [{}{}]", read.group_id, shown(&query)))
}

/// Reads the current facts and compares the sources of the one named.
pub(super) async fn check_support(
    scene: &Scene<'_>,
    of: &SupportOf,
    episodes: &[String],
) -> Result<(), String> {
    let (facts, names) = read_facts(scene, &of.group_id, &[]).await?;
    let (subject, relation, object) = &of.fact;
    let row = Row::of_fact(subject, relation, object);
    let symmetric = scene.plan.is_symmetric(relation);
    let found: Vec<_> = facts
        .iter()
        .filter(|fact| row.fits(fact, &names, symmetric))
        .collect();
    if found.iter().any(|fact| rests_on(&fact.sources, episodes)) {
        return Ok(());
    }
    let came = found.iter().map(|fact| {
        let ids: Vec<&str> = fact.sources.iter().map(|s| s.episode_id.as_str()).collect();
        format!("{fact} resting on {ids:?}")
    });
    Err(format!(
        "{row} expected to rest on {episodes:?}; came {}",
        listed(came)
    ))
}

async fn read_facts(
    scene: &Scene<'_>,
    group: &str,
    query: &[(&str, String)],
) -> Result<(Vec<StoredFact>, NameBook), String> {
    let entities = read_entities(scene.client, group).await?;
    let facts = read_all(
        scene.client,
        &["v1", "groups", group, "facts"],
        query,
        "facts",
    )
    .await?;
    Ok((facts, name_book(&entities)))
}

fn name_book(entities: &[StoredEntity]) -> NameBook {
    let keys =
        |entity: &StoredEntity| -> BTreeSet<NameKey> { entity.names().map(NameKey::of).collect() };
    NameBook(
        entities
            .iter()
            .map(|entity| (entity.entity_id.clone(), keys(entity)))
            .collect(),
    )
}

fn judge(
    wanted: &Wanted<Row>,
    facts: &[StoredFact],
    names: &NameBook,
    symmetric: impl Fn(&str) -> bool,
) -> Result<(), String> {
    let fits = |row: &Row, index: usize| {
        let fact = &facts[index];
        row.fits(fact, names, symmetric(&fact.relation))
    };
    if let Some(rows) = &wanted.exactly {
        let pairs = pair(rows.len(), facts.len(), |row, fact| fits(&rows[row], fact));
        let absent = rows
            .iter()
            .zip(&pairs)
            .filter(|(_, pair)| pair.is_none())
            .map(|(row, _)| row);
        let used: BTreeSet<usize> = pairs.iter().flatten().copied().collect();
        let excess = (0..facts.len())
            .filter(|index| !used.contains(index))
            .map(|i| &facts[i]);
        let (absent, excess): (Vec<_>, Vec<_>) = (absent.collect(), excess.collect());
        if !absent.is_empty() || !excess.is_empty() {
            return Err(format!(
                "expected exactly {} facts, of them not there: {}; came beside: {}",
                rows.len(),
                listed(absent),
                listed(excess)
            ));
        }
    }
    let absent = missing(
        wanted.contains.as_deref().unwrap_or_default(),
        facts.len(),
        fits,
    );
    if !absent.is_empty() {
        return Err(format!(
            "expected {}; came {}",
            listed(absent),
            listed(facts)
        ));
    }
    for row in wanted.lacks.iter().flatten() {
        if let Some(index) = (0..facts.len()).find(|&index| fits(row, index)) {
            return Err(format!(
                "expected nothing like {row}; came {}",
                facts[index]
            ));
        }
    }
    Ok(())
}

/// Whether the sources are these episodes, in order of reference time; equal times in any order.
fn rests_on(sources: &[Source], episodes: &[String]) -> bool {
    if sources.len() != episodes.len() || !sources.is_sorted_by_key(|s| s.reference_time) {
        return false;
    }
    let mut left: Vec<&Source> = sources.iter().collect();
    let mut last = None;
    for episode in episodes {
        let Some(at) = left.iter().position(|source| source.episode_id == *episode) else {
            return false;
        };
        let time = left.remove(at).reference_time;
        if last.is_some_and(|last| time < last) {
            return false;
        }
        last = Some(time);
    }
    true
}

fn shown(query: &[(&str, String)]) -> String {
    query
        .iter()
        .map(|(key, value)| format!(" {key}={value}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn facts(list: Value) -> Vec<StoredFact> {
        let facts = list.as_array().unwrap().iter().map(|row| {
            json!({
                "subject": {"entity_id": row[0], "name": row[0]}, "relation": row[1],
                "object": {"entity_id": row[2], "name": row[2]},
                "valid_at": row[3], "invalid_at": row[4], "precision": "instant",
            })
        });
        facts
            .map(|fact| serde_json::from_value(fact).unwrap())
            .collect()
    }

    fn judged(wanted: Value, facts: &[StoredFact]) -> Result<(), String> {
        let wanted = serde_json::from_value(wanted).unwrap();
        judge(&wanted, facts, &NameBook::default(), |relation| {
            relation == "NEAR"
        })
    }

    #[test]
    fn exactly_is_no_less_and_no_more() {
        let facts = facts(json!([
            ["a", "R", "b", "2020-01-01T00:00:00Z", null],
            ["c", "NEAR", "d", null, null]
        ]));
        let rows = |rows: Value| judged(json!({"exactly": rows}), &facts);
        assert_eq!(
            rows(json!([
                ["d", "NEAR", "c", null, null],
                ["a", "R", "b", "2020", null]
            ])),
            Ok(())
        );
        let less = rows(json!([["a", "R", "b", "2020", null]])).unwrap_err();
        assert!(
            less.contains("not there: nothing") && less.contains("\"NEAR\""),
            "{less}"
        );
        let more = rows(json!([
            ["a", "R", "b", "*", "*"],
            ["c", "NEAR", "d", "*", "*"],
            ["a", "R", "b", "*", "*"]
        ]))
        .unwrap_err();
        assert!(more.contains("came beside: nothing"), "{more}");
        assert!(rows(json!([])).is_err());
        assert_eq!(judged(json!({"exactly": []}), &[]), Ok(()));
    }

    #[test]
    fn contains_and_lacks() {
        let facts = facts(json!([
            ["a", "R", "b", null, null],
            ["a", "R", "c", null, null]
        ]));
        assert_eq!(
            judged(json!({"contains": [["a", "R", "b", null, null]]}), &facts),
            Ok(())
        );
        let twice = json!({"contains": [["a", "R", "b", null, null], ["a", "R", "b", null, null]]});
        assert!(judged(twice, &facts).is_err());
        assert!(judged(json!({"contains": [["b", "R", "a", null, null]]}), &facts).is_err());
        assert_eq!(
            judged(json!({"lacks": [["a", "R", "d", "*", "*"]]}), &facts),
            Ok(())
        );
        assert!(judged(json!({"lacks": [["a", "R", "*", "*", "*"]]}), &facts).is_err());
    }

    #[test]
    fn sources_are_in_order_of_reference_time() {
        let source = |id: &str, day: u8| -> Source {
            serde_json::from_value(json!({"episode_id": id,
                "reference_time": format!("2020-01-0{day}T00:00:00Z")}))
            .unwrap()
        };
        let rests = |sources: &[Source], episodes: [&str; 2]| {
            rests_on(sources, &episodes.map(str::to_owned))
        };
        let sources = [source("e1", 1), source("e2", 2)];
        assert!(rests(&sources, ["e1", "e2"]));
        assert!(!rests(&sources, ["e2", "e1"]));
        assert!(!rests(&sources[..1], ["e1", "e2"]));
        assert!(!rests(&[source("e2", 2), source("e1", 1)], ["e1", "e2"]));
        assert!(!rests(&[source("e1", 1), source("e1", 1)], ["e1", "e2"]));
        assert!(rests(&[source("e2", 1), source("e1", 1)], ["e1", "e2"]));
    }
}
