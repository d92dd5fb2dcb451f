//! What the stores hold, one struct a kind of row. Each kind is written from one topic only.

use mneme_events::{Episode, ResolvedEntity, STILL_ANSWERING};
use mneme_model::{
    EntityId, EpisodeId, FactId, GroupId, Instant, Literal, Polarity, ThreadId, TimePoint,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The kinds of documents that text and vectors are kept of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentKind {
    /// The verbatim text of an episode; the id is that of the episode.
    Episode,
    /// The sentence of a version of a fact; the id is that of the version.
    Fact,
    /// The name, aliases and summary of an entity (text), its name (vector).
    Entity,
    /// The name, keywords and summary of a community (text), its name (vector).
    Community,
}

/// An episode as it came. From `episodes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRow {
    /// The group.
    pub group_id: GroupId,
    /// The episode.
    pub episode: Episode,
    /// When it was received.
    pub recorded_at: Instant,
    /// Its position in the log, which orders the episodes of a thread with equal times. Last and of a
    /// fixed length, since the digest leaves it out.
    #[serde(with = "postcard::fixint::le")]
    pub position: u64,
}

/// How far an episode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EpisodeState {
    /// Accepted; on its way through the stages.
    Accepted,
    /// Its group waits for something that an operator or time must mend.
    Waiting,
    /// Its group is parked until an operator replays it.
    Parked,
    /// It could not be read; its text is searchable.
    Failed,
    /// Its facts are applied.
    Done,
}

/// How far an episode is, and what was left out. From `facts` and `parked`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatusRow {
    /// How far.
    pub state: EpisodeState,
    /// Why it waits, is parked or failed.
    pub reason: Option<String>,
    /// What was left out or matched nothing.
    pub notes: Vec<String>,
    /// Rows of facts that it created.
    pub created: i32,
    /// Rows of facts that it expired.
    pub expired: i32,
}

/// A record of a group that is paused. From `parked`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HoldRow {
    /// The episode that it is of, where it is of one.
    pub episode_id: Option<EpisodeId>,
    /// The stage that is paused for the group.
    pub stage: String,
    /// The record's position on the stage's input topic.
    pub source_offset: i64,
    /// Whether the stage tries again by itself.
    pub waiting: bool,
    /// Why it is held.
    pub reason: String,
}

impl HoldRow {
    /// Whether it may be of what was received up to the record at `position` of the `episodes` topic.
    /// That can be told of the stage that reads this topic; what another holds counts always.
    pub fn may_be_of(&self, position: u64) -> bool {
        self.stage != "extractor" || self.source_offset <= position as i64
    }

    /// The status that it gives its episode as long as nothing is concluded of that. An episode that
    /// waits for nothing but an answer under way is on its way.
    pub fn status(self) -> StatusRow {
        StatusRow {
            state: match (self.waiting, self.reason.as_str()) {
                // Nothing is to be mended: it is on its way.
                (true, STILL_ANSWERING) => EpisodeState::Accepted,
                (true, _) => EpisodeState::Waiting,
                (false, _) => EpisodeState::Parked,
            },
            reason: Some(self.reason),
            notes: Vec::new(),
            created: 0,
            expired: 0,
        }
    }
}

/// An entity. From `resolutions`; the summary from `communities`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityRow {
    /// The group.
    pub group_id: GroupId,
    /// The entity.
    pub entity_id: EntityId,
    /// Its canonical name.
    pub name: String,
    /// Its type.
    pub entity_type: Option<String>,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its ids in other systems.
    pub external_ids: Vec<String>,
    /// Entities that may be the same.
    pub possible_same_as: Vec<EntityId>,
    /// The entity that it became part of, after a merge.
    pub merged_into: Option<EntityId>,
    /// Its summary.
    pub summary: Option<String>,
    /// When it was first known.
    pub created_at: Instant,
}

