//! What operators do: rebuild and verify the projections, read digests and dead letters, release
//! parked groups.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use mneme_api::{Body, Params, Problem};
use mneme_events::{Event, EventHeader, GroupReleaseRequested, Topic};
use mneme_log::{EventLog, NewRecord};
use mneme_model::{Clock, GroupId, SystemClock};
use mneme_projector::{Comparison, Projections, Rebuilt};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa_axum::router::OpenApiRouter;

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
        .route("/v1/admin/dlq", get(dead_letters))
        .route("/v1/admin/dlq/replay", post(release))
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
        .map_err(|error| failed(&error))
}

async fn verify(State(operators): Shared) -> Answer<Comparison> {
    operators
        .projections
        .verify()
        .await
        .map(Json)
        .map_err(|error| failed(&error))
}

async fn digest(State(operators): Shared) -> Answer<Value> {
    let digests = operators
        .projections
        .digests()
        .await
        .map_err(|error| failed(&error))?;
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
            records += operators
                .log
                .end(topic, partition)
                .await
                .map_err(|error| failed(&error))?;
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

/// A dead letter or a parked record, without its content.
#[derive(Serialize)]
struct Letter {
    kind: String,
    stage: String,
    group_id: GroupId,
    source_offset: i64,
    reason: String,
}

async fn dead_letters(State(operators): Shared) -> Answer<Value> {
    Ok(Json(json!({ "letters": letters(&operators).await? })))
}

async fn letters(operators: &Operators) -> Result<Vec<Letter>, Problem> {
    let mut letters: Vec<Letter> = Vec::new();
    for topic in [Topic::DeadLetters, Topic::Parked] {
        for partition in 0..operators.log.partitions() {
            let mut next = 0;
            loop {
                let records = operators
                    .log
                    .read(topic, partition, next, 1_000)
                    .await
                    .map_err(|error| failed(&error))?;
                let Some(last) = records.last() else { break };
                next = last.offset + 1;
                for event in records
                    .iter()
                    .filter_map(|record| record.event.as_deref().ok())
                {
                    note_letter(&mut letters, event);
                }
            }
        }
    }
    Ok(letters)
}

fn note_letter(letters: &mut Vec<Letter>, event: &Event) {
    let group_id = event.group_id().clone();
    match event {
        Event::DeadLettered(dead) => letters.push(Letter {
            kind: dead.kind.clone(),
            stage: dead.stage.clone(),
            group_id,
            source_offset: dead.source_offset,
            reason: dead.reason.clone(),
        }),
        Event::RecordParked(parked) => letters.push(Letter {
            kind: if parked.waiting { "waiting" } else { "parked" }.to_owned(),
            stage: parked.stage.clone(),
            group_id,
            source_offset: parked.source_offset,
            reason: parked.reason.clone(),
        }),
        Event::RecordReleased(released) => letters.retain(|letter| {
            let held = letter.kind == "waiting" || letter.kind == "parked";
            !(held
                && letter.stage == released.stage
                && letter.group_id == group_id
                && letter.source_offset == released.source_offset)
        }),
        _ => {}
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseRequest {
    group_id: GroupId,
    stage: String,
}

async fn release(State(operators): Shared, Body(request): Body<ReleaseRequest>) -> Answer<Value> {
    let is_held = |letter: &Letter| {
        matches!(letter.kind.as_str(), "waiting" | "parked")
            && letter.group_id == request.group_id
            && letter.stage == request.stage
    };
    if !letters(&operators).await?.iter().any(is_held) {
        let what = format!(
            "nothing of '{}' is held at '{}'",
            request.group_id, request.stage
        );
        return Err(Problem::not_found(what));
    }
    let event = GroupReleaseRequested {
        header: EventHeader {
            event_id: uuid::Uuid::new_v4(),
            group_id: request.group_id,
            seq: 0,
            cause: None,
            recorded_at: SystemClock::default().now(),
        },
        stage: request.stage,
    };
    let record = NewRecord {
        topic: Topic::Parked,
        event: Arc::new(event.into()),
    };
    operators
        .log
        .append(vec![record])
        .await
        .map_err(|error| failed(&error))?;
    Ok(Json(json!({ "state": "asked" })))
}

fn failed(error: &dyn std::error::Error) -> Problem {
    tracing::error!(%error, "an operator's request failed");
    Problem::internal()
}
