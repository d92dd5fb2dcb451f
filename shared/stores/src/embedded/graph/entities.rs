//! Reads of entities, their mentions and communities.

use std::ops::Bound;

use mneme_model::{EntityId, EpisodeId, NameKey};

use super::entries;
use super::keys::{Key, last_id, prefix_end};
use super::view::{View, decode};
use crate::digest::{RowIdentity, RowKind};
use crate::{CommunityRow, EntityRow, MentionRow, StoreError};

/// The living entities with a name.
pub(super) fn named(view: &View<'_>, name: &NameKey) -> Result<Vec<EntityRow>, StoreError> {
    let mut rows = Vec::new();
    for entry in view.scan(&entries::by_name(view.group, name).done()) {
        let (key, _) = entry?;
        if let Some(entity) = last_id(&key) {
            rows.extend(view.entity(entity)?);
        }
    }
    Ok(rows)
}

/// The living entities in order of id.
pub(super) fn page(
    view: &View<'_>,
    after: Option<EntityId>,
    limit: usize,
) -> Result<Vec<EntityRow>, StoreError> {
    let prefix = Key::rows(view.group, RowKind::Entity).done();
    let end = prefix_end(&prefix);
    let from = match after {
        Some(after) => Bound::Excluded(Key::row(view.group, &RowIdentity::entity(after))),
        None => Bound::Included(prefix),
    };
    let mut rows = Vec::new();
    for entry in view.range(from, Bound::Excluded(end)) {
        if rows.len() >= limit {
            break;
        }
        let (_, value) = entry?;
        let row: EntityRow = decode(&value)?;
        if row.merged_into.is_none() {
            rows.push(view.with_summary(row)?);
        }
    }
    Ok(rows)
}

/// The mentions of an entity.
pub(super) fn mentions_of(
    view: &View<'_>,
    entity: EntityId,
    limit: usize,
) -> Result<Vec<MentionRow>, StoreError> {
    let prefix = entries::mentions_of(view.group, entity);
    let mut rows = Vec::new();
    for entry in view.scan(&prefix).take(limit) {
        let (key, _) = entry?;
        let identity = key.get(prefix.len()..).unwrap_or_default();
        if let Some(bytes) = view.row_at(identity)? {
            rows.push(decode(&bytes)?);
        }
    }
    Ok(rows)
}

/// The mentions in an episode.
pub(super) fn mentions_in(
    view: &View<'_>,
    episode: &EpisodeId,
) -> Result<Vec<MentionRow>, StoreError> {
    view.scan(&entries::mentions_in(view.group, episode))
        .map(|entry| decode(&entry?.1))
        .collect()
}

/// The communities in order of id.
pub(super) fn communities(view: &View<'_>, limit: usize) -> Result<Vec<CommunityRow>, StoreError> {
    view.scan(&Key::rows(view.group, RowKind::Community).done())
        .take(limit)
        .map(|entry| decode(&entry?.1))
        .collect()
}
