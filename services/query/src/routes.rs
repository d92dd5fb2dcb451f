//! The HTTP face of the reads.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use mneme_api::{
    Body, CommunitiesResponse, ContextRequest, ContextResponse, EntitiesParams, EntitiesResponse,
    EntityPath, EpisodeDto, EpisodePath, EpisodesParams, EpisodesResponse, FactPath, FactsParams,
    FactsResponse, GroupPath, HistoryResponse, Params, Problem, SearchRequest, SearchResponse,
};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::QueryService;

type Service = State<Arc<QueryService>>;
type Answer<T> = Result<Json<T>, Problem>;

impl QueryService {
    /// The routes of the reads, each described for OpenAPI.
    pub fn router(self) -> OpenApiRouter {
        described().with_state(Arc::new(self))
    }
}

/// What OpenAPI says of the reads, for whoever passes them on.
pub fn description() -> OpenApi {
    described().into_openapi()
}

fn described() -> OpenApiRouter<Arc<QueryService>> {
    OpenApiRouter::new()
        .routes(routes!(search))
        .routes(routes!(context))
        .routes(routes!(list_episodes))
        .routes(routes!(get_episode))
        .routes(routes!(list_facts))
        .routes(routes!(fact_history))
        .routes(routes!(list_entities))
        .routes(routes!(entity_history))
        .routes(routes!(list_communities))
}

/// Search facts, entities, episodes and communities.
#[utoipa::path(
    post, path = "/v1/search", tag = "read",
    request_body = SearchRequest,
    responses(
        (status = 200, description = "what was found, best first", body = SearchResponse),
        (status = 400, description = "a field is not right", body = Problem),
        (status = 503, description = "a store is away", body = Problem),
    )
)]
async fn search(service: Service, Body(request): Body<SearchRequest>) -> Answer<SearchResponse> {
    Ok(Json(service.search(&request).await?))
}

/// Write a context for a model into a budget of tokens.
#[utoipa::path(
    post, path = "/v1/context", tag = "read",
    request_body = ContextRequest,
    responses(
        (status = 200, description = "the context, and what is in it", body = ContextResponse),
        (status = 400, description = "a field is not right", body = Problem),
        (status = 503, description = "a store is away", body = Problem),
    )
)]
async fn context(service: Service, Body(request): Body<ContextRequest>) -> Answer<ContextResponse> {
    Ok(Json(service.context(request).await?))
}

/// The latest episodes of a group.
#[utoipa::path(
    get, path = "/v1/groups/{group_id}/episodes", tag = "read",
    params(("group_id" = String, Path, description = "the group"), EpisodesParams),
    responses(
        (status = 200, description = "newest reference time first", body = EpisodesResponse),
        (status = 400, description = "a parameter is not right", body = Problem),
    )
)]
async fn list_episodes(
    service: Service,
    path: GroupPath,
    Params(params): Params<EpisodesParams>,
) -> Answer<EpisodesResponse> {
    Ok(Json(service.episodes(&path.group_id, params).await?))
}

/// An episode and how far it is.
#[utoipa::path(
    get, path = "/v1/groups/{group_id}/episodes/{episode_id}", tag = "read",
    params(
        ("group_id" = String, Path, description = "the group"),
        ("episode_id" = String, Path, description = "the episode"),
    ),
    responses(
        (status = 200, description = "the episode", body = EpisodeDto),
        (status = 404, description = "there is none, or no longer", body = Problem),
    )
)]
async fn get_episode(service: Service, path: EpisodePath) -> Answer<EpisodeDto> {
    let episode = service.episode(&path.group_id, &path.episode_id).await?;
    let absent = || Problem::not_found("the group has no such episode");
    episode.map(Json).ok_or_else(absent)
}

/// The facts of a group.
#[utoipa::path(
    get, path = "/v1/groups/{group_id}/facts", tag = "read",
    params(("group_id" = String, Path, description = "the group"), FactsParams),
    responses(
        (status = 200, description = "the facts, and where to go on", body = FactsResponse),
        (status = 400, description = "a parameter is not right", body = Problem),
    )
)]
async fn list_facts(
    service: Service,
    path: GroupPath,
    Params(params): Params<FactsParams>,
) -> Answer<FactsResponse> {
    Ok(Json(service.facts(&path.group_id, params).await?))
}

/// All versions of a fact.
#[utoipa::path(
    get, path = "/v1/groups/{group_id}/facts/{fact_id}/history", tag = "read",
    params(
        ("group_id" = String, Path, description = "the group"),
        ("fact_id" = uuid::Uuid, Path, description = "the fact"),
    ),
    responses((status = 200, description = "the versions; none of an unknown fact", body = HistoryResponse))
)]
async fn fact_history(service: Service, path: FactPath) -> Answer<HistoryResponse> {
    Ok(Json(
        service.fact_history(&path.group_id, path.fact_id).await?,
    ))
}

/// The entities of a group.
#[utoipa::path(
    get, path = "/v1/groups/{group_id}/entities", tag = "read",
    params(("group_id" = String, Path, description = "the group"), EntitiesParams),
    responses(
        (status = 200, description = "the entities, and where to go on", body = EntitiesResponse),
        (status = 400, description = "a parameter is not right", body = Problem),
    )
)]
async fn list_entities(
    service: Service,
    path: GroupPath,
    Params(params): Params<EntitiesParams>,
) -> Answer<EntitiesResponse> {
    Ok(Json(service.entities(&path.group_id, params).await?))
}

/// All versions of all facts of an entity.
#[utoipa::path(
    get, path = "/v1/groups/{group_id}/entities/{entity_id}/history", tag = "read",
    params(
        ("group_id" = String, Path, description = "the group"),
        ("entity_id" = uuid::Uuid, Path, description = "the entity"),
    ),
    responses((status = 200, description = "the versions; none of an unknown entity", body = HistoryResponse))
)]
async fn entity_history(service: Service, path: EntityPath) -> Answer<HistoryResponse> {
    Ok(Json(
        service
            .entity_history(&path.group_id, path.entity_id)
            .await?,
    ))
}

/// The communities of a group.
#[utoipa::path(
    get, path = "/v1/groups/{group_id}/communities", tag = "read",
    params(("group_id" = String, Path, description = "the group")),
    responses((status = 200, description = "the communities", body = CommunitiesResponse))
)]
async fn list_communities(service: Service, path: GroupPath) -> Answer<CommunitiesResponse> {
    Ok(Json(service.communities(&path.group_id).await?))
}
