//! The records that events are made of.

use std::collections::BTreeMap;

use mneme_model::{EpisodeId, GroupId, Instant, Literal, Polarity, Source, ThreadId, TimePoint};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What every event begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventHeader {
    /// UUIDv5 of the cause, the stage and an ordinal: processing the cause again gives the same id.
    pub event_id: Uuid,
    /// The memory graph that the event belongs to; the key of the record.
    pub group_id: GroupId,
    /// Counts the events of this group on this topic from 1, without gaps. 0 on `episodes`, where many producers write: there the position in the log takes its place.
    pub seq: i64,
    /// The event that this one follows from; none for what a producer sent.
    pub cause: Option<Uuid>,
    /// When the episode or request at the root of this event was received.
    pub recorded_at: Instant,
}

/// Who wrote an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Author {
    /// The name as the producer gives it.
    pub name: String,
    /// The role in the thread, such as `user` or `agent`.
    pub role: Option<String>,
    /// The id in the producer's system; two authors with one id are one person.
    pub external_id: Option<String>,
}

/// A place in the body of an episode, in bytes of UTF-8.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: i32,
    /// The byte after the last.
    pub end: i32,
}

/// A statement as a producer gives it, ends by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatedFact {
    /// The name of the subject.
    pub subject: String,
    /// Its type.
    pub subject_type: Option<String>,
    /// Its id in another system.
    pub subject_external_id: Option<String>,
    /// The name of the relation.
    pub relation: String,
    /// The name of the object, where it is an entity.
    pub object: Option<String>,
    /// Its type.
    pub object_type: Option<String>,
    /// Its id in another system.
    pub object_external_id: Option<String>,
    /// The object, where it is a literal.
    pub value: Option<Literal>,
    /// The statement as a sentence.
    pub fact: String,
    /// When it began to hold.
    pub valid_at: Option<TimePoint>,
    /// When it ceased to hold.
    pub invalid_at: Option<TimePoint>,
    /// Whether it holds or has ended.
    pub polarity: Polarity,
    /// Whether, where the ontology is silent, a subject has one object of this relation at a time.
    pub exclusive: bool,
}

/// One unit of input, verbatim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// The producer's id of the episode within its group.
    pub episode_id: EpisodeId,
    /// The chat or ticket that it belongs to.
    pub thread_id: Option<ThreadId>,
    /// What kind of input it is.
    pub source: Source,
    /// Who wrote it.
    pub author: Option<Author>,
    /// The text; for `json` the JSON text; empty for `facts`.
    pub body: String,
    /// The statements of a `facts` episode, or those that a mapping drew from a record.
    pub facts: Vec<StatedFact>,
    /// The instant that the episode speaks from.
    pub reference_time: Instant,
    /// Where it comes from, for people.
    pub source_description: Option<String>,
    /// The producer's own fields; values are JSON texts.
    pub metadata: BTreeMap<String, String>,
    /// A digest of all above: the same id with another digest is a conflict.
    pub digest: String,
}

/// One place in an episode that names an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mention {
    /// Its number within the episode, from 0.
    pub ordinal: i32,
    /// The name as written.
    pub name: String,
    /// The type given or found.
    pub entity_type: Option<String>,
    /// Its id in another system.
    pub external_id: Option<String>,
    /// Other names that the episode itself gives it.
    pub aliases: Vec<String>,
    /// Whether it is the author of the episode.
    pub speaker: bool,
    /// Where it stands in the body.
    pub span: Option<Span>,
}

/// A statement found in an episode, ends by mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtractedStatement {
    /// Its number within the episode, from 0.
    pub ordinal: i32,
    /// The ordinal of the subject's mention.
    pub subject: i32,
    /// The name of the relation.
    pub relation: String,
    /// The ordinal of the object's mention, where it is an entity.
    pub object: Option<i32>,
    /// The object, where it is a literal.
    pub value: Option<Literal>,
    /// The statement as a sentence.
    pub fact: String,
    /// When it began to hold, where said.
    pub valid_at: Option<TimePoint>,
    /// When it ceased to hold, where said.
    pub invalid_at: Option<TimePoint>,
    /// Whether it holds or has ended.
    pub polarity: Polarity,
    /// Whether, where the ontology is silent, a subject has one object of this relation at a time.
    pub exclusive: bool,
    /// Where it stands in the body.
    pub span: Option<Span>,
}

/// An entity with what later stages show of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedEntity {
    /// The entity.
    pub entity_id: Uuid,
    /// Its canonical name at that time.
    pub name: String,
    /// Its type at that time.
    pub entity_type: Option<String>,
}

/// What a correction sets; what is absent stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// The right relation.
    pub relation: Option<String>,
    /// The right object, where it is an entity.
    pub object: Option<String>,
    /// Its type.
    pub object_type: Option<String>,
    /// The right object, where it is a literal.
    pub value: Option<Literal>,
    /// The right sentence.
    pub fact: Option<String>,
    /// The right start.
    pub valid_at: Option<TimePoint>,
    /// The right end.
    pub invalid_at: Option<TimePoint>,
    /// Whether the fact is withdrawn altogether.
    pub retract: bool,
}

/// How the processing of an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EpisodeOutcome {
    /// Its statements are applied.
    Done,
    /// It could not be read; its text is stored and searchable.
    Failed,
}
