//! The erasure of a group's rows of a topic: a piece at a time, so that it takes no more memory for
//! a large group than for a small one.
//!
//! It stands between two batches, so what holds it is not atomic: a crash within it leaves some of
//! the group's rows, with their sums, and the checkpoint of before, from which the same changes
//! erase the rest.

use fjall::{Database, Keyspace};
use mneme_events::Topic;
use mneme_model::GroupId;

use super::batch::Batch;
use super::keys::{self, Key};
use super::store_error;
use crate::StoreError;

/// How many keys are erased at once.
const PIECE: usize = 10_000;

/// Erases what a topic wrote of a group.
pub(super) fn erase_group(
    database: &Database,
    keyspace: &Keyspace,
    group: &GroupId,
    topic: Topic,
) -> Result<(), StoreError> {
    let (rows, indexes) = keys::kinds_of(topic);
    let mut batch = Batch::new(keyspace);
    for &index in indexes {
        for entry in keyspace.prefix(Key::index(group, index).done()) {
            batch.remove_entry(entry.key().map_err(store_error)?.to_vec());
            batch = commit_piece(batch, database, keyspace)?;
        }
    }
    for &kind in rows {
        for entry in keyspace.prefix(Key::rows(group, kind).done()) {
            let (key, row) = entry.into_inner().map_err(store_error)?;
            batch.remove_row_found(group, key.to_vec(), &row)?;
            batch = commit_piece(batch, database, keyspace)?;
        }
    }
    batch.commit(database)
}

/// Commits the batch if it holds a piece.
fn commit_piece<'k>(
    batch: Batch<'k>,
    database: &Database,
    keyspace: &'k Keyspace,
) -> Result<Batch<'k>, StoreError> {
    if batch.len() < PIECE {
        return Ok(batch);
    }
    batch.commit(database)?;
    Ok(Batch::new(keyspace))
}
