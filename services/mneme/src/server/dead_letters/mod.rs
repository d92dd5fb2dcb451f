//! Dead letters and held records, for operators: listed without their content, shown with it, taken
//! again on request.
//!
//! 1. A list costs what came since the last one: an index is kept, without content.
//! 2. A letter is replayed once. (Two gateways that replay one at the same moment send it twice, which
//!    the extractor sees.) What was erased since is not brought back.

mod content;
mod erased;
mod index;
mod replay;

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use mneme_api::{Body, LetterPath, Params, Problem};
use mneme_events::Topic;
use mneme_gateway::Gateway;
use mneme_log::{EventLog, LogError, Partition, Record};
use mneme_model::GroupId;
use mneme_telemetry::metric;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use utoipa_axum::router::OpenApiRouter;
use uuid::Uuid;

use super::problems::of_log;
use index::{Index, Letter};

/// How often the metric is brought up to date.
const EVERY: Duration = Duration::from_secs(15);
/// How many letters a list has, and may have.
const LISTED: usize = 1_000;
const MOST_LISTED: usize = 10_000;

/// What is known of dead letters and held records.
pub struct DeadLetters {
    log: Arc<dyn EventLog>,
    gateway: Gateway,
    index: Mutex<Index>,
    replaying: Mutex<()>,
}

type Shared = State<Arc<DeadLetters>>;
type Answer<T> = Result<Json<T>, Problem>;

impl DeadLetters {
    /// Of a log. What producers sent on their own topics is taken again by the gateway's mappings.
    pub fn new(log: Arc<dyn EventLog>, gateway: Gateway) -> Arc<Self> {
        Arc::new(Self {
            log,
            gateway,
            index: Mutex::default(),
            replaying: Mutex::default(),
        })
    }

    /// Keeps the metric up to date until `shutdown`.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) -> Result<(), LogError> {
        let mut ticks = tokio::time::interval(EVERY);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                _ = ticks.tick() => {}
            }
            let mut index = self.index.lock().await;
            let log = self.log.as_ref();
            let read = async {
                index.refresh(log).await?;
                index.forget(log).await
            };
            match read.await {
                Ok(()) => metrics::gauge!(metric::DEAD_LETTERS_OPEN).set(index.open() as f64),
                Err(LogError::Unavailable(reason)) => {
                    tracing::debug!(reason, "dead letters are counted later");
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The letter of an id, as it is now.
    async fn letter(&self, id: Uuid) -> Result<Letter, Problem> {
        let mut index = self.index.lock().await;
        index.refresh(self.log.as_ref()).await.map_err(of_log)?;
        let found = index.get(id).cloned();
        found.ok_or_else(|| {
            let text = format!("there is no dead letter '{id}'; `mneme dlq list` names all");
            Problem::not_found(text).about("id")
        })
    }
}

/// The routes, under `/v1/admin/dlq`.
pub fn router(letters: Arc<DeadLetters>) -> OpenApiRouter {
    use axum::routing::{get, post};
    OpenApiRouter::new()
        .route("/v1/admin/dlq", get(list))
        .route("/v1/admin/dlq/replay", post(release))
        .route("/v1/admin/dlq/{id}", get(show))
        .route("/v1/admin/dlq/{id}/replay", post(replay_one))
        .with_state(letters)
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ListParams {
    /// Those that were replayed, too.
    all: bool,
    /// The most letters.
    limit: Option<usize>,
}

async fn list(State(letters): Shared, Params(params): Params<ListParams>) -> Answer<Value> {
    let limit = params.limit.unwrap_or(LISTED);
    if !(1..=MOST_LISTED).contains(&limit) {
        let text = format!("must be 1 to {MOST_LISTED}");
        return Err(Problem::invalid_field("limit", text));
    }
    let mut index = letters.index.lock().await;
    index.refresh(letters.log.as_ref()).await.map_err(of_log)?;
    let listed: Vec<&Letter> = index.newest(params.all).take(limit).collect();
    Ok(Json(json!({ "letters": listed, "open": index.open() })))
}

async fn show(State(letters): Shared, path: LetterPath) -> Answer<Value> {
    let letter = letters.letter(path.id).await?;
    content::shown(letters.log.as_ref(), &letter)
        .await
        .map(Json)
}

async fn replay_one(State(letters): Shared, path: LetterPath) -> Answer<Value> {
    letters.replay(path.id).await?;
    Ok(Json(json!({ "state": "asked" })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseRequest {
    group_id: GroupId,
    stage: String,
}

async fn release(State(letters): Shared, Body(request): Body<ReleaseRequest>) -> Answer<Value> {
    let ReleaseRequest { group_id, stage } = request;
    letters.release_group(group_id, stage).await?;
    Ok(Json(json!({ "state": "asked" })))
}

/// The record at a place of the log; none where the log does not keep it any longer.
async fn record_at(
    log: &dyn EventLog,
    (topic, partition, offset): (Topic, Partition, u64),
) -> Result<Option<Record>, Problem> {
    let read = log.read(topic, partition, offset, 1).await;
    let mut found = read.map_err(of_log)?.into_iter();
    // What is gone is followed by what came after it.
    Ok(found.find(|record| record.offset == offset))
}
