//! What the changes of facts do to rows and indexes.

use fjall::UserValue;
use mneme_model::{EpisodeId, FactId, GroupId, Instant};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::apply::{nothing, put_entries, remove_entries};
use super::batch::Batch;
use super::{entries, keys};
use crate::digest::{RowIdentity, encode_row};
use crate::{FactVersionRow, StoreError, SupportRow};

/// What the indexes hold of a version, so that a view is applied without reading the row.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct IndexedFact {
    pub(super) valid_at: Instant,
    pub(super) invalid_at: Option<Instant>,
    pub(super) created_at: Instant,
    pub(super) expired_at: Option<Instant>,
    pub(super) has_literal: bool,
}

impl IndexedFact {
    fn of(row: &FactVersionRow) -> Self {
        Self {
            valid_at: row.valid_at.at,
            invalid_at: row.invalid_at.map(|end| end.at),
            created_at: row.created_at,
            expired_at: row.expired_at,
            has_literal: row.object.entity_id().is_none(),
        }
    }
}

/// Writes a version.
pub(super) fn put_version(
    batch: &mut Batch<'_>,
    group: &GroupId,
    row: &FactVersionRow,
) -> Result<(), StoreError> {
    let identity = RowIdentity::fact_version(row.version_id);
    if let Some(old) = batch.row::<FactVersionRow>(group, &identity)? {
        remove_entries(batch, entries::of_fact_version(group, &old));
    }
    write_version(batch, group, row)
}

/// Sets when a version ceased to be believed; no matter if it is not there.
pub(super) fn expire_version(
    batch: &mut Batch<'_>,
    group: &GroupId,
    version: Uuid,
    expired_at: Instant,
) -> Result<(), StoreError> {
    let identity = RowIdentity::fact_version(version);
    let Some(mut row) = batch.row::<FactVersionRow>(group, &identity)? else {
        return Ok(());
    };
    remove_entries(batch, entries::of_fact_version(group, &row));
    row.expired_at = Some(expired_at);
    write_version(batch, group, &row)
}

/// Writes a version that has no entries now.
fn write_version(
    batch: &mut Batch<'_>,
    group: &GroupId,
    row: &FactVersionRow,
) -> Result<(), StoreError> {
    let times = UserValue::from(encode_row(&IndexedFact::of(row))?);
    put_entries(batch, entries::of_fact_version(group, row), &times);
    batch.put_row(group, &RowIdentity::fact_version(row.version_id), row)
}

/// Erases a version; no matter if it is not there.
pub(super) fn erase_version(
    batch: &mut Batch<'_>,
    group: &GroupId,
    version: Uuid,
) -> Result<(), StoreError> {
    let identity = RowIdentity::fact_version(version);
    if let Some(old) = batch.row::<FactVersionRow>(group, &identity)? {
        remove_entries(batch, entries::of_fact_version(group, &old));
        batch.remove_row(group, &identity)?;
    }
    Ok(())
}

/// Writes a support row.
pub(super) fn put_support(
    batch: &mut Batch<'_>,
    group: &GroupId,
    row: &SupportRow,
) -> Result<(), StoreError> {
    let identity = RowIdentity::support(row.statement_id);
    if let Some(old) = batch.row::<SupportRow>(group, &identity)? {
        remove_entries(batch, entries::of_support(group, &old));
    }
    put_entries(batch, entries::of_support(group, row), &nothing());
    batch.put_row(group, &identity, row)
}

/// Removes the support row of a statement if it is of this fact.
pub(super) fn remove_support_of(
    batch: &mut Batch<'_>,
    group: &GroupId,
    statement: Uuid,
    fact: FactId,
) -> Result<(), StoreError> {
    match batch.row::<SupportRow>(group, &RowIdentity::support(statement))? {
        Some(row) if row.fact_id == fact => remove_support(batch, group, &row),
        _ => Ok(()),
    }
}

/// Removes the support rows of an episode.
pub(super) fn remove_support_from(
    batch: &mut Batch<'_>,
    group: &GroupId,
    episode: &EpisodeId,
) -> Result<(), StoreError> {
    let found = batch.scan(&entries::support_from(group, episode).done())?;
    for statement in found.iter().filter_map(|(key, _)| keys::last_id(key)) {
        if let Some(row) = batch.row(group, &RowIdentity::support(statement))? {
            remove_support(batch, group, &row)?;
        }
    }
    Ok(())
}

fn remove_support(
    batch: &mut Batch<'_>,
    group: &GroupId,
    row: &SupportRow,
) -> Result<(), StoreError> {
    remove_entries(batch, entries::of_support(group, row));
    batch.remove_row(group, &RowIdentity::support(row.statement_id))
}
