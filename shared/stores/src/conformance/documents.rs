//! Rows for the suites of text and vectors: each part named by a word or a number.

#![allow(
    clippy::expect_used,
    reason = "a suite fails by a panic that names what was expected"
)]

use std::collections::BTreeMap;

use mneme_events::{Author, Episode, ResolvedEntity, StatedFact, Topic};
use mneme_model::{
    EpisodeId, GroupId, GroupScope, Instant, Polarity, Source, ThreadId, TimePoint, derived_id,
};
use uuid::Uuid;

use crate::{
    Change, CommunityRow, EntityRow, EpisodeRow, FactObject, FactVersionRow, Projection,
    SupportRow, TimeView,
};

pub(crate) fn group(name: &str) -> GroupId {
    GroupId::new(name).expect("a group id")
}

pub(crate) fn scope(groups: &[&str]) -> GroupScope {
    let groups = groups.iter().map(|name| group(name)).collect();
    GroupScope::new(groups).expect("a scope")
}

/// The id that stands for a name.
pub(crate) fn id(name: &str) -> Uuid {
    derived_id(Uuid::NAMESPACE_OID, &[name.as_bytes()])
}

/// An instant, in hours.
pub(crate) fn at(hours: i64) -> Instant {
    Instant::from_micros(hours * 3_600_000_000)
}

/// What is valid at an instant, as known at the end of time.
pub(crate) fn as_of(hours: i64) -> TimeView {
    TimeView {
        as_of: at(hours),
        known_at: Instant::MAX,
        include_past: false,
    }
}

/// All intervals, as known at the end of time.
pub(crate) fn any_time() -> TimeView {
    TimeView {
        include_past: true,
        ..as_of(0)
    }
}

/// A message without an author. Its position is its hour unless it is set.
pub(crate) fn episode(name: &str, thread: Option<&str>, hours: i64, body: &str) -> EpisodeRow {
    EpisodeRow {
        group_id: group("any"),
        episode: Episode {
            episode_id: EpisodeId::new(name).expect("an episode id"),
            thread_id: thread.map(|thread| ThreadId::new(thread).expect("a thread id")),
            source: Source::Message,
            author: None,
            body: body.to_owned(),
            facts: Vec::new(),
            reference_time: at(hours),
            source_description: None,
            metadata: BTreeMap::new(),
            digest: String::new(),
        },
        recorded_at: at(hours),
        position: hours as u64,
    }
}

pub(crate) fn written_by(mut row: EpisodeRow, author: &str) -> EpisodeRow {
    row.episode.author = Some(Author {
        name: author.to_owned(),
        role: None,
        external_id: None,
    });
    row
}

pub(crate) fn with_metadata(mut row: EpisodeRow, key: &str, json: &str) -> EpisodeRow {
    row.episode.metadata.insert(key.to_owned(), json.to_owned());
    row
}

pub(crate) fn of_source(mut row: EpisodeRow, source: Source) -> EpisodeRow {
    row.episode.source = source;
    row
}

/// A statement of a `facts` episode.
pub(crate) fn stated(sentence: &str) -> StatedFact {
    StatedFact {
        subject: "somebody".to_owned(),
        subject_type: None,
        subject_external_id: None,
        relation: "DOES".to_owned(),
        object: Some("something".to_owned()),
        object_type: None,
        object_external_id: None,
        value: None,
        fact: sentence.to_owned(),
        valid_at: None,
        invalid_at: None,
        polarity: Polarity::Holds,
        exclusive: false,
    }
}

/// A version of a fact of its own, valid from an hour on and known from then on.
pub(crate) fn version(name: &str, hours: i64, sentence: &str) -> FactVersionRow {
    let end = |name: &str, entity_type: &str| ResolvedEntity {
        entity_id: id(name),
        name: name.to_owned(),
        entity_type: Some(entity_type.to_owned()),
    };
    FactVersionRow {
        group_id: group("any"),
        version_id: id(name),
        fact_id: id(&format!("fact of {name}")),
        subject: end("Subject", "Person"),
        relation: "RELATES_TO".to_owned(),
        object: FactObject::Entity(end("Object", "Place")),
        fact: sentence.to_owned(),
        valid_at: TimePoint::instant(at(hours)),
        invalid_at: None,
        created_at: at(hours),
        expired_at: None,
        support_since: None,
        episode_id: EpisodeId::new("e1").expect("an episode id"),
        reference_time: at(hours),
    }
}

