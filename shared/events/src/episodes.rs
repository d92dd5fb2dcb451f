//! What producers and operators send: events of the `episodes` topic. All but the first are control
//! events, which each stage forwards to the next in their place in the order.

use mneme_model::EpisodeId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Correction, Episode, EventHeader, ResolvedEntity};

/// A producer sent an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeReceived {
    /// What every event begins with.
    pub header: EventHeader,
    /// The episode.
    pub episode: Episode,
}

/// An episode is to be forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeErased {
    /// What every event begins with.
    pub header: EventHeader,
    /// The episode.
    pub episode_id: EpisodeId,
}

/// A whole group is to be forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupErased {
    /// What every event begins with.
    pub header: EventHeader,
}

/// The ontology of the group was replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OntologyChanged {
    /// What every event begins with.
    pub header: EventHeader,
    /// The ontology as JSON.
    pub ontology: String,
}

/// Two entities are to become one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntitiesMergeRequested {
    /// What every event begins with.
    pub header: EventHeader,
    /// The name or id of the entity that goes.
    pub from: String,
    /// The name or id of the one that stays.
    pub into: String,
}

/// The mentions of some episodes are to leave an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntitySplitRequested {
    /// What every event begins with.
    pub header: EventHeader,
    /// The name or id of the entity.
    pub entity: String,
    /// The episodes whose mentions leave it.
    pub episodes: Vec<EpisodeId>,
}

/// A stored fact is to be corrected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactCorrected {
    /// What every event begins with.
    pub header: EventHeader,
    /// The name or id of the subject.
    pub subject: String,
    /// The relation.
    pub relation: String,
    /// The name, id or literal text of the object.
    pub object: String,
    /// What is right instead.
    pub set: Correction,
    /// The subject, once resolved.
    pub subject_id: Option<Uuid>,
    /// The object, once resolved, where it is an entity.
    pub object_id: Option<Uuid>,
    /// The right object, once resolved, where it is an entity.
    pub new_object: Option<ResolvedEntity>,
}
