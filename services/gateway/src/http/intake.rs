//! Raw records of producers, made episodes by a mapping.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use mneme_api::{BatchResponse, Body, MappingPath, Params, Problem, WaitParams};
use mneme_telemetry::spans;
use serde_json::Value;

use super::batch::check_count;
use super::refusals::Refusals;
use crate::Gateway;

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
    let mapping = gateway.mapping(&path.mapping).ok_or_else(|| {
        Problem::not_found(format!("there is no mapping '{}'", path.mapping)).about("mapping")
    })?;
    let records = match raw {
        Value::Array(records) => records,
        record => vec![record],
    };
    check_count("records", records.len())?;
    let trace = spans::current();
    let each = records.iter().map(|record| (record, trace));
    let mut submitted = gateway.take_all(mapping, each).await?;
    for (index, one) in submitted.iter_mut().enumerate() {
        if let Err(refused) = one
            && !refused.problem.is_passing()
        {
            let problem = (*refused.problem).clone();
            *refused.problem = problem.within(&format!("records[{index}]"));
        }
    }
    gateway.tell_all(submitted, time).await
}
