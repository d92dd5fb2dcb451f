//! What operators do with the owner of the stores: rebuild and verify the projections, read digests.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use mneme_api::{Params, Problem};
use mneme_events::Topic;
use mneme_log::EventLog;
use mneme_projector::{Comparison, Projections, Rebuilt};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa_axum::router::OpenApiRouter;

use super::problems::{of_log, of_projections};
use crate::machine::folder_bytes;

/// What the operators' routes work on.
pub struct Operators {
    pub projections: Arc<Projections>,
    pub log: Arc<dyn EventLog>,
    /// The folder that holds everything.
    pub data: PathBuf,
}

type Shared = State<Arc<Operators>>;
type Answer<T> = Result<Json<T>, Problem>;

/// The routes, under `/v1/admin`.
pub fn router(operators: Operators) -> OpenApiRouter {
    use axum::routing::{get, post};
    OpenApiRouter::new()
        .route("/v1/admin/replay", post(replay))
        .route("/v1/admin/verify", post(verify))
        .route("/v1/admin/digest", get(digest))
        .route("/v1/admin/status", get(status))
        .with_state(Arc::new(operators))
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ReplayRequest {
    /// Change over even if the digests differ.
    force: bool,
    /// Accepted for symmetry: the answer always comes when the rebuild is done.
    wait: bool,
}

async fn replay(
    State(operators): Shared,
    Params(request): Params<ReplayRequest>,
) -> Answer<Rebuilt> {
    operators
        .projections
        .replay(request.force)
        .await
        .map(Json)
        .map_err(of_projections)
}

async fn verify(State(operators): Shared) -> Answer<Comparison> {
    operators
        .projections
        .verify()
        .await
        .map(Json)
        .map_err(of_projections)
}

async fn digest(State(operators): Shared) -> Answer<Value> {
    let digests = operators
        .projections
        .digests()
        .await
        .map_err(of_projections)?;
    let mut groups: Map<String, Value> = Map::new();
    for (store, of_groups) in digests {
        for (group, digest) in of_groups {
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            let entry = groups.entry(group.to_string()).or_insert_with(|| json!({}));
            entry[store] = Value::String(hex);
        }
    }
    Ok(Json(json!({ "groups": groups })))
}

async fn status(State(operators): Shared) -> Answer<Value> {
    let mut topics = Map::new();
    for topic in Topic::ALL {
        let mut records = 0;
        for partition in 0..operators.log.partitions() {
            records += operators.log.end(topic, partition).await.map_err(of_log)?;
        }
        topics.insert(topic.name().to_owned(), records.into());
    }
    let generation = operators
        .projections
        .active()
        .load(std::sync::atomic::Ordering::Acquire);
    let disk_bytes = folder_bytes(&operators.data).unwrap_or(0);
    Ok(Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "generation": generation,
        "records": topics,
        "disk_bytes": disk_bytes,
    })))
}
