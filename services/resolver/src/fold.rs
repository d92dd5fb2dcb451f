//! The fold: what each output event means for the rows. `step` runs the same fold over its own
//! outputs while it decides, so what it sees is what the next input will see.

use mneme_events::{Event, StatementResolved};
use mneme_model::EpisodeId;
use mneme_stage::{GroupRows, StageError, note_seq, read_row, write_row};
use uuid::Uuid;

use crate::state::{EntityRow, MentionRow, mentions, statements};
use crate::{keys, signature, support};

/// Folds one output into the rows.
pub fn apply(rows: &mut dyn GroupRows, output: &Event) -> Result<(), StageError> {
    note_seq(rows, output)?;
    match output {
        Event::EntityCreated(created) => {
            let row = EntityRow {
                name: created.name.clone(),
                entity_type: created.entity_type.clone(),
                aliases: created.aliases.clone(),
                external_ids: created.external_ids.clone(),
                possible_same_as: created.possible_same_as.clone(),
            };
            write_row(rows, keys::entity(created.entity_id), &row)
        }
        Event::EntityUpdated(updated) => {
            let row = EntityRow {
                name: updated.name.clone(),
                entity_type: updated.entity_type.clone(),
                aliases: updated.aliases.clone(),
                external_ids: updated.external_ids.clone(),
                possible_same_as: updated.possible_same_as.clone(),
            };
            write_row(rows, keys::entity(updated.entity_id), &row)
        }
        Event::EntitiesMerged(merged) => {
            rows.delete(&keys::entity(merged.from));
            Ok(())
        }
        Event::EntityErased(erased) => {
            rows.delete(&keys::entity(erased.entity_id));
            Ok(())
        }
        Event::MentionResolved(resolved) => {
            let key = keys::mention(&resolved.episode_id, resolved.ordinal);
            let earlier: Option<MentionRow> = read_row(rows, &key)?;
            if let Some(earlier) = &earlier {
                support::remove(rows, earlier)?;
            }
            let row = MentionRow::after(resolved, earlier.as_ref());
            support::add(rows, &row)?;
            write_row(rows, key, &row)
        }
        Event::StatementResolved(statement) => place_statement(rows, statement),
        Event::EpisodeErased(erased) => forget(rows, &erased.episode_id),
        Event::OntologyChanged(changed) => signature::replace(rows, &changed.ontology),
        _ => Ok(()),
    }
}

fn place_statement(
    rows: &mut dyn GroupRows,
    statement: &StatementResolved,
) -> Result<(), StageError> {
    let key = keys::statement(&statement.episode_id, statement.ordinal);
    if let Some(earlier) = read_row::<StatementResolved>(rows, &key)? {
        for end in ends(&earlier) {
            rows.delete(&end);
        }
    }
    for end in ends(statement) {
        rows.put(end, Vec::new());
    }
    write_row(rows, key, statement)
}

fn ends(statement: &StatementResolved) -> Vec<Vec<u8>> {
    let (episode, ordinal) = (&statement.episode_id, statement.ordinal);
    let subject = statement.subject.entity_id;
    match &statement.object {
        Some(object) => vec![
            keys::end(subject, object.entity_id, episode, ordinal),
            keys::end(object.entity_id, subject, episode, ordinal),
        ],
        None => vec![keys::end(subject, Uuid::nil(), episode, ordinal)],
    }
}

fn forget(rows: &mut dyn GroupRows, episode: &EpisodeId) -> Result<(), StageError> {
    for mention in mentions(rows, episode)? {
        support::remove(rows, &mention)?;
        rows.delete(&keys::mention(episode, mention.ordinal));
    }
    for statement in statements(rows, episode)? {
        for end in ends(&statement) {
            rows.delete(&end);
        }
        rows.delete(&keys::statement(episode, statement.ordinal));
    }
    Ok(())
}