pub(crate) fn until(mut row: FactVersionRow, hours: i64) -> FactVersionRow {
    row.invalid_at = Some(TimePoint::instant(at(hours)));
    row
}

/// Evidence for a version's fact, from an episode said at an hour.
pub(crate) fn support(statement: &str, of: &FactVersionRow, episode: &str, hours: i64) -> Change {
    Change::PutSupport(SupportRow {
        fact_id: of.fact_id,
        statement_id: id(statement),
        episode_id: EpisodeId::new(episode).expect("an episode id"),
        thread_id: None,
        reference_time: at(hours),
        fact: of.fact.clone(),
        valid_at: of.valid_at,
        invalid_at: None,
        polarity: Polarity::Holds,
    })
}

pub(crate) fn entity(key: &str, name: &str, aliases: &[&str], entity_type: &str) -> Change {
    Change::PutEntity(Box::new(EntityRow {
        group_id: group("any"),
        entity_id: id(key),
        name: name.to_owned(),
        entity_type: Some(entity_type.to_owned()),
        aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
        external_ids: Vec::new(),
        possible_same_as: Vec::new(),
        merged_into: None,
        summary: None,
        created_at: at(0),
    }))
}

pub(crate) fn merge(from: &str, into: &str) -> Change {
    Change::MergeEntity {
        from: id(from),
        into: id(into),
    }
}

pub(crate) fn summary(entity: &str, text: &str) -> Change {
    Change::PutSummary {
        entity_id: id(entity),
        summary: text.to_owned(),
    }
}

pub(crate) fn community(name: &str, keywords: &[&str], text: &str) -> Change {
    Change::PutCommunity(Box::new(CommunityRow {
        group_id: group("any"),
        community_id: id(name),
        name: name.to_owned(),
        keywords: keywords.iter().map(|&word| word.to_owned()).collect(),
        summary: text.to_owned(),
        members: vec![id("a member")],
    }))
}

pub(crate) fn put(row: EpisodeRow) -> Change {
    Change::PutEpisode(Box::new(row))
}

pub(crate) fn put_version(row: FactVersionRow) -> Change {
    Change::PutFactVersion(Box::new(row))
}

pub(crate) fn expire(row: &FactVersionRow, hours: i64) -> Change {
    Change::ExpireFactVersion {
        version_id: row.version_id,
        fact_id: row.fact_id,
        expired_at: at(hours),
    }
}

pub(crate) fn erase_version(row: &FactVersionRow) -> Change {
    Change::EraseFactVersion {
        version_id: row.version_id,
        fact_id: row.fact_id,
    }
}

pub(crate) fn erase_episode(topic: Topic, name: &str) -> Change {
    Change::EraseEpisode {
        topic,
        episode_id: EpisodeId::new(name).expect("an episode id"),
    }
}

/// A record of an episode is no longer held.
pub(crate) fn release(name: &str, position: u64) -> Change {
    Change::RemoveHold {
        episode_id: Some(EpisodeId::new(name).expect("an episode id")),
        stage: "resolver".to_owned(),
        source_offset: position as i64,
    }
}

/// The erasure of a group as each topic brings it.
pub(crate) fn erase_group() -> Vec<Change> {
    let topics = Topic::PROJECTED.into_iter();
    topics.map(|topic| Change::EraseGroup { topic }).collect()
}

/// Applies changes of a group.
pub(crate) async fn apply(
    store: &(impl Projection + ?Sized),
    generation: u32,
    name: &str,
    changes: Vec<Change>,
) {
    let changes: Vec<_> = changes
        .into_iter()
        .map(|change| (group(name), change))
        .collect();
    let applied = store.apply(generation, &changes, &[]).await;
    applied.expect("changes are applied");
}
