//! What each change does to rows and indexes (the contract is in [`Change`]'s docs).

use fjall::UserValue;
use mneme_events::Topic;
use mneme_model::{EntityId, EpisodeId, GroupId, NameKey};

use super::batch::Batch;
use super::{apply_facts as facts, entries, view};
use crate::digest::RowIdentity;
use crate::{Change, EntityRow, EpisodeRow, MentionRow, StoreError};

/// Applies one change of a group to a batch.
pub(super) fn apply(
    batch: &mut Batch<'_>,
    group: &GroupId,
    change: &Change,
) -> Result<(), StoreError> {
    match change {
        Change::PutEpisode(row) => put_episode(batch, group, row),
        Change::EraseEpisode { topic, episode_id } => {
            erase_episode(batch, group, *topic, episode_id)
        }
        // Done by the caller, between batches (see `erase`).
        Change::EraseGroup { .. } => Ok(()),
        Change::PutOntology(ontology) => {
            let json = serde_json::to_vec(ontology).map_err(|error| {
                StoreError::Broken(format!("the ontology can't be encoded: {error}"))
            })?;
            batch.put_row_bytes(group, &RowIdentity::ontology(), json)
        }
        Change::PutStatus { episode_id, status } => {
            batch.put_row(group, &RowIdentity::status(episode_id), status)
        }
        Change::PutHold(row) => {
            let episode = row.episode_id.as_ref();
            let identity = RowIdentity::hold(episode, &row.stage, row.source_offset);
            batch.put_row(group, &identity, row)
        }
        Change::RemoveHold {
            episode_id,
            stage,
            source_offset,
        } => {
            let identity = RowIdentity::hold(episode_id.as_ref(), stage, *source_offset);
            batch.remove_row(group, &identity)
        }
        Change::PutEntity(row) => put_entity(batch, group, row),
        Change::MergeEntity { from, into } => merge_entity(batch, group, *from, *into),
        Change::EraseEntity(entity) => erase_entity(batch, group, *entity),
        Change::PutSummary { entity_id, summary } => {
            let identity = RowIdentity::summary(*entity_id);
            if summary.is_empty() {
                return batch.remove_row(group, &identity);
            }
            batch.put_row(group, &identity, summary)
        }
        Change::PutMention(row) => put_mention(batch, group, row),
        Change::PutFactVersion(row) => facts::put_version(batch, group, row),
        Change::ExpireFactVersion {
            version_id,
            expired_at,
            ..
        } => facts::expire_version(batch, group, *version_id, *expired_at),
        Change::EraseFactVersion { version_id, .. } => {
            facts::erase_version(batch, group, *version_id)
        }
        Change::PutSupport(row) => facts::put_support(batch, group, row),
        Change::RemoveSupport {
            statement_id,
            fact_id,
        } => facts::remove_support_of(batch, group, *statement_id, *fact_id),
        Change::PutCommunity(row) => {
            batch.put_row(group, &RowIdentity::community(row.community_id), row)
        }
        Change::RemoveCommunity(community) => {
            batch.remove_row(group, &RowIdentity::community(*community))
        }
    }
}

fn put_episode(batch: &mut Batch<'_>, group: &GroupId, row: &EpisodeRow) -> Result<(), StoreError> {
    let identity = RowIdentity::episode(&row.episode.episode_id);
    if let Some(old) = batch.row::<EpisodeRow>(group, &identity)? {
        if old.position < row.position {
            return Ok(());
        }
        remove_entries(batch, entries::of_episode(group, &old));
    }
    put_entries(batch, entries::of_episode(group, row), &nothing());
    batch.put_row(group, &identity, row)
}

fn erase_episode(
    batch: &mut Batch<'_>,
    group: &GroupId,
    topic: Topic,
    episode: &EpisodeId,
) -> Result<(), StoreError> {
    match topic {
        Topic::Episodes => {
            let identity = RowIdentity::episode(episode);
            if let Some(old) = batch.row::<EpisodeRow>(group, &identity)? {
                remove_entries(batch, entries::of_episode(group, &old));
                batch.remove_row(group, &identity)?;
            }
        }
        Topic::Resolutions => {
            for (key, bytes) in batch.scan(&entries::mentions_in(group, episode))? {
                let row: MentionRow = view::decode(&bytes)?;
                batch.remove_entry(entries::mention_of(group, &row));
                batch.remove_row_found(group, key, &bytes)?;
            }
        }
        Topic::Facts => {
            batch.remove_row(group, &RowIdentity::status(episode))?;
            facts::remove_support_from(batch, group, episode)?;
        }
        _ => {}
    }
    Ok(())
}

/// The keys of an entity's name and aliases, each once.
fn names_of(row: &EntityRow) -> Vec<NameKey> {
    let mut names: Vec<NameKey> = std::iter::once(&row.name)
        .chain(&row.aliases)
        .map(|name| NameKey::of(name))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The entries of an entity by name: none for one that was merged away.
fn name_entries(group: &GroupId, row: &EntityRow) -> Vec<Vec<u8>> {
    if row.merged_into.is_some() {
        return Vec::new();
    }
    let entry = |name| entries::by_name(group, &name).id(row.entity_id).done();
    names_of(row).into_iter().map(entry).collect()
}

fn put_entity(batch: &mut Batch<'_>, group: &GroupId, row: &EntityRow) -> Result<(), StoreError> {
    let identity = RowIdentity::entity(row.entity_id);
    let mut row = row.clone();
    row.summary = None;
    row.merged_into = None;
    if let Some(old) = batch.row::<EntityRow>(group, &identity)? {
        remove_entries(batch, name_entries(group, &old));
        row.created_at = old.created_at;
    }
    put_entries(batch, name_entries(group, &row), &nothing());
    batch.put_row(group, &identity, &row)
}

fn merge_entity(
    batch: &mut Batch<'_>,
    group: &GroupId,
    from: EntityId,
    into: EntityId,
) -> Result<(), StoreError> {
    let identity = RowIdentity::entity(from);
    let Some(mut row) = batch.row::<EntityRow>(group, &identity)? else {
        return Ok(());
    };
    remove_entries(batch, name_entries(group, &row));
    row.merged_into = Some(into);
    batch.put_row(group, &identity, &row)
}

fn erase_entity(
    batch: &mut Batch<'_>,
    group: &GroupId,
    entity: EntityId,
) -> Result<(), StoreError> {
    let identity = RowIdentity::entity(entity);
    if let Some(old) = batch.row::<EntityRow>(group, &identity)? {
        remove_entries(batch, name_entries(group, &old));
        batch.remove_row(group, &identity)?;
    }
    Ok(())
}

fn put_mention(batch: &mut Batch<'_>, group: &GroupId, row: &MentionRow) -> Result<(), StoreError> {
    let identity = RowIdentity::mention(&row.episode_id, row.ordinal);
    if let Some(old) = batch.row::<MentionRow>(group, &identity)? {
        batch.remove_entry(entries::mention_of(group, &old));
    }
    batch.put_entry(entries::mention_of(group, row), nothing());
    batch.put_row(group, &identity, row)
}

/// The value of an entry whose key says all.
pub(super) fn nothing() -> UserValue {
    UserValue::from([].as_slice())
}

/// Writes entries with one value.
pub(super) fn put_entries(batch: &mut Batch<'_>, keys: Vec<Vec<u8>>, value: &UserValue) {
    for key in keys {
        batch.put_entry(key, value.clone());
    }
}

/// Removes entries.
pub(super) fn remove_entries(batch: &mut Batch<'_>, keys: Vec<Vec<u8>>) {
    for key in keys {
        batch.remove_entry(key);
    }
}
