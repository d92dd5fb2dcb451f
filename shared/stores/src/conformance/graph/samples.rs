//! Rows for the suite: small, each part named by a letter or a number.

use std::collections::BTreeMap;

use mneme_events::{Episode, ResolvedEntity, Topic};
use mneme_model::{
    EntityId, EpisodeId, GroupId, Instant, Literal, Polarity, Source, ThreadId, TimePoint,
    derived_id,
};
use uuid::Uuid;

use crate::{
    Change, CommunityRow, EntityRow, EpisodeRow, EpisodeState, FactObject, FactVersionRow,
    MentionRow, StatusRow, SupportRow, TimeView,
};

pub(super) fn group(name: &str) -> GroupId {
    GroupId::new(name).expect("a group id")
}

pub(super) fn episode_id(name: &str) -> EpisodeId {
    EpisodeId::new(name).expect("an episode id")
}

pub(super) fn thread_id(name: &str) -> ThreadId {
    ThreadId::new(name).expect("a thread id")
}

/// The id that stands for a name.
pub(super) fn id(name: &str) -> Uuid {
    derived_id(Uuid::NAMESPACE_OID, &[name.as_bytes()])
}

/// An instant, in seconds.
pub(super) fn at(seconds: i64) -> Instant {
    Instant::from_micros(seconds * 1_000_000)
}

/// What is valid at an instant, as known at another.
pub(super) fn view(as_of: i64, known_at: i64) -> TimeView {
    TimeView {
        as_of: at(as_of),
        known_at: at(known_at),
        include_past: false,
    }
}

/// All intervals, as known at an instant.
pub(super) fn all_known(known_at: i64) -> TimeView {
    TimeView {
        include_past: true,
        ..view(0, known_at)
    }
}

pub(super) fn episode(name: &str, thread: Option<&str>, time: i64, position: u64) -> EpisodeRow {
    EpisodeRow {
        group_id: group("any"),
        episode: Episode {
            episode_id: episode_id(name),
            thread_id: thread.map(thread_id),
            source: Source::Message,
            author: None,
            body: format!("the body of {name}"),
            facts: Vec::new(),
            reference_time: at(time),
            source_description: None,
            metadata: BTreeMap::from([("channel".to_owned(), "\"web\"".to_owned())]),
            digest: String::new(),
        },
        recorded_at: at(time + 1),
        position,
    }
}

pub(super) fn status(notes: &[&str]) -> StatusRow {
    StatusRow {
        state: EpisodeState::Done,
        reason: None,
        notes: notes.iter().map(|&note| note.to_owned()).collect(),
        created: 1,
        expired: 0,
    }
}

pub(super) fn entity(name: &str, shown: &str, aliases: &[&str]) -> EntityRow {
    EntityRow {
        group_id: group("any"),
        entity_id: id(name),
        name: shown.to_owned(),
        entity_type: Some("Person".to_owned()),
        aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
        external_ids: Vec::new(),
        possible_same_as: Vec::new(),
        merged_into: None,
        summary: None,
        created_at: at(1),
    }
}

pub(super) fn mention(episode: &str, ordinal: i32, entity: &str) -> MentionRow {
    MentionRow {
        episode_id: episode_id(episode),
        ordinal,
        entity_id: id(entity),
        name: entity.to_owned(),
        rule: "same key".to_owned(),
        score: 1.0,
    }
}

/// A version of the fact that `subject` knows `object`, named by both ends, from an instant on.
pub(super) fn version(name: &str, subject: &str, object: &str, start: i64) -> FactVersionRow {
    FactVersionRow {
        group_id: group("any"),
        version_id: id(name),
        fact_id: id(&format!("{subject} knows {object}")),
        subject: end(subject),
        relation: "knows".to_owned(),
        object: FactObject::Entity(end(object)),
        fact: format!("{subject} knows {object}"),
        valid_at: TimePoint::instant(at(start)),
        invalid_at: None,
        created_at: at(0),
        expired_at: None,
        support_since: None,
        episode_id: episode_id("e1"),
        reference_time: at(start),
    }
}

/// An end of a fact as its event shows it: with the id for a name.
pub(super) fn end(entity: &str) -> ResolvedEntity {
    ResolvedEntity {
        entity_id: id(entity),
        name: format!("{entity} as it was"),
        entity_type: None,
    }
}

pub(super) fn literal(text: &str) -> FactObject {
    FactObject::Literal(Literal::string(text))
}

pub(super) fn support(statement: &str, fact: Uuid, episode: &str, start: i64) -> SupportRow {
    SupportRow {
        fact_id: fact,
        statement_id: id(statement),
        episode_id: episode_id(episode),
        thread_id: None,
        reference_time: at(start),
        fact: format!("what {statement} says"),
        valid_at: TimePoint::instant(at(start)),
        invalid_at: None,
        polarity: Polarity::Holds,
    }
}

pub(super) fn community(name: &str, members: &[&str]) -> CommunityRow {
    CommunityRow {
        group_id: group("any"),
        community_id: id(name),
        name: name.to_owned(),
        keywords: vec!["work".to_owned()],
        summary: format!("what {name} is"),
        members: members.iter().map(|member| id(member)).collect(),
    }
}

pub(super) fn put_episode(row: EpisodeRow) -> Change {
    Change::PutEpisode(Box::new(row))
}

pub(super) fn put_entity(row: EntityRow) -> Change {
    Change::PutEntity(Box::new(row))
}

pub(super) fn put_version(row: FactVersionRow) -> Change {
    Change::PutFactVersion(Box::new(row))
}

pub(super) fn put_status(episode: &str, notes: &[&str]) -> Change {
    Change::PutStatus {
        episode_id: episode_id(episode),
        status: status(notes),
    }
}

pub(super) fn put_summary(entity: EntityId, summary: &str) -> Change {
    Change::PutSummary {
        entity_id: entity,
        summary: summary.to_owned(),
    }
}

pub(super) fn erase_episode(topic: Topic, episode: &str) -> Change {
    Change::EraseEpisode {
        topic,
        episode_id: episode_id(episode),
    }
}

pub(super) fn expire(row: &FactVersionRow, expired_at: i64) -> Change {
    Change::ExpireFactVersion {
        version_id: row.version_id,
        fact_id: row.fact_id,
        expired_at: at(expired_at),
    }
}
