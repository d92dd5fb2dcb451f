//! Several entities have the name of a mention: the one that the context speaks of is meant. If
//! the context says nothing, it is the one known first, and the others may be the same. A third
//! is never made.

use mneme_model::{EntityId, ThreadId};
use mneme_stage::{GroupRows, StageError, prefix_end};

use crate::identity::Named;
use crate::rule::Rule;
use crate::state::has_any;
use crate::support::{Kind, all_said};
use crate::{keys, state, types};

/// What surrounds a mention.
#[derive(Debug, Clone, Copy)]
pub struct Context<'c> {
    /// The thread of its episode.
    pub thread: Option<&'c ThreadId>,
    /// The entities that the episode's other mentions stand for.
    pub present: &'c [EntityId],
}

/// The one chosen, by which rule, and which others may be the same.
#[derive(Debug, PartialEq, Eq)]
pub struct Choice {
    /// The one chosen.
    pub entity: EntityId,
    /// The rule that decided.
    pub rule: Rule,
    /// Those that may be the same: none if the context decided.
    pub others: Vec<EntityId>,
}

/// Chooses among entities; `None` only if there are none.
pub fn choose(
    rows: &dyn GroupRows,
    candidates: &[EntityId],
    named: &Named,
    context: Context<'_>,
) -> Result<Option<Choice>, StageError> {
    let decided = |entity, rule| {
        Ok(Some(Choice {
            entity,
            rule,
            others: Vec::new(),
        }))
    };
    let present = context.present;
    let mut spoken_of = candidates.iter().filter(|entity| present.contains(entity));
    if let (Some(&entity), None) = (spoken_of.next(), spoken_of.next()) {
        return decided(entity, Rule::SameEpisode);
    }
    if let Some(entity) = last_in_thread(rows, candidates, context.thread) {
        return decided(entity, Rule::SameThread);
    }
    if let Some(entity) = best_tied(rows, candidates, present) {
        return decided(entity, Rule::SharedNeighbour);
    }
    earliest(rows, candidates, named)
}

fn last_in_thread(
    rows: &dyn GroupRows,
    candidates: &[EntityId],
    thread: Option<&ThreadId>,
) -> Option<EntityId> {
    let thread = thread?;
    candidates
        .iter()
        .filter_map(|&entity| {
            let prefix = keys::in_thread(thread, entity);
            let (key, _) = rows.range_back(&prefix, &prefix_end(&prefix)).next()?;
            Some((keys::trailing_order(&key)?, entity))
        })
        .max()
        .map(|(_, entity)| entity)
}

/// The one with facts about most of the others present, if one is before the rest.
fn best_tied(
    rows: &dyn GroupRows,
    candidates: &[EntityId],
    present: &[EntityId],
) -> Option<EntityId> {
    let mut ties: Vec<(usize, EntityId)> = candidates
        .iter()
        .map(|&entity| {
            let tied = present.iter().filter(|&&other| {
                other != entity && has_any(rows, &keys::ends_between(entity, other))
            });
            (tied.count(), entity)
        })
        .collect();
    ties.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    match ties.as_slice() {
        [(count, entity)] if *count > 0 => Some(*entity),
        [(count, entity), (next, _), ..] if count > next => Some(*entity),
        _ => None,
    }
}

/// The one known first. One of the mention's very type comes before one of a type that only fits,
/// and one that has the name itself before one that has it as an alias.
fn earliest(
    rows: &dyn GroupRows,
    candidates: &[EntityId],
    named: &Named,
) -> Result<Option<Choice>, StageError> {
    let given = types::specific(named.entity_type.as_deref()).map(types::folded);
    let mut ranked = Vec::with_capacity(candidates.len());
    for &entity in candidates {
        let row = state::entity(rows, entity)?;
        let known = row
            .as_ref()
            .and_then(|row| types::specific(row.entity_type.as_deref()))
            .map(types::folded);
        let own_name = keys::supports_of(entity, Kind::OwnName.byte(), &named.key);
        let names = all_said(rows, entity, &[Kind::OwnName, Kind::MergedName])?;
        let first = names.iter().map(|said| said.order).min();
        let is_other_type = given.is_some() && known != given;
        let first = first.unwrap_or(i64::MAX);
        ranked.push((is_other_type, !has_any(rows, &own_name), first, entity));
    }
    ranked.sort();
    let mut in_order = ranked.into_iter().map(|(_, _, _, entity)| entity);
    Ok(in_order.next().map(|entity| Choice {
        entity,
        rule: Rule::Earliest,
        others: in_order.collect(),
    }))
}
