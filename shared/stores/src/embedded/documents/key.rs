//! The order of rows: a number of a group, a kind, an id. Number 0 is the store's own.
//!
//! | key | row |
//! | --- | --- |
//! | group, kind, id | a document, a summary, evidence (see [`RowIdentity`]) |
//! | group, `X`, fact, statement | evidence by fact |
//! | group, `Y`, episode, 0, statement | evidence by episode |
//! | 0, `g`, group's id | the group |
//! | 0, `c`, topic, 0, partition | a checkpoint |
//! | 0, `a` | about the store |

use mneme_events::Topic;
use mneme_model::{EpisodeId, FactId, GroupId};
use uuid::Uuid;

use crate::DocumentKind;
use crate::digest::{RowIdentity, RowKind};

/// The number of a group.
pub(super) type GroupNumber = u32;

const OWN: GroupNumber = 0;
const BY_FACT: u8 = b'X';
const BY_EPISODE: u8 = b'Y';

fn key(group: GroupNumber, parts: &[&[u8]]) -> Vec<u8> {
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    let mut key = Vec::with_capacity(4 + length);
    key.extend_from_slice(&group.to_be_bytes());
    for part in parts {
        key.extend_from_slice(part);
    }
    key
}

pub(super) fn row(group: GroupNumber, identity: &RowIdentity) -> Vec<u8> {
    key(group, &[identity.as_bytes()])
}

/// All rows of a kind.
pub(super) fn rows(group: GroupNumber, kind: RowKind) -> Vec<u8> {
    key(group, &[&[kind as u8]])
}

/// How many bytes of a row's key come before its identity.
pub(super) const BEFORE_IDENTITY: usize = 4;
/// How many bytes of a row's key come before its id.
pub(super) const BEFORE_ID: usize = 5;

pub(super) fn evidence_of(group: GroupNumber, fact: FactId) -> Vec<u8> {
    key(group, &[&[BY_FACT], fact.as_bytes()])
}

pub(super) fn evidence_from(group: GroupNumber, episode: &EpisodeId) -> Vec<u8> {
    key(group, &[&[BY_EPISODE], episode.as_str().as_bytes(), &[0]])
}

/// The entries of evidence in both indexes.
pub(super) fn evidence_entries(
    group: GroupNumber,
    fact: FactId,
    episode: &EpisodeId,
    statement: Uuid,
) -> [Vec<u8>; 2] {
    [evidence_of(group, fact), evidence_from(group, episode)].map(|mut entry| {
        entry.extend_from_slice(statement.as_bytes());
        entry
    })
}

/// All entries of both indexes.
pub(super) fn all_evidence_entries(group: GroupNumber) -> [Vec<u8>; 2] {
    [key(group, &[&[BY_FACT]]), key(group, &[&[BY_EPISODE]])]
}

/// The statement at the end of an entry.
pub(super) fn statement_of(entry: &[u8]) -> Option<Uuid> {
    let at = entry.len().checked_sub(16)?;
    Uuid::from_slice(entry.get(at..)?).ok()
}

pub(super) fn group(id: &GroupId) -> Vec<u8> {
    key(OWN, &[b"g", id.as_str().as_bytes()])
}

pub(super) fn groups() -> Vec<u8> {
    key(OWN, &[b"g"])
}

pub(super) fn group_id_of(key: &[u8]) -> Option<GroupId> {
    let id = std::str::from_utf8(key.get(BEFORE_ID..)?).ok()?;
    GroupId::new(id).ok()
}

pub(super) fn checkpoint(topic: Topic, partition: u32) -> Vec<u8> {
    let name = topic.name().as_bytes();
    key(OWN, &[b"c", name, &[0], &partition.to_be_bytes()])
}

pub(super) fn about() -> Vec<u8> {
    key(OWN, &[b"a"])
}

/// The kind of rows that documents of a kind are.
pub(super) fn row_kind(kind: DocumentKind) -> RowKind {
    match kind {
        DocumentKind::Episode => RowKind::Episode,
        DocumentKind::Fact => RowKind::FactVersion,
        DocumentKind::Entity => RowKind::Entity,
        DocumentKind::Community => RowKind::Community,
    }
}
