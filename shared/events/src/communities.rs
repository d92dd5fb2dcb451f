//! What the community-updater wrote.

use mneme_model::Instant;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{EventHeader, ResolvedEntity};

/// A new summary of an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntitySummarized {
    /// What every event begins with.
    pub header: EventHeader,
    /// The entity.
    pub entity_id: Uuid,
    /// The summary, from current facts.
    pub summary: String,
}

/// What is known of a community now, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommunityChanged {
    /// What every event begins with.
    pub header: EventHeader,
    /// The community.
    pub community_id: Uuid,
    /// Its name.
    pub name: String,
    /// Its keywords.
    pub keywords: Vec<String>,
    /// Its summary.
    pub summary: String,
    /// Its entities.
    pub members: Vec<Uuid>,
}

/// A current fact that summaries and communities are made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactNoted {
    /// What every event begins with.
    pub header: EventHeader,
    /// The row of the fact.
    pub version_id: Uuid,
    /// The subject.
    pub subject: ResolvedEntity,
    /// The relation.
    pub relation: String,
    /// The object, where it is an entity.
    pub object: Option<ResolvedEntity>,
    /// The sentence.
    pub fact: String,
    /// When it began to hold.
    pub valid_at: Instant,
}

/// A fact that is current no longer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactForgotten {
    /// What every event begins with.
    pub header: EventHeader,
    /// The row of the fact.
    pub version_id: Uuid,
    /// The subject.
    pub subject_id: Uuid,
    /// The object, where it is an entity.
    pub object_id: Option<Uuid>,
    /// When it began to hold.
    pub valid_at: Instant,
}

/// Summaries and communities are up to date with the facts so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupSummarized {
    /// What every event begins with.
    pub header: EventHeader,
    /// How many facts between entities there are.
    pub edges: i64,
    /// Whether all communities were derived anew.
    pub refreshed: bool,
}

/// A community is no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommunityRemoved {
    /// What every event begins with.
    pub header: EventHeader,
    /// The community.
    pub community_id: Uuid,
}
