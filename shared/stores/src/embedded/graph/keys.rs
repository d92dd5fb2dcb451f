//! The keys of a generation: order and uniqueness of every index are decided here.
//!
//! A generation is a keyspace of its own. In it, a key begins with the group's id and a zero byte
//! (which no id holds, so no group's keys lie among another's), then the kind: a primary row (see
//! [`RowIdentity`]) or an index, then what the index is ordered by. Checkpoints and sums of
//! groups begin with a byte that no group begins with.
//!
//! | index | ordered by | holds |
//! | --- | --- | --- |
//! | `ByTime` | reference time, position, episode | |
//! | `ByThread` | thread, reference time, position, episode | |
//! | `ByName` | key of a name or alias, entity (living ones) | |
//! | `MentionOf` | entity, episode, ordinal | |
//! | `FactOrder` | subject, relation, object, start, version | times |
//! | `FactEnd` | subject or object, [`Span`](super::entries::Span), its instant, version | times |
//! | `FactHistory` | fact, `created_at`, start, version | times |
//! | `FactFrom` | episode of the sentence, version | times |
//! | `SupportOf` | fact, start, statement | |
//! | `SupportFrom` | episode, statement | |

use mneme_events::Topic;
use mneme_model::{GroupId, Instant};
use uuid::Uuid;

use crate::digest::{RowIdentity, RowKind};

/// The first byte of checkpoints.
const CHECKPOINT: u8 = 0;
/// The first byte of the sums of groups.
pub(super) const SUM: u8 = 1;

/// The longest text that goes into a key whole; of a longer one its beginning and a hash.
const MAX_KEY_TEXT: usize = 256;

/// The secondary indexes (see the module).
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub(super) enum Index {
    ByTime = b'A',
    ByThread = b'B',
    ByName = b'C',
    MentionOf = b'D',
    FactOrder = b'E',
    FactEnd = b'F',
    FactHistory = b'G',
    FactFrom = b'H',
    SupportOf = b'I',
    SupportFrom = b'J',
}

/// The rows and indexes that are written from a topic.
pub(super) fn kinds_of(topic: Topic) -> (&'static [RowKind], &'static [Index]) {
    match topic {
        Topic::Episodes => (
            &[RowKind::Episode, RowKind::Ontology],
            &[Index::ByTime, Index::ByThread],
        ),
        Topic::Resolutions => (
            &[RowKind::Entity, RowKind::Mention],
            &[Index::ByName, Index::MentionOf],
        ),
        Topic::Facts => (
            &[RowKind::FactVersion, RowKind::Support, RowKind::Status],
            &[
                Index::FactOrder,
                Index::FactEnd,
                Index::FactHistory,
                Index::FactFrom,
                Index::SupportOf,
                Index::SupportFrom,
            ],
        ),
        Topic::Communities => (&[RowKind::Community, RowKind::Summary], &[]),
        Topic::Parked => (&[RowKind::Hold], &[]),
        Topic::Extractions | Topic::Inferences | Topic::DeadLetters => (&[], &[]),
    }
}

/// A key while it is written, part by part.
#[derive(Debug, Clone)]
pub(super) struct Key(Vec<u8>);

impl Key {
    fn group(group: &GroupId) -> Self {
        let mut bytes = Vec::with_capacity(96);
        bytes.extend_from_slice(group.as_str().as_bytes());
        bytes.push(0);
        Self(bytes)
    }

    /// The key of a row.
    pub(super) fn row(group: &GroupId, identity: &RowIdentity) -> Vec<u8> {
        Self::row_at(group, identity.as_bytes())
    }

    /// The key of a row, by the bytes of its identity.
    pub(super) fn row_at(group: &GroupId, identity: &[u8]) -> Vec<u8> {
        let mut key = Self::group(group);
        key.0.extend_from_slice(identity);
        key.0
    }

    /// The prefix of all rows of a kind.
    pub(super) fn rows(group: &GroupId, kind: RowKind) -> Self {
        Self::group(group).byte(kind as u8)
    }

    /// The beginning of an index.
    pub(super) fn index(group: &GroupId, index: Index) -> Self {
        Self::group(group).byte(index as u8)
    }

    /// Adds a byte.
    pub(super) fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    /// Adds text that holds no zero byte: an id.
    pub(super) fn text(mut self, text: &str) -> Self {
        self.0.extend_from_slice(text.as_bytes());
        self.byte(0)
    }

    /// Adds bytes as they are.
    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds any text, in its order as far as [`MAX_KEY_TEXT`] bytes tell.
    pub(super) fn any_text(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let whole = bytes.len() <= MAX_KEY_TEXT;
        let shown = bytes.get(..MAX_KEY_TEXT).unwrap_or(bytes);
        self.0.extend(shown.iter().filter(|&&byte| byte != 0));
        self = self.byte(0);
        if !whole {
            self.0
                .extend_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        }
        self
    }

    /// Adds an id.
    pub(super) fn id(mut self, id: Uuid) -> Self {
        self.0.extend_from_slice(id.as_bytes());
        self
    }

    /// Adds an instant, in the order of time.
    pub(super) fn instant(mut self, at: Instant) -> Self {
        self.0.extend_from_slice(&at.to_key());
        self
    }

    /// Adds a number, in its order.
    pub(super) fn number(mut self, number: u64) -> Self {
        self.0.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// The key.
    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }
}

/// The first key after all that begin with `prefix`, which does not end with 0xff (or is bounded
/// by what follows it: a zero byte or a kind).
pub(super) fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end;
        }
    }
    end
}

/// The checkpoint of a partition of a topic.
pub(super) fn checkpoint(topic: Topic, partition: u32) -> Vec<u8> {
    let mut key = vec![CHECKPOINT];
    key.extend_from_slice(topic.name().as_bytes());
    key.push(0);
    key.extend_from_slice(&partition.to_be_bytes());
    key
}

/// The sum of a group.
pub(super) fn sum(group: &GroupId) -> Vec<u8> {
    let mut key = vec![SUM];
    key.extend_from_slice(group.as_str().as_bytes());
    key
}

/// The group of a key, and what follows: the identity of a row, or an entry of an index.
pub(super) fn split_group(key: &[u8]) -> Option<(GroupId, &[u8])> {
    let end = key.iter().position(|&byte| byte == 0)?;
    let group = std::str::from_utf8(key.get(..end)?).ok()?;
    Some((GroupId::new(group).ok()?, key.get(end + 1..)?))
}

/// Whether what follows the group is the identity of a row: indexes have capital letters.
pub(super) fn is_row(rest: &[u8]) -> bool {
    rest.first().is_some_and(u8::is_ascii_lowercase)
}

/// The id that a key ends with.
pub(super) fn last_id(key: &[u8]) -> Option<Uuid> {
    key.last_chunk::<16>().map(|bytes| Uuid::from_bytes(*bytes))
}
