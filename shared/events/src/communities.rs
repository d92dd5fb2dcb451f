//! What the community-updater wrote.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::EventHeader;

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

/// A community is no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommunityRemoved {
    /// What every event begins with.
    pub header: EventHeader,
    /// The community.
    pub community_id: Uuid,
}
