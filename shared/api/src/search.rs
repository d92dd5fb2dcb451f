//! What a search and a context take and answer.

use std::collections::BTreeMap;

use mneme_model::{GroupId, GroupScope};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{CommunityDto, EntityDto, EpisodeDto, FactDto, Problem, SourceDto, TimeText};

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words of the API")]
pub enum ScopeDto {
    Facts,
    Entities,
    Episodes,
    Communities,
}

/// How results are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RerankDto {
    /// The sum of normalised evidence.
    #[default]
    Evidence,
    /// Reciprocal rank fusion.
    Rrf,
    /// Maximal marginal relevance.
    Mmr,
    /// By the number of episodes that mention it.
    EpisodeMentions,
    /// By the distance from `center_entity_ids`.
    NodeDistance,
}

/// How candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MethodDto {
    /// By words.
    Bm25,
    /// By meaning.
    Vector,
    /// By a walk over facts from the best hits.
    Graph,
}

macro_rules! search_request {
    ($(#[$doc:meta])* $name:ident { $($extra:tt)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The groups that are searched, 1 to 100.
            #[schema(value_type = Vec<String>, min_items = 1, max_items = 100)]
            pub group_ids: Vec<GroupId>,
            /// What is asked, as written. Nothing is found where it is absent or blank.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub query: Option<String>,
            /// How many of each scope: 10 by default, 200 at the most.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub limit: Option<usize>,
            /// What is searched; all by default.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub scopes: Option<Vec<ScopeDto>>,
            /// What held at this instant; now by default.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub as_of: Option<TimeText>,
            /// As the system knew it at this instant; now by default.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub known_at: Option<TimeText>,
            /// Also facts that have ended or have not begun.
            #[serde(default)]
            pub include_past: bool,
            /// What else must hold: `{"and": […]}`, `{"or": […]}`, `{"not": …}` or
            /// `{"<field>": {"<operator>": value}}`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(value_type = Option<Object>)]
            pub filter: Option<Value>,
            /// How results are ranked.
            #[serde(default)]
            pub rerank: RerankDto,
            /// Where distances are measured from, and where the walk starts.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub center_entity_ids: Vec<Uuid>,
            /// How candidates are found; all by default.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub methods: Option<Vec<MethodDto>>,
            /// The least raw cosine of a hit by meaning.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub min_cosine: Option<f32>,
            $($extra)*
        }

        impl $name {
            /// The groups that it may see.
            pub fn scope(&self) -> Result<GroupScope, Problem> {
                GroupScope::new(self.group_ids.clone())
                    .map_err(|error| Problem::invalid_field("group_ids", error.0))
            }
        }
    };
}

search_request! {
    /// A search.
    SearchRequest {}
}

search_request! {
    /// A search whose results are written as a context for a model.
    ContextRequest {
        /// How many tokens the context may have; 2000 by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub max_tokens: Option<usize>,
    }
}

impl ContextRequest {
    /// The search and the budget.
    pub fn into_search(self) -> (SearchRequest, Option<usize>) {
        let search = SearchRequest {
            group_ids: self.group_ids,
            query: self.query,
            limit: self.limit,
            scopes: self.scopes,
            as_of: self.as_of,
            known_at: self.known_at,
            include_past: self.include_past,
            filter: self.filter,
            rerank: self.rerank,
            center_entity_ids: self.center_entity_ids,
            methods: self.methods,
            min_cosine: self.min_cosine,
        };
        (search, self.max_tokens)
    }
}

/// What a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words of the API")]
pub enum ResultKind {
    Fact,
    Entity,
    Episode,
    Community,
}

/// A result of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResultDto {
    /// What it is.
    pub kind: ResultKind,
    /// The group.
    #[schema(value_type = String)]
    pub group_id: GroupId,
    /// The id: of the version of a fact, the entity, the episode or the community.
    pub id: String,
    /// The sentence, the name and summary, or the verbatim text.
    pub text: String,
    /// What it is ranked by.
    pub score: f64,
    /// What the score is made of.
    #[schema(value_type = Object)]
    pub score_parts: BTreeMap<String, f64>,
    /// The episodes that it rests on.
    pub sources: Vec<SourceDto>,
    /// The fact, for `fact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<FactDto>,
    /// The entity, for `entity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<EntityDto>,
    /// The episode, for `episode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeDto>,
    /// The community, for `community`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub community: Option<CommunityDto>,
}

/// The results of a search, best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchResponse {
    /// The results of all scopes in one list.
    pub results: Vec<ResultDto>,
    /// The stores that did not answer in time.
    pub partial: Vec<String>,
}

/// A context for a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextResponse {
    /// The text.
    pub context: String,
    /// How many tokens it has, as counted here.
    pub tokens: usize,
    /// The facts in it.
    pub facts: Vec<FactDto>,
    /// The entities in it.
    pub entities: Vec<EntityDto>,
    /// The episodes in it.
    pub episodes: Vec<EpisodeDto>,
    /// The communities in it.
    pub communities: Vec<CommunityDto>,
    /// The stores that did not answer in time.
    pub partial: Vec<String>,
}
