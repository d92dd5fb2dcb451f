//! What the resolver decided.

use mneme_model::{EpisodeId, Instant, Literal, Polarity, ThreadId, TimePoint};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{EpisodeOutcome, EventHeader, ResolvedEntity};

/// A new entity, from its first mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityCreated {
    /// What every event begins with.
    pub header: EventHeader,
    /// UUIDv5 of the group and the first mention.
    pub entity_id: Uuid,
    /// Its canonical name.
    pub name: String,
    /// Its type.
    pub entity_type: Option<String>,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its ids in other systems.
    pub external_ids: Vec<String>,
    /// Entities that may be the same, for review.
    pub possible_same_as: Vec<Uuid>,
    /// The episode of its first mention.
    pub episode_id: EpisodeId,
}

/// What is known of an entity now, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityUpdated {
    /// What every event begins with.
    pub header: EventHeader,
    /// The entity.
    pub entity_id: Uuid,
    /// Its canonical name.
    pub name: String,
    /// Its type.
    pub entity_type: Option<String>,
    /// All its other names.
    pub aliases: Vec<String>,
    /// All its ids in other systems.
    pub external_ids: Vec<String>,
    /// Entities that may be the same, for review.
    pub possible_same_as: Vec<Uuid>,
}

/// An entity became part of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntitiesMerged {
    /// What every event begins with.
    pub header: EventHeader,
    /// The entity that goes.
    pub from: Uuid,
    /// The one that stays.
    pub into: Uuid,
}

/// Some mentions left an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntitySplit {
    /// What every event begins with.
    pub header: EventHeader,
    /// The entity that they left.
    pub entity_id: Uuid,
    /// The one that they went to.
    pub new_entity_id: Uuid,
    /// The episodes of these mentions.
    pub episodes: Vec<EpisodeId>,
}

/// Nothing names the entity any longer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityErased {
    /// What every event begins with.
    pub header: EventHeader,
    /// The entity.
    pub entity_id: Uuid,
}

/// A mention stands for an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MentionResolved {
    /// What every event begins with.
    pub header: EventHeader,
    /// The episode.
    pub episode_id: EpisodeId,
    /// The mention's ordinal.
    pub ordinal: i32,
    /// The entity.
    pub entity_id: Uuid,
    /// The name as written.
    pub name: String,
    /// The type given or found.
    pub entity_type: Option<String>,
    /// The id in another system.
    pub external_id: Option<String>,
    /// Other names that the episode gives it.
    pub aliases: Vec<String>,
    /// The rule that decided.
    pub rule: String,
    /// How sure, from 0 to 1.
    pub score: f64,
    /// The thread of the episode.
    pub thread_id: Option<ThreadId>,
}

/// A statement with its ends resolved; said again when they change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatementResolved {
    /// What every event begins with.
    pub header: EventHeader,
    /// UUIDv5 of the group, the episode and the ordinal.
    pub statement_id: Uuid,
    /// The episode.
    pub episode_id: EpisodeId,
    /// Its thread.
    pub thread_id: Option<ThreadId>,
    /// Its reference time.
    pub reference_time: Instant,
    /// The statement's ordinal.
    pub ordinal: i32,
    /// The ordinal of the subject's mention.
    pub subject_mention: i32,
    /// The subject.
    pub subject: ResolvedEntity,
    /// The relation as stated.
    pub relation: String,
    /// The ordinal of the object's mention.
    pub object_mention: Option<i32>,
    /// The object, where it is an entity.
    pub object: Option<ResolvedEntity>,
    /// The object, where it is a literal.
    pub value: Option<Literal>,
    /// The sentence.
    pub fact: String,
    /// When it began to hold, where said.
    pub valid_at: Option<TimePoint>,
    /// When it ceased to hold, where said.
    pub invalid_at: Option<TimePoint>,
    /// Whether it holds or has ended.
    pub polarity: Polarity,
    /// As in the statement.
    pub exclusive: bool,
}

/// The resolver is done with an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeResolved {
    /// What every event begins with.
    pub header: EventHeader,
    /// The episode.
    pub episode_id: EpisodeId,
    /// Its reference time.
    pub reference_time: Instant,
    /// How it went so far.
    pub outcome: EpisodeOutcome,
    /// Why it failed.
    pub reason: Option<String>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}
