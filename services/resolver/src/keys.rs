//! The keys of the resolver's rows. A key begins with a readable word and no text inside it holds
//! a zero byte, which ends each text; so the rows of a prefix are exactly those meant.
//!
//! | key | value |
//! | --- | --- |
//! | `entity/` id | what is shown of the entity |
//! | `mention/` episode `\0` ordinal | the mention and the entity it stands for |
//! | `support/` entity, kind, key `\0` order | that a mention says this of the entity |
//! | `types/` entity | the types that the entity was given |
//! | `name/` key `\0` entity | the entity has this name |
//! | `external/` id `\0` entity | the entity has this id in another system |
//! | `token/` token `\0` entity | a name of the entity holds this word |
//! | `thread/` thread `\0` entity, order | the thread mentions the entity |
//! | `statement/` episode `\0` ordinal | the statement as last said |
//! | `end/` entity, other end, episode `\0` ordinal | the statement has these ends |
//! | `strict/` relation | the signatures that a statement must fit |

use mneme_model::{EntityId, EpisodeId, ThreadId};
use uuid::Uuid;

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// Text as it may stand in a key: without control characters.
pub fn key_text(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

fn order_bytes(order: i64) -> [u8; 8] {
    order.to_be_bytes()
}

fn ordinal_bytes(ordinal: i32) -> [u8; 4] {
    ordinal.to_be_bytes()
}

/// The row of an entity.
pub fn entity(id: EntityId) -> Vec<u8> {
    join(&[b"entity/", id.as_bytes()])
}

/// The rows of an episode's mentions.
pub fn mentions(episode: &EpisodeId) -> Vec<u8> {
    join(&[b"mention/", episode.as_str().as_bytes(), b"\0"])
}

/// The row of a mention.
pub fn mention(episode: &EpisodeId, ordinal: i32) -> Vec<u8> {
    join(&[&mentions(episode), &ordinal_bytes(ordinal)])
}

/// The rows that support what is known of an entity, of one kind.
pub fn supports(entity: EntityId, kind: u8) -> Vec<u8> {
    join(&[b"support/", entity.as_bytes(), &[kind]])
}

/// The rows that support one key of one kind.
pub fn supports_of(entity: EntityId, kind: u8, key: &str) -> Vec<u8> {
    join(&[&supports(entity, kind), key.as_bytes(), b"\0"])
}

/// The row of one support.
pub fn support(entity: EntityId, kind: u8, key: &str, order: i64) -> Vec<u8> {
    join(&[&supports_of(entity, kind, key), &order_bytes(order)])
}

/// The row of the types that an entity was given.
pub fn types(entity: EntityId) -> Vec<u8> {
    join(&[b"types/", entity.as_bytes()])
}

/// The entities that have a name key.
pub fn names(key: &str) -> Vec<u8> {
    join(&[b"name/", key.as_bytes(), b"\0"])
}

/// The row that says that an entity has a name key.
pub fn name(key: &str, entity: EntityId) -> Vec<u8> {
    join(&[&names(key), entity.as_bytes()])
}

/// The entities that have an id in another system.
pub fn externals(id: &str) -> Vec<u8> {
    join(&[b"external/", id.as_bytes(), b"\0"])
}

/// The row that says that an entity has an id in another system.
pub fn external(id: &str, entity: EntityId) -> Vec<u8> {
    join(&[&externals(id), entity.as_bytes()])
}

/// The entities with a word in one of their names.
pub fn tokens(token: &str) -> Vec<u8> {
    join(&[b"token/", token.as_bytes(), b"\0"])
}

/// The row that says that an entity has a word in one of its names.
pub fn token(token: &str, entity: EntityId) -> Vec<u8> {
    join(&[&tokens(token), entity.as_bytes()])
}

/// The mentions of an entity in a thread.
pub fn in_thread(thread: &ThreadId, entity: EntityId) -> Vec<u8> {
    join(&[
        b"thread/",
        thread.as_str().as_bytes(),
        b"\0",
        entity.as_bytes(),
    ])
}

/// The row of one mention of an entity in a thread.
pub fn thread_mention(thread: &ThreadId, entity: EntityId, order: i64) -> Vec<u8> {
    join(&[&in_thread(thread, entity), &order_bytes(order)])
}

/// The rows of an episode's statements.
pub fn statements(episode: &EpisodeId) -> Vec<u8> {
    join(&[b"statement/", episode.as_str().as_bytes(), b"\0"])
}

/// The row of a statement.
pub fn statement(episode: &EpisodeId, ordinal: i32) -> Vec<u8> {
    join(&[&statements(episode), &ordinal_bytes(ordinal)])
}

/// The statements that have an entity at either end.
pub fn ends(entity: EntityId) -> Vec<u8> {
    join(&[b"end/", entity.as_bytes()])
}

/// The statements between two entities; the nil id stands for a literal.
pub fn ends_between(entity: EntityId, other: Uuid) -> Vec<u8> {
    join(&[&ends(entity), other.as_bytes()])
}

/// The row that says that a statement has these ends.
pub fn end(entity: EntityId, other: Uuid, episode: &EpisodeId, ordinal: i32) -> Vec<u8> {
    join(&[
        &ends_between(entity, other),
        episode.as_str().as_bytes(),
        b"\0",
        &ordinal_bytes(ordinal),
    ])
}

/// The key of the statement that an `end/` row names.
pub fn statement_of_end(end: &[u8]) -> Vec<u8> {
    let fixed = b"end/".len() + 32;
    join(&[b"statement/", end.get(fixed..).unwrap_or_default()])
}

/// The rows of strict relations.
pub const STRICT: &[u8] = b"strict/";

/// The row of a strict relation.
pub fn strict(relation: &str) -> Vec<u8> {
    join(&[STRICT, key_text(relation).as_bytes()])
}

/// The entity that ends the key of a `name/`, `external/` or `token/` row.
pub fn trailing_entity(key: &[u8]) -> Option<EntityId> {
    Uuid::from_slice(key.get(key.len().checked_sub(16)?..)?).ok()
}

/// The order that ends the key of a `support/` or `thread/` row.
pub fn trailing_order(key: &[u8]) -> Option<i64> {
    let bytes = key.get(key.len().checked_sub(8)?..)?;
    bytes.try_into().ok().map(i64::from_be_bytes)
}
