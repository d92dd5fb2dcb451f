//! The canonical digest of a group's rows in a graph store: it says what the rows are, and nothing
//! of how, when, how often or in which order they were written.
//!
//! Each row counts with one hash, over its [`RowKind`], its key and its canonical bytes
//! ([`encode_row`]); the digest is over the sum of these hashes modulo 2^256 and the number of
//! rows. A sum can be kept up to date row by row (the incremental hash "AdHash" of Bellare and
//! Micciancio), so the digest of a group costs nothing to read; a scan gives the same.
//!
//! Only rows as they were written count: not what is joined when they are read, not secondary
//! indexes, not checkpoints. Nor does the position of an episode ([`counted`]): the same input has
//! others on another log, or with another number of partitions.

use mneme_model::{EntityId, EpisodeId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Digest, StoreError};

/// The kinds of rows, each written from one topic. The byte is part of the digest and of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "each variant has the name of its row")]
pub enum RowKind {
    Community = b'c',
    Episode = b'e',
    FactVersion = b'f',
    Hold = b'h',
    Mention = b'm',
    Entity = b'n',
    Ontology = b'o',
    Support = b's',
    Status = b't',
    Summary = b'u',
}

/// What identifies a row within its group: its kind, then its key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowIdentity(Vec<u8>);

impl RowIdentity {
    fn of(kind: RowKind, key: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(1 + key.len());
        bytes.push(kind as u8);
        bytes.extend_from_slice(key);
        Self(bytes)
    }

    /// An episode.
    pub fn episode(episode: &EpisodeId) -> Self {
        Self::of(RowKind::Episode, episode.as_str().as_bytes())
    }

    /// The status of an episode.
    pub fn status(episode: &EpisodeId) -> Self {
        Self::of(RowKind::Status, episode.as_str().as_bytes())
    }

    /// The ontology of the group.
    pub fn ontology() -> Self {
        Self::of(RowKind::Ontology, &[])
    }

    /// An entity; its row holds no summary.
    pub fn entity(entity: EntityId) -> Self {
        Self::of(RowKind::Entity, entity.as_bytes())
    }

    /// The summary of an entity.
    pub fn summary(entity: EntityId) -> Self {
        Self::of(RowKind::Summary, entity.as_bytes())
    }

    /// A mention: its episode, a zero byte, its ordinal.
    pub fn mention(episode: &EpisodeId, ordinal: i32) -> Self {
        let mut key = episode.as_str().as_bytes().to_vec();
        key.push(0);
        // The sign flipped, so that the order of bytes is the order of ordinals.
        key.extend_from_slice(&((ordinal as u32) ^ (1 << 31)).to_be_bytes());
        Self::of(RowKind::Mention, &key)
    }

    /// A held record: its episode or nothing, a zero byte, its stage, a zero byte, its position.
    pub fn hold(episode: Option<&EpisodeId>, stage: &str, source_offset: i64) -> Self {
        let position = ((source_offset as u64) ^ (1 << 63)).to_be_bytes();
        let parts = [
            episode.map_or("", EpisodeId::as_str).as_bytes(),
            &[0],
            stage.as_bytes(),
            &[0],
            &position,
        ];
        Self::of(RowKind::Hold, &parts.concat())
    }

    /// A version of a fact.
    pub fn fact_version(version: Uuid) -> Self {
        Self::of(RowKind::FactVersion, version.as_bytes())
    }

    /// The support of a statement.
    pub fn support(statement: Uuid) -> Self {
        Self::of(RowKind::Support, statement.as_bytes())
    }

    /// A community.
    pub fn community(community: Uuid) -> Self {
        Self::of(RowKind::Community, community.as_bytes())
    }

    /// Kind and key, as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The canonical bytes of a row: postcard. The ontology's are its JSON text, since it leaves out
/// what is not set, which postcard can't read back.
pub fn encode_row<T: Serialize>(row: &T) -> Result<Vec<u8>, StoreError> {
    postcard::to_stdvec(row)
        .map_err(|error| StoreError::Broken(format!("a row can't be encoded: {error}")))
}

/// What counts of the canonical bytes of a row: all but the position of an episode.
pub fn counted<'r>(identity: &[u8], row: &'r [u8]) -> &'r [u8] {
    if identity.first() != Some(&(RowKind::Episode as u8)) {
        return row;
    }
    let end = row.len().saturating_sub(size_of::<u64>());
    row.get(..end).unwrap_or(row)
}

/// The sum of a group's rows (see the module).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowSum {
    /// The sum, least significant limb first.
    limbs: [u64; 4],
    rows: u64,
}

impl RowSum {
    /// Counts a row in.
    pub fn add(&mut self, identity: &[u8], row: &[u8]) {
        let mut carry = false;
        for (limb, part) in self.limbs.iter_mut().zip(row_hash(identity, row)) {
            let (sum, first) = limb.overflowing_add(part);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, first || second);
        }
        self.rows = self.rows.wrapping_add(1);
    }

    /// Takes a row out that was counted in.
    pub fn remove(&mut self, identity: &[u8], row: &[u8]) {
        let mut borrow = false;
        for (limb, part) in self.limbs.iter_mut().zip(row_hash(identity, row)) {
            let (rest, first) = limb.overflowing_sub(part);
            let (rest, second) = rest.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (rest, first || second);
        }
        self.rows = self.rows.wrapping_sub(1);
    }

    /// Whether no row is counted.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The digest.
    pub fn digest(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for limb in self.limbs {
            hasher.update(&limb.to_le_bytes());
        }
        hasher.update(&self.rows.to_le_bytes());
        *hasher.finalize().as_bytes()
    }
}

fn row_hash(identity: &[u8], row: &[u8]) -> [u64; 4] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(identity.len() as u64).to_le_bytes());
    hasher.update(identity);
    hasher.update(row);
    let hash = hasher.finalize();
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(hash.as_bytes().chunks_exact(8)) {
        let mut limb_bytes = [0; 8];
        limb_bytes.copy_from_slice(bytes);
        *limb = u64::from_le_bytes(limb_bytes);
    }
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_sum_forgets_the_way_that_led_to_it(
            kept in proptest::collection::vec((0u8..9, 0u8..9), 0..20),
            removed in proptest::collection::vec((0u8..9, 0u8..9), 0..20),
            rotation in 0usize..20,
        ) {
            let mut forward = RowSum::default();
            for (key, row) in &kept { forward.add(&[*key], &[*row]); }
            let mut other = RowSum::default();
            for (key, row) in &removed { other.add(&[*key], &[*row]); }
            let mut turned = kept.clone();
            if !turned.is_empty() { turned.rotate_left(rotation % kept.len()); }
            for (key, row) in &turned { other.add(&[*key], &[*row]); }
            for (key, row) in &removed { other.remove(&[*key], &[*row]); }
            proptest::prop_assert_eq!(forward.digest(), other.digest());
            proptest::prop_assert_eq!(forward.is_empty(), kept.is_empty());
        }
    }

    #[test]
    fn key_and_row_are_kept_apart() {
        let digest = |identity: &[u8], row: &[u8]| {
            let mut sum = RowSum::default();
            sum.add(identity, row);
            sum.digest()
        };
        assert_ne!(digest(b"ab", b"c"), digest(b"a", b"bc"));
        assert_ne!(digest(b"ab", b"c"), RowSum::default().digest());
    }
}
