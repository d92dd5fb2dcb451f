//! The entries of each row in the indexes, and the prefixes under which reads find them.

use mneme_model::{EntityId, EpisodeId, FactId, GroupId, NameKey, ThreadId};

use super::keys::{Index, Key};
use crate::digest::{RowIdentity, RowKind};
use crate::{EpisodeRow, FactObject, FactVersionRow, MentionRow, SupportRow};

/// The entries of an episode.
pub(super) fn of_episode(group: &GroupId, row: &EpisodeRow) -> Vec<Vec<u8>> {
    let mut keys = vec![by_time(group, row)];
    if let Some(thread) = &row.episode.thread_id {
        keys.push(by_thread(group, thread, row));
    }
    keys
}

/// The entry of an episode among all.
pub(super) fn by_time(group: &GroupId, row: &EpisodeRow) -> Vec<u8> {
    episode_place(Key::index(group, Index::ByTime), row)
}

/// The entry of an episode in its thread.
pub(super) fn by_thread(group: &GroupId, thread: &ThreadId, row: &EpisodeRow) -> Vec<u8> {
    episode_place(
        Key::index(group, Index::ByThread).text(thread.as_str()),
        row,
    )
}

fn episode_place(key: Key, row: &EpisodeRow) -> Vec<u8> {
    let mut key = key
        .instant(row.episode.reference_time)
        .number(row.position)
        .done();
    key.extend_from_slice(row.episode.episode_id.as_str().as_bytes());
    key
}

/// Where the entry of an episode's id begins, counted from the place (see [`episode_place`]).
pub(super) const EPISODE_PLACE: usize = 16;

/// The prefix of the entities with a name.
pub(super) fn by_name(group: &GroupId, name: &NameKey) -> Key {
    let hash = blake3::hash(name.as_str().as_bytes());
    Key::index(group, Index::ByName).bytes(hash.as_bytes())
}

/// The entry of a mention under its entity.
pub(super) fn mention_of(group: &GroupId, row: &MentionRow) -> Vec<u8> {
    let identity = RowIdentity::mention(&row.episode_id, row.ordinal);
    let mut key = mentions_of(group, row.entity_id);
    key.extend_from_slice(identity.as_bytes());
    key
}

/// The prefix of the mentions of an entity; what follows is the identity of a mention.
pub(super) fn mentions_of(group: &GroupId, entity: EntityId) -> Vec<u8> {
    Key::index(group, Index::MentionOf).id(entity).done()
}

/// The prefix of the rows of the mentions in an episode.
pub(super) fn mentions_in(group: &GroupId, episode: &EpisodeId) -> Vec<u8> {
    Key::rows(group, RowKind::Mention)
        .text(episode.as_str())
        .done()
}

/// The prefix of the rows of what is held of a group.
pub(super) fn holds(group: &GroupId) -> Vec<u8> {
    Key::rows(group, RowKind::Hold).done()
}

/// The prefix of the rows of what is held of an episode.
pub(super) fn holds_of(group: &GroupId, episode: &EpisodeId) -> Vec<u8> {
    Key::rows(group, RowKind::Hold)
        .text(episode.as_str())
        .done()
}

/// What is known of the end of a version, and the instant that decides whether a view may see it.
/// An entity with a long history has few open versions: a view of now passes over the others.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub(super) enum Span {
    /// Holds on, and is believed; ordered by the start.
    Open = 0,
    /// Has an end in the world, and is believed; ordered by that end.
    Closed = 1,
    /// Is believed no longer; ordered by when that ended.
    Expired = 2,
}

/// The prefix of the versions of a span at an entity.
pub(super) fn fact_end(group: &GroupId, entity: EntityId, span: Span) -> Key {
    Key::index(group, Index::FactEnd)
        .id(entity)
        .byte(span as u8)
}

/// The entries of a version of a fact. All end with the version.
pub(super) fn of_fact_version(group: &GroupId, row: &FactVersionRow) -> Vec<Vec<u8>> {
    let start = row.valid_at.at;
    let (span, decides) = match (row.expired_at, row.invalid_at) {
        (Some(expired_at), _) => (Span::Expired, expired_at),
        (None, Some(invalid_at)) => (Span::Closed, invalid_at.at),
        (None, None) => (Span::Open, start),
    };
    let end = |entity: EntityId| {
        fact_end(group, entity, span)
            .instant(decides)
            .id(row.version_id)
            .done()
    };
    let mut keys = vec![
        fact_order(group, row),
        end(row.subject.entity_id),
        Key::index(group, Index::FactHistory)
            .id(row.fact_id)
            .instant(row.created_at)
            .instant(start)
            .id(row.version_id)
            .done(),
        facts_from(group, &row.episode_id).id(row.version_id).done(),
    ];
    if let Some(object) = row.object.entity_id()
        && object != row.subject.entity_id
    {
        keys.push(end(object));
    }
    keys
}

/// The entry of a version in the order of the group's facts: by the id of the subject, relation,
/// object (entities by id, then literals by text), start, version.
pub(super) fn fact_order(group: &GroupId, row: &FactVersionRow) -> Vec<u8> {
    let key = Key::index(group, Index::FactOrder)
        .id(row.subject.entity_id)
        .any_text(&row.relation);
    let key = match &row.object {
        FactObject::Entity(entity) => key.byte(0).id(entity.entity_id),
        FactObject::Literal(literal) => {
            key.byte(1).any_text(&literal.text).byte(literal.kind as u8)
        }
    };
    key.instant(row.valid_at.at).id(row.version_id).done()
}

/// The prefix of the versions whose sentence an episode gave.
pub(super) fn facts_from(group: &GroupId, episode: &EpisodeId) -> Key {
    Key::index(group, Index::FactFrom).text(episode.as_str())
}

/// The prefix of the versions of a fact.
pub(super) fn fact_history(group: &GroupId, fact: FactId) -> Vec<u8> {
    Key::index(group, Index::FactHistory).id(fact).done()
}

/// The entries of a support row. All end with the statement.
pub(super) fn of_support(group: &GroupId, row: &SupportRow) -> Vec<Vec<u8>> {
    vec![
        Key::index(group, Index::SupportOf)
            .id(row.fact_id)
            .instant(row.valid_at.at)
            .id(row.statement_id)
            .done(),
        support_from(group, &row.episode_id)
            .id(row.statement_id)
            .done(),
    ]
}

/// The prefix of the support of a fact.
pub(super) fn support_of(group: &GroupId, fact: FactId) -> Vec<u8> {
    Key::index(group, Index::SupportOf).id(fact).done()
}

/// The prefix of the support rows of an episode.
pub(super) fn support_from(group: &GroupId, episode: &EpisodeId) -> Key {
    Key::index(group, Index::SupportFrom).text(episode.as_str())
}
