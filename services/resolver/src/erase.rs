//! Erasing an episode takes back what its mentions said. Entities that nothing names any longer
//! go; others show what their remaining mentions say, and fall apart where only the erased episode
//! tied these together.
//!
//! What was decided by likeness, by context or by a type that only the erased episode gave stays
//! as it was decided.

use std::collections::BTreeMap;

use mneme_events::EpisodeErased;
use mneme_model::EntityId;
use mneme_stage::StageError;

use crate::decision::Decision;
use crate::identity;
use crate::parting::{self, ties_of};
use crate::rule::Rule;
use crate::settle::settle;
use crate::state;

/// Erases an episode.
pub fn erase(decision: &mut Decision<'_>, erased: &EpisodeErased) -> Result<(), StageError> {
    let mut affected: Vec<EntityId> = Vec::new();
    let mut lost: BTreeMap<EntityId, Vec<Vec<String>>> = BTreeMap::new();
    for mention in state::mentions(decision.rows(), &erased.episode_id)? {
        if !affected.contains(&mention.entity_id) {
            affected.push(mention.entity_id);
        }
        let ties = ties_of(&mention);
        lost.entry(mention.entity_id).or_default().push(ties);
    }
    decision.forward_last()?;
    for entity in affected {
        let lost = lost.remove(&entity).unwrap_or_default();
        let mut moves = Vec::new();
        let mut touched = vec![entity];
        for leaving in parting::parts(decision.rows(), entity, &lost)? {
            let Some(first) = leaving.first() else {
                continue;
            };
            let id = identity::entity_id(decision.group(), &first.episode_id, first.ordinal);
            // The id is taken where the mention's first entity lives on without it.
            if state::entity(decision.rows(), id)?.is_some() {
                continue;
            }
            touched.push(id);
            let rule = Rule::Parted.as_str();
            moves.extend(
                leaving
                    .iter()
                    .map(|mention| decision.moved(mention, id, rule)),
            );
        }
        settle(decision, moves, &touched, Vec::new())?;
    }
    Ok(())
}
