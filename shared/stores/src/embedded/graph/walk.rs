//! A breadth-first walk: every fact is met once, at its least distance, and a walk of the same
//! store is the same every time. Entities are visited in the order they were met; at each, the
//! facts with the latest start come first.

use std::collections::HashSet;

use super::facts;
use super::view::View;
use crate::{FactVersionRow, StoreError, Walk};

/// The versions met, nearest first, each with its distance from 1.
pub(super) fn walk(view: &View<'_>, walk: &Walk) -> Result<Vec<(FactVersionRow, u32)>, StoreError> {
    let mut met_facts = HashSet::new();
    let mut met_entities = HashSet::new();
    let mut here: Vec<_> = walk
        .from
        .iter()
        .copied()
        .filter(|&entity| met_entities.insert(entity))
        .collect();
    let mut found = Vec::new();
    for distance in 1..=walk.depth {
        let mut next = Vec::new();
        for &entity in &here {
            for version in facts::at_entity(view, entity, walk.time)? {
                if found.len() >= walk.limit {
                    return Ok(found);
                }
                let version = version?;
                if !met_facts.insert(version) {
                    continue;
                }
                let Some(row) = view.fact_version(version)? else {
                    continue;
                };
                let ends = std::iter::once(row.subject.entity_id).chain(row.object.entity_id());
                next.extend(ends.filter(|&end| met_entities.insert(end)));
                found.push((row, distance));
            }
        }
        if next.is_empty() {
            break;
        }
        here = next;
    }
    Ok(found)
}
