//! "Possibly the same": advice for review, named at both ends, a few for each entity, so that an
//! entity that goes can be taken out of the rows of the others.

use mneme_model::EntityId;
use mneme_stage::StageError;

use crate::decision::Decision;
use crate::state;

/// An entity names no more others than these.
pub const MAX_LINKS: usize = 5;

/// Those of `others` that still have room for one more.
pub fn with_room(
    decision: &Decision<'_>,
    others: &[EntityId],
    room: usize,
) -> Result<Vec<EntityId>, StageError> {
    let mut chosen = Vec::new();
    for &other in others {
        if chosen.len() < room
            && !chosen.contains(&other)
            && state::entity(decision.rows(), other)?
                .is_some_and(|row| row.possible_same_as.len() < MAX_LINKS)
        {
            chosen.push(other);
        }
    }
    Ok(chosen)
}

/// Names an entity in the rows of others.
pub fn name_in(
    decision: &mut Decision<'_>,
    entity: EntityId,
    others: &[EntityId],
) -> Result<(), StageError> {
    for &other in others {
        if let Some(mut row) = state::entity(decision.rows(), other)?
            && !row.possible_same_as.contains(&entity)
        {
            row.possible_same_as.push(entity);
            decision.update(other, row)?;
        }
    }
    Ok(())
}

/// Names an entity and others as possibly the same, at both ends.
pub fn link(
    decision: &mut Decision<'_>,
    entity: EntityId,
    others: &[EntityId],
) -> Result<(), StageError> {
    let Some(mut row) = state::entity(decision.rows(), entity)? else {
        return Ok(());
    };
    let new: Vec<EntityId> = others
        .iter()
        .copied()
        .filter(|other| *other != entity && !row.possible_same_as.contains(other))
        .collect();
    let room = MAX_LINKS.saturating_sub(row.possible_same_as.len());
    let new = with_room(decision, &new, room)?;
    if new.is_empty() {
        return Ok(());
    }
    row.possible_same_as.extend(&new);
    decision.update(entity, row)?;
    name_in(decision, entity, &new)
}

/// Takes an entity that goes out of the rows of the others.
pub fn unlink(
    decision: &mut Decision<'_>,
    gone: EntityId,
    others: &[EntityId],
) -> Result<(), StageError> {
    for &other in others {
        if let Some(mut row) = state::entity(decision.rows(), other)?
            && row.possible_same_as.contains(&gone)
        {
            row.possible_same_as.retain(|id| *id != gone);
            decision.update(other, row)?;
        }
    }
    Ok(())
}
