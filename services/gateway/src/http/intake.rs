//! Raw records of producers, made episodes by a mapping.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mneme_api::{BatchResponse, Body, MappingPath, Params, Problem, WaitParams};
use serde_json::Value;

use super::batch::{Refused, check_count};
use super::refusals::Refusals;
use crate::Gateway;
use crate::episode::Submission;

/// Takes one raw record, or a list of up to 1000, and adds the episodes that a mapping makes of them.
/// A record that the mapping can't read is refused with its reason and the rest is accepted.
#[utoipa::path(
    post,
    path = "/v1/intake/{mapping}",
    tag = "episodes",
    params(("mapping" = String, Path, description = "The name or topic of a mapping"), WaitParams),
    request_body(content = Object, description = "A raw record, or a list of them"),
    responses(
        (status = 202, description = "What became of each, in order.", body = BatchResponse),
        Refusals,
    ),
)]
pub async fn take(
    State(gateway): State<Gateway>,
    path: MappingPath,
    Params(wait): Params<WaitParams>,
    Body(raw): Body<Value>,
) -> Result<(StatusCode, Json<BatchResponse>), Problem> {
    let time = gateway.shared.time_to_wait(&wait)?;
    let mapping = gateway.shared.mappings.get(&path.mapping).ok_or_else(|| {
        Problem::not_found(format!("there is no mapping '{}'", path.mapping)).about("mapping")
    })?;
    let records = match raw {
        Value::Array(records) => records,
        record => vec![record],
    };
    check_count("records", records.len())?;
    let read = records.iter().enumerate().map(|(index, record)| {
        let body = mapping.apply(record).map_err(|error| Refused {
            episode_id: None,
            problem: Problem::invalid_field(format!("records[{index}]"), error.to_string()),
        })?;
        let episode_id = body.episode_id.as_ref().map(ToString::to_string);
        Submission::check(body).map_err(|problem| Refused {
            episode_id,
            problem: problem.within(&format!("records[{index}]")),
        })
    });
    gateway.add_all(read.collect(), time).await
}
