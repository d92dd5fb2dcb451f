//! What is pending for the index of words, on disk (see [`super::recent`]).

use fjall::{Keyspace, OwnedWriteBatch};

use super::recent::{Owner, Plan, Recent};
use crate::digest::encode_row;
use crate::embedded::documents::{Address, decode, store_error};
use crate::{DocumentKind, StoreError};

const NUMBER: &[u8] = b"n";
const EMPTIED: u8 = b'e';
const PENDING: u8 = b'p';

/// What is pending, on disk. A key begins with the number of the commit of the index that it waits
/// for, so what was moved is not met again before it is compacted away.
pub(super) struct RecentRows {
    pub keyspace: Keyspace,
}

fn prefix(what: u8, number: u64) -> Vec<u8> {
    let mut key = vec![what];
    key.extend_from_slice(&number.to_be_bytes());
    key
}

fn owner_key(what: u8, number: u64, (group, kind): Owner) -> Vec<u8> {
    let mut key = prefix(what, number);
    key.extend_from_slice(&group.to_be_bytes());
    key.push(kind as u8);
    key
}

fn pending_key(number: u64, address: Address) -> Vec<u8> {
    let mut key = owner_key(PENDING, number, (address.group, address.kind));
    key.extend_from_slice(&address.slot.to_be_bytes());
    key
}

fn owner_of(key: &[u8]) -> Option<Owner> {
    let (_, rest) = key.split_first_chunk::<9>()?;
    let (group, rest) = rest.split_first_chunk::<4>()?;
    let kind = match rest.first()? {
        0 => DocumentKind::Episode,
        1 => DocumentKind::Fact,
        2 => DocumentKind::Entity,
        _ => DocumentKind::Community,
    };
    Some((u32::from_be_bytes(*group), kind))
}

impl RecentRows {
    /// The number of the last commit of the index that the rows know of.
    pub fn number(&self) -> Result<u64, StoreError> {
        let stored = self.keyspace.get(NUMBER).map_err(store_error)?;
        stored.map_or(Ok(0), |value| decode(&value))
    }

    /// Reads what waits for a commit.
    pub fn read(&self, number: u64) -> Result<Recent, StoreError> {
        let mut plan = Plan::default();
        for entry in self.keyspace.prefix(prefix(EMPTIED, number)) {
            let key = entry.key().map_err(store_error)?;
            plan.emptied.extend(owner_of(&key));
        }
        for entry in self.keyspace.prefix(prefix(PENDING, number)) {
            let (key, value) = entry.into_inner().map_err(store_error)?;
            if let (Some((group, kind)), Some((_, slot))) =
                (owner_of(&key), key.split_last_chunk::<4>())
            {
                let slot = u32::from_be_bytes(*slot);
                let pending = Some(decode(&value)?);
                plan.pending.insert(Address { group, kind, slot }, pending);
            }
        }
        let mut recent = Recent::default();
        recent.apply(plan);
        Ok(recent)
    }

    /// Writes what a batch does to what waits for a commit, with the batch.
    pub fn write(
        &self,
        batch: &mut OwnedWriteBatch,
        number: u64,
        plan: &Plan,
    ) -> Result<(), StoreError> {
        for owner in &plan.emptied {
            batch.insert(&self.keyspace, owner_key(EMPTIED, number, *owner), []);
        }
        for (address, pending) in &plan.pending {
            let key = pending_key(number, *address);
            match pending {
                Some(pending) => batch.insert(&self.keyspace, key, encode_row(pending)?),
                None => batch.remove(&self.keyspace, key),
            }
        }
        Ok(())
    }

    /// Removes what waited for a commit, now that it is made, and writes its number.
    pub fn moved(
        &self,
        batch: &mut OwnedWriteBatch,
        recent: &Recent,
        number: u64,
    ) -> Result<(), StoreError> {
        for owner in recent.emptied() {
            batch.remove(&self.keyspace, owner_key(EMPTIED, number, owner));
        }
        for (address, _) in recent.pending() {
            batch.remove(&self.keyspace, pending_key(number, address));
        }
        batch.insert(&self.keyspace, NUMBER, encode_row(&number)?);
        Ok(())
    }
}
