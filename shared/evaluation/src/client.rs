//! The memory that is measured, as a client sees it.

use async_trait::async_trait;
use mneme_api::{
    ContextRequest, ContextResponse, EpisodeBody, FactsParams, FactsResponse, Problem,
    SearchRequest, SearchResponse,
};
use mneme_model::GroupId;

/// Why a call gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The memory refused it; the evaluation can't go on.
    #[error("the memory refused: {0}")]
    Refused(#[from] Problem),
    /// The memory did not answer.
    #[error("the memory did not answer: {0}")]
    Unreachable(String),
}

/// A memory, over HTTP or in the same process.
#[async_trait]
pub trait MemoryClient: Send + Sync {
    /// Sends episodes in order and returns when all of them can be read.
    async fn import(&self, episodes: Vec<EpisodeBody>) -> Result<(), ClientError>;
    /// `POST /v1/search`.
    async fn search(&self, request: &SearchRequest) -> Result<SearchResponse, ClientError>;
    /// `POST /v1/context`.
    async fn context(&self, request: &ContextRequest) -> Result<ContextResponse, ClientError>;
    /// `GET /v1/groups/{group_id}/facts`.
    async fn facts(
        &self,
        group: &GroupId,
        params: &FactsParams,
    ) -> Result<FactsResponse, ClientError>;
}
