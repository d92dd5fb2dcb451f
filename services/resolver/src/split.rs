//! A split moves the mentions of some episodes out of an entity. Mentions that a merge brought go
//! back to the entity they came from, which has its id and its name again; the others make a new
//! entity. In an episode with both, only those that a merge brought leave: the request undoes the
//! merge.

use std::collections::BTreeMap;

use mneme_events::{EntitySplit, EntitySplitRequested, Event};
use mneme_model::{EntityId, derived_id};
use mneme_stage::StageError;

use crate::decision::Decision;
use crate::rule::Rule;
use crate::settle::settle;
use crate::state::{self, MentionRow};
use crate::support::mentions_of;
use crate::{candidates, identity};

/// Splits an entity.
pub fn split(
    decision: &mut Decision<'_>,
    request: &EntitySplitRequested,
) -> Result<(), StageError> {
    if let Some((entity, mentions)) = leaving(decision, request)? {
        let all = mentions_of(decision.rows(), entity)?;
        let parts = destinations(decision, mentions, &all);
        let mut moves = Vec::new();
        let mut touched = Vec::new();
        let mut splits: Vec<Event> = Vec::new();
        for (new_entity_id, part) in parts {
            touched.push(new_entity_id);
            let mut episodes = Vec::new();
            for mention in &part {
                if !episodes.contains(&mention.episode_id) {
                    episodes.push(mention.episode_id.clone());
                }
                moves.push(decision.moved(mention, new_entity_id, Rule::Split.as_str()));
            }
            let split = EntitySplit {
                header: decision.header(),
                entity_id: entity,
                new_entity_id,
                episodes,
            };
            splits.push(split.into());
        }
        touched.push(entity);
        settle(decision, moves, &touched, splits)?;
    }
    decision.forward()
}

/// The entity meant and the mentions that leave it; none if the request means none, or several.
fn leaving(
    decision: &Decision<'_>,
    request: &EntitySplitRequested,
) -> Result<Option<(EntityId, Vec<MentionRow>)>, StageError> {
    let rows = decision.rows();
    let mut mentioned = Vec::new();
    for episode in &request.episodes {
        mentioned.push(state::mentions(rows, episode)?);
    }
    let mut meant = candidates::by_text(rows, &request.entity)?;
    meant.retain(|entity| {
        let mut all = mentioned.iter().flatten();
        all.any(|mention| mention.entity_id == *entity)
    });
    let [entity] = meant.as_slice() else {
        return Ok(None);
    };
    let mut leaving: Vec<MentionRow> = Vec::new();
    for of_episode in mentioned {
        let of_entity = of_episode
            .into_iter()
            .filter(|mention| mention.entity_id == *entity);
        let (brought, own): (Vec<_>, Vec<_>) =
            of_entity.partition(|mention| !mention.trail.is_empty());
        let out = if brought.is_empty() { own } else { brought };
        leaving.extend(out);
    }
    leaving.sort_by_key(|mention| mention.order);
    leaving.dedup_by_key(|mention| mention.order);
    Ok(Some((*entity, leaving)))
}

/// Where the mentions go, by entity. None go if all would, to a new one.
fn destinations(
    decision: &Decision<'_>,
    leaving: Vec<MentionRow>,
    all: &[MentionRow],
) -> Vec<(EntityId, Vec<MentionRow>)> {
    let leaves = |mention: &MentionRow| leaving.iter().any(|one| one.order == mention.order);
    let stays_any = all.iter().any(|mention| !leaves(mention));
    let mut by_merge: BTreeMap<EntityId, Vec<MentionRow>> = BTreeMap::new();
    let mut own = Vec::new();
    for mention in &leaving {
        match mention.trail.last() {
            Some(last) => by_merge.entry(*last).or_default().push(mention.clone()),
            None => own.push(mention.clone()),
        }
    }
    let mut parts: Vec<(EntityId, Vec<MentionRow>)> = Vec::new();
    for (last, part) in by_merge {
        let all_of_merge = all
            .iter()
            .filter(|mention| mention.trail.last() == Some(&last));
        let back_to = if all_of_merge.count() == part.len() {
            last
        } else {
            deepest_common(&part).unwrap_or(last)
        };
        parts.push((back_to, part));
    }
    // A later mention of a name that is restored goes with it.
    if let [(_, part)] = parts.as_mut_slice() {
        part.append(&mut own);
    } else if !own.is_empty() && (stays_any || !parts.is_empty()) {
        parts.push((new_entity(decision), own));
    }
    parts
}

/// The first entity that all of these mentions once stood for.
fn deepest_common(mentions: &[MentionRow]) -> Option<EntityId> {
    let (first, rest) = mentions.split_first()?;
    let is_common = |id: &&EntityId| rest.iter().all(|mention| mention.trail.contains(id));
    first.trail.iter().find(is_common).copied()
}

fn new_entity(decision: &Decision<'_>) -> EntityId {
    let cause = decision.input().header().event_id;
    derived_id(
        identity::namespace(decision.group()),
        &[b"split", cause.as_bytes()],
    )
}
