//! Where candidates come from: equal names, equal ids, shared words. The lists are bounded, so a
//! mention costs the same in a large group; words that many names hold find nobody, since they
//! tell nothing.

use mneme_model::EntityId;
use mneme_stage::{GroupRows, StageError, prefix_end};
use uuid::Uuid;

use crate::identity::{Named, external_key, is_bare_number, name_key, skeleton_tokens};
use crate::{keys, state, view};

/// Entities of one name or id beyond these are not looked at.
const MAX_HOMONYMS: usize = 64;
/// A word that more entities hold is too common to tell anything.
const MAX_SHARING_A_WORD: usize = 16;
/// Entities with a word in common that are looked at.
const MAX_NEIGHBOURS: usize = 24;

/// The entities that have a name key.
pub fn by_name(rows: &dyn GroupRows, key: &str) -> Vec<EntityId> {
    listed(rows, &keys::names(key), MAX_HOMONYMS)
}

/// The entities that have an id in another system, by its key.
pub fn by_external(rows: &dyn GroupRows, key: &str) -> Vec<EntityId> {
    listed(rows, &keys::externals(key), MAX_HOMONYMS)
}

/// The entities that share a word with a name key, those that share a rare one first.
pub fn by_words(rows: &dyn GroupRows, key: &str) -> Vec<EntityId> {
    let mut lists: Vec<Vec<EntityId>> = skeleton_tokens(key)
        .iter()
        .map(|token| listed(rows, &keys::tokens(token), MAX_SHARING_A_WORD + 1))
        .filter(|list| list.len() <= MAX_SHARING_A_WORD)
        .collect();
    lists.sort_by_key(Vec::len);
    let mut found: Vec<EntityId> = Vec::new();
    for entity in lists.into_iter().flatten() {
        if found.len() < MAX_NEIGHBOURS && !found.contains(&entity) {
            found.push(entity);
        }
    }
    found
}

/// The entities that a person's text stands for: an id, or a name. Entities that have the name as
/// their canonical one come before those that have it as an alias.
pub fn by_text(rows: &dyn GroupRows, text: &str) -> Result<Vec<EntityId>, StageError> {
    if let Ok(id) = text.trim().parse::<EntityId>()
        && state::entity(rows, id)?.is_some()
    {
        return Ok(vec![id]);
    }
    let key = name_key(text);
    let all = by_name(rows, &key);
    let mut canonical = Vec::new();
    for &entity in &all {
        if state::entity(rows, entity)?.is_some_and(|row| name_key(&row.name) == key) {
            canonical.push(entity);
        }
    }
    Ok(if canonical.is_empty() { all } else { canonical })
}

fn listed(rows: &dyn GroupRows, prefix: &[u8], limit: usize) -> Vec<EntityId> {
    rows.range(prefix, &prefix_end(prefix))
        .take(limit)
        .filter_map(|(key, _)| keys::trailing_entity(&key))
        .collect()
}

/// Whether a mention can stand for an entity that has its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Nothing speaks against it.
    Fits,
    /// Their types conflict.
    TypesConflict,
    /// One system knows them by different ids.
    IdsDiffer,
}

/// Whether a mention can stand for an entity.
pub fn fit(rows: &dyn GroupRows, entity: EntityId, named: &Named) -> Result<Fit, StageError> {
    if !view::fits_type(rows, entity, named.entity_type.as_deref())? {
        return Ok(Fit::TypesConflict);
    }
    if let Some(id) = &named.external
        && let Some(system) = system_of(id)
        && let Some(row) = state::entity(rows, entity)?
    {
        let known: Vec<String> = row.external_ids.iter().map(|id| external_key(id)).collect();
        let mut of_system = known.iter().filter(|id| system_of(id) == Some(system));
        if !known.contains(id) && of_system.next().is_some() {
            return Ok(Fit::IdsDiffer);
        }
    }
    Ok(Fit::Fits)
}

/// Whether an entity that has the mention's id is the one meant. The id decides, whatever the
/// name; only a bare number, which each kind of record counts for itself, needs a fitting type.
pub fn fits_external(
    rows: &dyn GroupRows,
    entity: EntityId,
    named: &Named,
) -> Result<bool, StageError> {
    if named.external.as_deref().is_some_and(is_bare_number) {
        view::fits_type(rows, entity, named.entity_type.as_deref())
    } else {
        Ok(true)
    }
}

/// The system that gives each thing one id, as far as the id tells: "crm" of "crm:8812", "con-" of
/// "con-301", nothing of "17". None for addresses and free names, of which one thing has many.
fn system_of(external_key: &str) -> Option<&str> {
    if external_key.contains('@') || external_key.contains("//") {
        return None;
    }
    if let Some((system, _)) = external_key.rsplit_once(':') {
        return Some(system);
    }
    if Uuid::try_parse(external_key).is_ok() {
        return Some("uuid");
    }
    let system = external_key.trim_end_matches(|c: char| c.is_ascii_digit());
    (system.len() < external_key.len() && !system.contains(|c: char| c.is_ascii_digit()))
        .then_some(system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_of_an_id() {
        assert_eq!(system_of("crm:8812"), Some("crm"));
        assert_eq!(system_of("crm:contact:301"), Some("crm:contact"));
        assert_eq!(system_of("con-301"), Some("con-"));
        assert_eq!(system_of("8812"), Some(""));
        assert_eq!(
            system_of("67e55044-10b1-426f-9247-bb680e5fe0c8"),
            Some("uuid")
        );
        assert_eq!(system_of("ann.lee"), None);
        assert_eq!(system_of("ann@example.com"), None);
        assert_eq!(system_of("https://example.com/ann"), None);
    }
}
