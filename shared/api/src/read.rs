//! What reads answer.

use std::collections::BTreeMap;

use mneme_model::{EpisodeId, GroupId, Instant, Precision, Source, ThreadId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{AuthorDto, StatementDto};

/// How far an episode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum StateDto {
    /// Accepted; on its way.
    Accepted,
    /// Its group waits for something that time or an operator must mend.
    Waiting,
    /// Its group is parked until an operator replays it.
    Parked,
    /// It could not be read; its text is searchable.
    Failed,
    /// Its facts are applied.
    Done,
}

/// An entity, named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EntityRefDto {
    /// The entity.
    pub entity_id: Uuid,
    /// Its canonical name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub entity_type: Option<String>,
}

/// The object of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ObjectDto {
    /// An entity.
    Entity(EntityRefDto),
    /// A literal.
    Literal {
        /// The value as text.
        value: String,
        /// `string`, `number` or `boolean`.
        kind: String,
    },
}

impl ObjectDto {
    /// The name or the value as text.
    pub fn text(&self) -> &str {
        match self {
            Self::Entity(entity) => &entity.name,
            Self::Literal { value, .. } => value,
        }
    }
}

/// An episode as the source of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceDto {
    /// The episode.
    #[schema(value_type = String)]
    pub episode_id: EpisodeId,
    /// The instant that it speaks from.
    #[schema(value_type = String)]
    pub reference_time: Instant,
    /// Its thread.
    #[schema(value_type = Option<String>)]
    pub thread_id: Option<ThreadId>,
}

/// A version of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FactDto {
    /// The group.
    #[schema(value_type = String)]
    pub group_id: GroupId,
    /// The fact.
    pub fact_id: Uuid,
    /// The version.
    pub version_id: Uuid,
    /// The subject.
    pub subject: EntityRefDto,
    /// The relation.
    pub relation: String,
    /// The object.
    pub object: ObjectDto,
    /// The sentence.
    pub fact: String,
    /// When it began to hold in the world.
    #[schema(value_type = String)]
    pub valid_at: Instant,
    /// When it ceased to hold; null while it holds.
    #[schema(value_type = Option<String>)]
    pub invalid_at: Option<Instant>,
    /// How exactly the start was given: `instant`, `day`, `month`, `year`, or `inferred` from the
    /// reference time of the episode.
    #[schema(value_type = String)]
    pub precision: Precision,
    /// How exactly the end was given.
    #[schema(value_type = Option<String>)]
    pub invalid_precision: Option<Precision>,
    /// When the system began to believe this version.
    #[schema(value_type = String)]
    pub created_at: Instant,
    /// When it ceased to; null for what it believes now.
    #[schema(value_type = Option<String>)]
    pub expired_at: Option<Instant>,
    /// The episodes that support the version, in order of their reference times.
    pub sources: Vec<SourceDto>,
}

/// An episode with its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EpisodeDto {
    /// The group.
    #[schema(value_type = String)]
    pub group_id: GroupId,
    /// The id.
    #[schema(value_type = String)]
    pub episode_id: EpisodeId,
    /// Its thread.
    #[schema(value_type = Option<String>)]
    pub thread_id: Option<ThreadId>,
    /// `message`, `text`, `json` or `facts`.
    #[schema(value_type = String)]
    pub source: Source,
    /// Who wrote it.
    pub author: Option<AuthorDto>,
    /// The text, or the JSON value; null for `facts`.
    pub body: Value,
    /// The statements that it was sent with.
    pub facts: Vec<StatementDto>,
    /// The instant that it speaks from.
    #[schema(value_type = String)]
    pub reference_time: Instant,
    /// When it was received.
    #[schema(value_type = String)]
    pub recorded_at: Instant,
    /// Where it comes from.
    pub source_description: Option<String>,
    /// The producer's own fields.
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
    /// How far it is.
    pub state: StateDto,
    /// Why it waits, is parked or failed.
    pub reason: Option<String>,
    /// What was left out or matched nothing, and why.
    pub notes: Vec<String>,
    /// Versions of facts that it created.
    pub created: i32,
    /// Versions of facts that it expired.
    pub expired: i32,
}

/// An entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EntityDto {
    /// The group.
    #[schema(value_type = String)]
    pub group_id: GroupId,
    /// The id.
    pub entity_id: Uuid,
    /// Its canonical name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub entity_type: Option<String>,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its ids in other systems.
    pub external_ids: Vec<String>,
    /// Its current literal facts by relation; a list where there are several.
    #[schema(value_type = Object)]
    pub attributes: BTreeMap<String, Value>,
    /// Its summary, from current facts.
    pub summary: Option<String>,
    /// Entities that may be the same, for review.
    pub possible_same_as: Vec<Uuid>,
    /// When it was first known.
    #[schema(value_type = String)]
    pub created_at: Instant,
}

/// A member of a community.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemberDto {
    /// The entity.
    pub entity_id: Uuid,
    /// Its name.
    pub name: String,
}

/// A community.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommunityDto {
    /// The id.
    pub community_id: Uuid,
    /// Its name.
    pub name: String,
    /// Its keywords.
    pub keywords: Vec<String>,
    /// Its summary.
    pub summary: String,
    /// Its entities.
    pub members: Vec<MemberDto>,
}

/// Episodes, newest reference time first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EpisodesResponse {
    /// The episodes.
    pub episodes: Vec<EpisodeDto>,
}

/// Facts, and where to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FactsResponse {
    /// The facts.
    pub facts: Vec<FactDto>,
    /// To be given as `after` for more; null at the end.
    pub next: Option<String>,
}

/// All versions of a fact, or of all facts of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HistoryResponse {
    /// The versions.
    pub facts: Vec<FactDto>,
}

/// Entities, and where to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EntitiesResponse {
    /// The entities.
    pub entities: Vec<EntityDto>,
    /// To be given as `after` for more; null at the end.
    pub next: Option<String>,
}

/// The communities of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommunitiesResponse {
    /// The communities.
    pub communities: Vec<CommunityDto>,
}
