//! What the temporal-invalidator concluded.

use mneme_model::{EpisodeId, Instant, Literal, Polarity, ThreadId, TimePoint};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Correction, EpisodeOutcome, EventHeader, ResolvedEntity};

/// A statement became evidence for a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatementPlaced {
    /// What every event begins with.
    pub header: EventHeader,
    /// The statement.
    pub statement_id: Uuid,
    /// Its episode.
    pub episode_id: EpisodeId,
    /// Its thread.
    pub thread_id: Option<ThreadId>,
    /// The reference time of its episode.
    pub reference_time: Instant,
    /// The fact that it speaks of.
    pub fact_id: Uuid,
    /// The subject, in the stored direction.
    pub subject: ResolvedEntity,
    /// The relation, in the stored direction.
    pub relation: String,
    /// The object, where it is an entity.
    pub object: Option<ResolvedEntity>,
    /// The object, where it is a literal.
    pub value: Option<Literal>,
    /// The sentence.
    pub fact: String,
    /// When it began to hold; for an end, when it ceased.
    pub valid_at: TimePoint,
    /// When it was said to cease.
    pub invalid_at: Option<TimePoint>,
    /// Whether it holds or has ended.
    pub polarity: Polarity,
    /// The slots of the evidence: within a slot, different facts exclude each other.
    pub slots: Vec<Uuid>,
    /// Its place among all evidence: the `seq` of its first placement.
    pub order: i64,
    /// The relation as stated.
    pub stated_relation: String,
    /// Whether the ends are stored the other way round than stated.
    pub swapped: bool,
    /// As in the statement.
    pub exclusive: bool,
    /// What a correction set, which stays when the ends are resolved anew.
    pub correction: Option<Correction>,
    /// The object that a correction set, where it is an entity.
    pub corrected_object: Option<ResolvedEntity>,
}

/// A statement is evidence for a fact no longer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatementWithdrawn {
    /// What every event begins with.
    pub header: EventHeader,
    /// The statement.
    pub statement_id: Uuid,
    /// Its episode.
    pub episode_id: EpisodeId,
    /// The fact that it spoke of.
    pub fact_id: Uuid,
    /// Whether it is gone from the history of the system too.
    pub erased: bool,
}

/// A row of a fact, as believed from `created_at` on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactVersionCreated {
    /// What every event begins with.
    pub header: EventHeader,
    /// The row.
    pub version_id: Uuid,
    /// UUIDv5 of the group, subject, relation and object.
    pub fact_id: Uuid,
    /// The subject.
    pub subject: ResolvedEntity,
    /// The relation.
    pub relation: String,
    /// The object, where it is an entity.
    pub object: Option<ResolvedEntity>,
    /// The object, where it is a literal.
    pub value: Option<Literal>,
    /// The sentence.
    pub fact: String,
    /// When it began to hold.
    pub valid_at: TimePoint,
    /// When it ceased to hold.
    pub invalid_at: Option<TimePoint>,
    /// When the system began to believe this.
    pub created_at: Instant,
    /// When it ceased to, where a history is written anew.
    pub expired_at: Option<Instant>,
    /// Evidence that started before this instant was cut off and does not support this row.
    pub support_since: Option<Instant>,
    /// The statement that gave the sentence.
    pub statement_id: Uuid,
    /// The episode of that statement.
    pub episode_id: EpisodeId,
    /// The reference time of that episode.
    pub reference_time: Instant,
}

/// The system ceased to believe a row of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactVersionExpired {
    /// What every event begins with.
    pub header: EventHeader,
    /// The row.
    pub version_id: Uuid,
    /// The fact.
    pub fact_id: Uuid,
    /// When.
    pub expired_at: Instant,
    /// The rule that ended it.
    pub rule: String,
}

/// A row of a fact is gone from the history too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactErased {
    /// What every event begins with.
    pub header: EventHeader,
    /// The row.
    pub version_id: Uuid,
    /// The fact.
    pub fact_id: Uuid,
}

/// An end matched no fact when it was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatementUnmatched {
    /// What every event begins with.
    pub header: EventHeader,
    /// The statement.
    pub statement_id: Uuid,
    /// Its episode.
    pub episode_id: EpisodeId,
}

/// All facts of an episode are applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeApplied {
    /// What every event begins with.
    pub header: EventHeader,
    /// The episode.
    pub episode_id: EpisodeId,
    /// Rows created.
    pub created: i32,
    /// Rows expired.
    pub expired: i32,
    /// Ends that matched nothing.
    pub unmatched: i32,
    /// How it went.
    pub outcome: EpisodeOutcome,
    /// Why it failed.
    pub reason: Option<String>,
    /// What was left out or matched nothing.
    pub notes: Vec<String>,
}
