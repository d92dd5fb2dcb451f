//! What the rows hold.

use mneme_events::{MentionResolved, StatementResolved};
use mneme_model::{EntityId, EpisodeId, ThreadId};
use mneme_stage::{GroupRows, StageError, prefix_end, read_row};
use serde::{Deserialize, Serialize};

use crate::keys;
use crate::rule::Rule;

/// What is shown of an entity: what its last event said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityRow {
    /// The canonical name.
    pub name: String,
    /// The type.
    pub entity_type: Option<String>,
    /// The other names.
    pub aliases: Vec<String>,
    /// The ids in other systems.
    pub external_ids: Vec<String>,
    /// Entities that may be the same; each of them names this one too.
    pub possible_same_as: Vec<EntityId>,
}

/// A mention and the entity that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MentionRow {
    /// The episode.
    pub episode_id: EpisodeId,
    /// Its ordinal there.
    pub ordinal: i32,
    /// The thread of the episode.
    pub thread_id: Option<ThreadId>,
    /// The entity.
    pub entity_id: EntityId,
    /// The entities that it stood for before merges, the first one first: a split goes back.
    pub trail: Vec<EntityId>,
    /// Its place among the mentions of the group, kept when it moves.
    pub order: i64,
    /// The name as written.
    pub name: String,
    /// The type given or found.
    pub entity_type: Option<String>,
    /// The id in another system.
    pub external_id: Option<String>,
    /// Other names that the episode gives.
    pub aliases: Vec<String>,
    /// The rule that decided.
    pub rule: String,
}

impl MentionRow {
    /// The row of a mention that was just resolved; `earlier` is the row it replaces.
    pub fn after(resolved: &MentionResolved, earlier: Option<&Self>) -> Self {
        let mut trail = earlier.map(|row| row.trail.clone()).unwrap_or_default();
        if let Some(earlier) = earlier.filter(|row| row.entity_id != resolved.entity_id) {
            match Rule::of(&resolved.rule) {
                Some(Rule::Merge) => trail.push(earlier.entity_id),
                _ => match trail.iter().position(|id| *id == resolved.entity_id) {
                    Some(at) => trail.truncate(at),
                    None => trail.clear(),
                },
            }
        }
        Self {
            episode_id: resolved.episode_id.clone(),
            ordinal: resolved.ordinal,
            thread_id: resolved.thread_id.clone(),
            entity_id: resolved.entity_id,
            trail,
            order: earlier.map_or(resolved.header.seq, |row| row.order),
            name: resolved.name.clone(),
            entity_type: resolved.entity_type.clone(),
            external_id: resolved.external_id.clone(),
            aliases: resolved.aliases.clone(),
            rule: resolved.rule.clone(),
        }
    }

    /// Whether its place follows from the names and ids that it shares with other mentions, and
    /// not from a likeness or from what a person asked.
    pub fn is_placed_by_key(&self) -> bool {
        self.trail.is_empty() && Rule::of(&self.rule).is_some_and(Rule::rests_on_keys)
    }
}

/// What a `support/` row says: the text as the mention has it, and which mention that is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportRow {
    /// The text as written.
    pub text: String,
    /// The episode of the mention.
    pub episode_id: EpisodeId,
    /// The mention's ordinal.
    pub ordinal: i32,
}

/// What is shown of an entity.
pub fn entity(rows: &dyn GroupRows, id: EntityId) -> Result<Option<EntityRow>, StageError> {
    read_row(rows, &keys::entity(id))
}

/// The mention of an episode by ordinal.
pub fn mention(
    rows: &dyn GroupRows,
    episode: &EpisodeId,
    ordinal: i32,
) -> Result<Option<MentionRow>, StageError> {
    read_row(rows, &keys::mention(episode, ordinal))
}

/// The mentions of an episode, by ordinal.
pub fn mentions(rows: &dyn GroupRows, episode: &EpisodeId) -> Result<Vec<MentionRow>, StageError> {
    decode_all(rows, &keys::mentions(episode))
}

/// The statements of an episode, by ordinal.
pub fn statements(
    rows: &dyn GroupRows,
    episode: &EpisodeId,
) -> Result<Vec<StatementResolved>, StageError> {
    decode_all(rows, &keys::statements(episode))
}

/// The keys of the statements that begin an `end/` prefix.
pub fn statement_keys(rows: &dyn GroupRows, ends: &[u8]) -> Vec<Vec<u8>> {
    rows.range(ends, &prefix_end(ends))
        .map(|(key, _)| keys::statement_of_end(&key))
        .collect()
}

/// Whether any row begins with the prefix.
pub fn has_any(rows: &dyn GroupRows, prefix: &[u8]) -> bool {
    rows.range(prefix, &prefix_end(prefix)).next().is_some()
}

fn decode_all<T: serde::de::DeserializeOwned>(
    rows: &dyn GroupRows,
    prefix: &[u8],
) -> Result<Vec<T>, StageError> {
    let keys: Vec<Vec<u8>> = rows
        .range(prefix, &prefix_end(prefix))
        .map(|(key, _)| key)
        .collect();
    let mut decoded = Vec::with_capacity(keys.len());
    for key in keys {
        decoded.extend(read_row(rows, &key)?);
    }
    Ok(decoded)
}
