//! Writes down what follows when mentions are placed or move: entities that come, change and go,
//! the mentions themselves, and the statements whose ends or names of ends changed.

use std::collections::BTreeSet;

use mneme_events::{EntityErased, Event, MentionResolved, ResolvedEntity, StatementResolved};
use mneme_model::{EntityId, EpisodeId};
use mneme_stage::{GroupRows, OverlayRows, StageError, read_row};

use crate::decision::Decision;
use crate::state::{self, EntityRow};
use crate::support::{Kind, all_said, mention_of_support};
use crate::view::View;
use crate::{fold, keys, links};

/// Places mentions and writes down what follows for the `touched` entities. `between` is written
/// after the entities and before the mentions.
pub fn settle(
    decision: &mut Decision<'_>,
    moves: Vec<MentionResolved>,
    touched: &[EntityId],
    between: Vec<Event>,
) -> Result<(), StageError> {
    let mut to_say_again = BTreeSet::new();
    for Outcome { entity, after } in outcomes(decision, &moves, touched)? {
        match (state::entity(decision.rows(), entity)?, after) {
            (None, Some((row, episode_id))) => decision.create(entity, row, episode_id)?,
            (Some(before), Some((mut row, _))) => {
                row.possible_same_as.clone_from(&before.possible_same_as);
                if names_changed(&before, &row) {
                    let ends = keys::ends(entity);
                    to_say_again.extend(state::statement_keys(decision.rows(), &ends));
                }
                if before != row {
                    decision.update(entity, row)?;
                }
            }
            (Some(before), None) => {
                decision.emit(EntityErased {
                    header: decision.header(),
                    entity_id: entity,
                })?;
                links::unlink(decision, entity, &before.possible_same_as)?;
            }
            (None, None) => {}
        }
    }
    for event in between {
        decision.emit(event)?;
    }
    for mention in moves {
        for statement in state::statements(decision.rows(), &mention.episode_id)? {
            let ends = [Some(statement.subject_mention), statement.object_mention];
            if ends.contains(&Some(mention.ordinal)) {
                to_say_again.insert(keys::statement(&statement.episode_id, statement.ordinal));
            }
        }
        decision.emit(mention)?;
    }
    say_again(decision, to_say_again)
}

/// What is shown of an entity once the mentions are placed, with the episode of its first mention;
/// nothing if no mention is left.
struct Outcome {
    entity: EntityId,
    after: Option<(EntityRow, EpisodeId)>,
}

fn outcomes(
    decision: &Decision<'_>,
    moves: &[MentionResolved],
    touched: &[EntityId],
) -> Result<Vec<Outcome>, StageError> {
    let mut preview = OverlayRows::new(decision.rows());
    for (seq, mention) in (decision.next_seq()..).zip(moves) {
        let mut mention = mention.clone();
        // New mentions come after all others; those that move keep their place.
        mention.header.seq = seq;
        fold::apply(&mut preview, &mention.into())?;
    }
    let mut outcomes = Vec::with_capacity(touched.len());
    for &entity in touched {
        let row = View::read(&preview, entity)?.shown(Vec::new());
        let after = row.zip(first_episode(&preview, entity)?);
        outcomes.push(Outcome { entity, after });
    }
    Ok(outcomes)
}

fn first_episode(rows: &dyn GroupRows, entity: EntityId) -> Result<Option<EpisodeId>, StageError> {
    let names = all_said(rows, entity, &[Kind::OwnName, Kind::MergedName])?;
    let Some(said) = names.into_iter().min_by_key(|said| said.order) else {
        return Ok(None);
    };
    let key = keys::support(entity, said.kind.byte(), &said.key, said.order);
    Ok(mention_of_support(rows, &key)?.map(|mention| mention.episode_id))
}

/// Whether statements that carry the old name or type would show what is no longer so. A type
/// that becomes known takes nothing back.
fn names_changed(before: &EntityRow, after: &EntityRow) -> bool {
    before.name != after.name
        || before.entity_type.is_some() && before.entity_type != after.entity_type
}

/// Says statements again whose ends, or the names of these, are no longer what they said.
fn say_again(decision: &mut Decision<'_>, keys: BTreeSet<Vec<u8>>) -> Result<(), StageError> {
    for key in keys {
        let Some(statement) = read_row::<StatementResolved>(decision.rows(), &key)? else {
            continue;
        };
        let mut said = decision.said_again(&statement);
        let end = |ordinal| end_of(decision.rows(), &statement, ordinal);
        said.subject = end(statement.subject_mention)?;
        said.object = statement.object_mention.map(end).transpose()?;
        if said.subject != statement.subject || said.object != statement.object {
            decision.emit(said)?;
        }
    }
    Ok(())
}

fn end_of(
    rows: &dyn GroupRows,
    statement: &StatementResolved,
    ordinal: i32,
) -> Result<ResolvedEntity, StageError> {
    let mention = state::mention(rows, &statement.episode_id, ordinal)?
        .ok_or_else(|| StageError::BrokenRow("a statement's mention is gone".to_owned()))?;
    resolved(rows, mention.entity_id)
}

/// An entity as later stages show it.
pub fn resolved(rows: &dyn GroupRows, entity: EntityId) -> Result<ResolvedEntity, StageError> {
    let row = state::entity(rows, entity)?
        .ok_or_else(|| StageError::BrokenRow("a mention's entity is gone".to_owned()))?;
    Ok(ResolvedEntity {
        entity_id: entity,
        name: row.name,
        entity_type: row.entity_type,
    })
}
