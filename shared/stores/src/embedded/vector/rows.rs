//! Whole vectors on disk, by group, kind and slot.

use fjall::{Keyspace, OwnedWriteBatch};

use crate::embedded::documents::{Address, store_error};
use crate::{DocumentKind, StoreError};

/// The vectors of a generation.
#[derive(Clone)]
pub(super) struct VectorRows {
    pub keyspace: Keyspace,
    pub dimension: usize,
}

fn prefix(group: u32, kind: DocumentKind) -> [u8; 5] {
    let [a, b, c, d] = group.to_be_bytes();
    [a, b, c, d, kind as u8]
}

fn key(at: Address) -> Vec<u8> {
    let mut key = prefix(at.group, at.kind).to_vec();
    key.extend_from_slice(&at.slot.to_be_bytes());
    key
}

impl VectorRows {
    /// The vector at an address.
    pub fn get(&self, at: Address) -> Result<Option<Vec<f32>>, StoreError> {
        let stored = self.keyspace.get(key(at)).map_err(store_error)?;
        Ok(stored.map(|bytes| decode(&bytes)))
    }

    /// Gives the vectors of a kind of a group in order of their slots.
    pub fn for_each(
        &self,
        group: u32,
        kind: DocumentKind,
        mut each: impl FnMut(u32, &[f32]),
    ) -> Result<(), StoreError> {
        for entry in self.keyspace.prefix(prefix(group, kind)) {
            let (key, value) = entry.into_inner().map_err(store_error)?;
            let vector = decode(&value);
            if let Some((_, slot)) = key.split_last_chunk::<4>()
                && vector.len() == self.dimension
            {
                each(u32::from_be_bytes(*slot), &vector);
            }
        }
        Ok(())
    }

    /// Sets the vector at an address with a batch, or that there is none.
    pub fn set(&self, batch: &mut OwnedWriteBatch, at: Address, vector: Option<&[f32]>) {
        match vector {
            Some(vector) => {
                let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
                batch.insert(&self.keyspace, key(at), bytes);
            }
            None => batch.remove(&self.keyspace, key(at)),
        }
    }

    /// The keys of all vectors of a kind of a group.
    pub fn keys(&self, group: u32, kind: DocumentKind) -> Result<Vec<Vec<u8>>, StoreError> {
        let entries = self.keyspace.prefix(prefix(group, kind));
        let keys = entries.map(|entry| entry.key().map(|key| key.to_vec()).map_err(store_error));
        keys.collect()
    }
}

fn decode(bytes: &[u8]) -> Vec<f32> {
    let (components, _) = bytes.as_chunks::<4>();
    let components = components.iter().copied();
    components.map(f32::from_le_bytes).collect()
}
