//! The rows of a group, by the first byte of their key.
//!
//! | first byte | then | value |
//! | --- | --- | --- |
//! | `t` | statement, entered | a placement, whole |
//! | `l` | slot, entered, statement | the placements that a slot has ever had |
//! | `o` | slot, start, order, statement | open evidence |
//! | `k` | slot, start, order, statement | closed evidence |
//! | `m` | slot, fact, instant, order, statement | ends |
//! | `d` | slot | the longest closed period that the slot has seen |
//! | `f` | fact | the slots of the fact |
//! | `c` | fact, start, version | versions believed now |
//! | `i` | slot, start, version | the same by slot |
//! | `v` | fact, version | versions ever believed |
//! | `w` | | changes of evidence that are not settled |
//! | `p` | episode, statement | the statements of an episode |
//! | `r` | stated relation, statement | the statements of a relation |
//! | `y` | | the ontology |

use mneme_model::{EpisodeId, FactId, Instant};
use uuid::Uuid;

/// Builds a key from a first byte and parts of fixed length (a text only as the last but for a
/// statement, which is as long as any other).
pub fn key(first: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + parts.iter().map(|part| part.len()).sum::<usize>());
    key.push(first);
    for part in parts {
        key.extend_from_slice(part);
    }
    key
}

/// Bytes whose order is that of the number.
pub fn number(value: i64) -> [u8; 8] {
    ((value as u64) ^ (1 << 63)).to_be_bytes()
}

pub fn placement(statement: Uuid, entered: i64) -> Vec<u8> {
    key(b't', &[statement.as_bytes(), &number(entered)])
}

pub fn placements(statement: Uuid) -> Vec<u8> {
    key(b't', &[statement.as_bytes()])
}

pub fn slot_log(slot: Uuid, entered: i64, statement: Uuid) -> Vec<u8> {
    key(
        b'l',
        &[slot.as_bytes(), &number(entered), statement.as_bytes()],
    )
}

pub fn open(slot: Uuid, start: Instant, order: i64, statement: Uuid) -> Vec<u8> {
    key(
        b'o',
        &[
            slot.as_bytes(),
            &start.to_key(),
            &number(order),
            statement.as_bytes(),
        ],
    )
}

pub fn closed(slot: Uuid, start: Instant, order: i64, statement: Uuid) -> Vec<u8> {
    key(
        b'k',
        &[
            slot.as_bytes(),
            &start.to_key(),
            &number(order),
            statement.as_bytes(),
        ],
    )
}

pub fn end(slot: Uuid, fact: FactId, at: Instant, order: i64, statement: Uuid) -> Vec<u8> {
    key(
        b'm',
        &[
            slot.as_bytes(),
            fact.as_bytes(),
            &at.to_key(),
            &number(order),
            statement.as_bytes(),
        ],
    )
}

pub fn longest_closed(slot: Uuid) -> Vec<u8> {
    key(b'd', &[slot.as_bytes()])
}

pub fn fact_slots(fact: FactId) -> Vec<u8> {
    key(b'f', &[fact.as_bytes()])
}

pub fn current(fact: FactId, start: Instant, version: Uuid) -> Vec<u8> {
    key(
        b'c',
        &[fact.as_bytes(), &start.to_key(), version.as_bytes()],
    )
}

pub fn current_in_slot(slot: Uuid, start: Instant, version: Uuid) -> Vec<u8> {
    key(
        b'i',
        &[slot.as_bytes(), &start.to_key(), version.as_bytes()],
    )
}

pub fn version(fact: FactId, version: Uuid) -> Vec<u8> {
    key(b'v', &[fact.as_bytes(), version.as_bytes()])
}

pub fn of_episode(episode: &EpisodeId) -> Vec<u8> {
    key(b'p', &[episode.as_str().as_bytes(), &[0]])
}

pub fn of_relation(relation: &str) -> Vec<u8> {
    key(b'r', &[relation.as_bytes(), &[0]])
}

/// The key of the changes that are not settled.
pub const UNSETTLED: &[u8] = b"w";

/// The key of the ontology.
pub const ONTOLOGY: &[u8] = b"y";

/// The last 16 bytes of a key as an id.
pub fn last_id(key: &[u8]) -> Option<Uuid> {
    let start = key.len().checked_sub(16)?;
    Uuid::from_slice(key.get(start..)?).ok()
}