/// A mention and the entity that it stands for. From `resolutions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MentionRow {
    /// The episode.
    pub episode_id: EpisodeId,
    /// The mention's ordinal.
    pub ordinal: i32,
    /// The entity.
    pub entity_id: EntityId,
    /// The name as written.
    pub name: String,
    /// The rule that decided.
    pub rule: String,
    /// How sure, from 0 to 1.
    pub score: f64,
}

/// The object of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FactObject {
    /// An entity.
    Entity(ResolvedEntity),
    /// A value.
    Literal(Literal),
}

impl FactObject {
    /// The name or the value as text.
    pub fn text(&self) -> &str {
        match self {
            Self::Entity(entity) => &entity.name,
            Self::Literal(literal) => &literal.text,
        }
    }

    /// The entity, if it is one.
    pub fn entity_id(&self) -> Option<EntityId> {
        match self {
            Self::Entity(entity) => Some(entity.entity_id),
            Self::Literal(_) => None,
        }
    }
}

/// One row of a fact: what was believed from `created_at` until `expired_at`. From `facts`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactVersionRow {
    /// The group.
    pub group_id: GroupId,
    /// The row.
    pub version_id: Uuid,
    /// The fact.
    pub fact_id: FactId,
    /// The subject.
    pub subject: ResolvedEntity,
    /// The relation.
    pub relation: String,
    /// The object.
    pub object: FactObject,
    /// The sentence.
    pub fact: String,
    /// When it began to hold.
    pub valid_at: TimePoint,
    /// When it ceased to hold.
    pub invalid_at: Option<TimePoint>,
    /// When the system began to believe it.
    pub created_at: Instant,
    /// When the system ceased to believe it.
    pub expired_at: Option<Instant>,
    /// Evidence that started before this instant does not support the row.
    pub support_since: Option<Instant>,
    /// The episode that gave the sentence.
    pub episode_id: EpisodeId,
    /// The reference time of that episode.
    pub reference_time: Instant,
}

/// A statement as evidence for a fact. From `facts`.
///
/// It supports a version of its fact when it is not withdrawn, holds, starts in
/// `[support_since, invalid_at)` of the version, and its own stated end is after `valid_at`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SupportRow {
    /// The fact.
    pub fact_id: FactId,
    /// The statement.
    pub statement_id: Uuid,
    /// Its episode.
    pub episode_id: EpisodeId,
    /// The thread of the episode.
    pub thread_id: Option<ThreadId>,
    /// The reference time of the episode.
    pub reference_time: Instant,
    /// The sentence.
    pub fact: String,
    /// When it says that the fact began (for an end: ceased).
    pub valid_at: TimePoint,
    /// When it says that the fact ceased.
    pub invalid_at: Option<TimePoint>,
    /// Whether it holds or has ended.
    pub polarity: Polarity,
}

impl SupportRow {
    /// Whether the statement supports the version (see the type).
    pub fn supports(&self, version: &FactVersionRow) -> bool {
        Self::supports_span(
            self.polarity,
            (self.valid_at.at, self.invalid_at.map(|end| end.at)),
            version.support_since,
            (version.valid_at.at, version.invalid_at.map(|end| end.at)),
        )
    }

    /// The same for what is left of both in an index: polarity, start and end of the statement;
    /// `support_since`, start and end of the version.
    pub fn supports_span(
        polarity: Polarity,
        (start, stated_end): (Instant, Option<Instant>),
        support_since: Option<Instant>,
        (valid_at, invalid_at): (Instant, Option<Instant>),
    ) -> bool {
        polarity == Polarity::Holds
            && support_since.is_none_or(|since| since <= start)
            && invalid_at.is_none_or(|end| start < end)
            && stated_end.is_none_or(|end| end > valid_at)
    }
}

/// A community. From `communities`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommunityRow {
    /// The group.
    pub group_id: GroupId,
    /// The community.
    pub community_id: Uuid,
    /// Its name.
    pub name: String,
    /// Its keywords.
    pub keywords: Vec<String>,
    /// Its summary.
    pub summary: String,
    /// Its entities.
    pub members: Vec<EntityId>,
}
