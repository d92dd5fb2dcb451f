//! What writes take and answer.

use std::collections::BTreeMap;

use mneme_model::{EntityDefinition, EpisodeId, GroupId, Ontology, RelationDefinition};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::{EpisodeBody, Problem, StateDto, TimeText};

/// What a write may wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitFor {
    /// Every projection has what follows from it.
    Applied,
}

/// How long a write waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WaitParams {
    /// Answer only when every projection has what follows: for an episode its facts, for a change
    /// summaries and communities too.
    #[serde(default)]
    #[param(inline)]
    pub wait: Option<WaitFor>,
    /// How many milliseconds at the most; 30000 by default.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

/// An episode was accepted: it is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EpisodeAccepted {
    /// The group.
    #[schema(value_type = String)]
    pub group_id: GroupId,
    /// The id.
    #[schema(value_type = String)]
    pub episode_id: EpisodeId,
    /// How far it is.
    pub state: StateDto,
    /// Whether it was accepted before.
    pub duplicate: bool,
    /// The ids of the episodes that a long text was split into.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub parts: Vec<EpisodeId>,
}

/// Several episodes, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchRequest {
    /// The episodes, 1 to 1000.
    pub episodes: Vec<EpisodeBody>,
}

/// What became of each episode, in the order sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchResponse {
    /// One for each.
    pub results: Vec<BatchResult>,
}

/// What became of an episode of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum BatchResult {
    /// It was accepted.
    Accepted(EpisodeAccepted),
    /// It was refused; the others stand.
    Refused {
        /// Its id, where it could be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        episode_id: Option<String>,
        /// Why.
        problem: Problem,
    },
}

/// How far a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeState {
    /// It is durable and will be applied.
    Accepted,
    /// Every projection has it.
    Applied,
    /// The erasure is durable and will be applied.
    Erasing,
    /// Every projection has forgotten it.
    Erased,
}

/// A change was accepted: it is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeAccepted {
    /// How far it is.
    pub state: ChangeState,
}

/// Two entities that are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeRequest {
    /// The name or id of the entity that goes.
    pub from: String,
    /// The name or id of the one that stays.
    pub into: String,
}

/// Mentions that are of another entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitRequest {
    /// The name or id of the entity.
    pub entity: String,
    /// The episodes whose mentions of it move to an entity of their own.
    #[schema(value_type = Vec<String>)]
    pub episodes: Vec<EpisodeId>,
}

/// A fact that is to be corrected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectionRequest {
    /// Subject, relation and object, ends by name or id (a literal by its text).
    #[schema(value_type = Vec<String>, min_items = 3, max_items = 3)]
    pub fact: [String; 3],
    /// What is right instead; what is absent stays.
    pub set: CorrectionSet,
}

/// What a correction sets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectionSet {
    /// The right object, where it is an entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_type: Option<String>,
    /// The right object, where it is a literal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The right relation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// The right sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// The right start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_at: Option<TimeText>,
    /// The right end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid_at: Option<TimeText>,
    /// True to withdraw the fact altogether; then nothing else is set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retract: bool,
}

/// The ontology of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OntologyDto {
    /// Relations by name: `{"cardinality": "many" | "one_per_subject" | "one_per_object" |
    /// "one_to_one", "symmetric"?, "inverse_of"?, "signatures"?: [[subject type, object type]],
    /// "strict"?, "description"?}`.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub relations: BTreeMap<String, RelationDefinition>,
    /// Entity types by name: `{"description"?, "attributes"?: {name: {"type", "cardinality"?}}}`.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub entities: BTreeMap<String, EntityDefinition>,
}

impl From<Ontology> for OntologyDto {
    fn from(ontology: Ontology) -> Self {
        Self {
            relations: ontology.relations,
            entities: ontology.entities,
        }
    }
}

impl From<OntologyDto> for Ontology {
    fn from(ontology: OntologyDto) -> Self {
        Self {
            relations: ontology.relations,
            entities: ontology.entities,
        }
    }
}
