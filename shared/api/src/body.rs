//! A JSON body, read whole or refused; what is an object in the API is given as one. A missing
//! content type is taken as JSON; another one is not.

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

use crate::error_path::problem_at;
use crate::objects::ObjectsOnly;
use crate::{Problem, ProblemCode};

/// The most bytes that the body of a request may have: 8 MiB.
pub const REQUEST_BYTES: usize = 8 << 20;

/// A JSON body. `T` refuses unknown fields itself (`#[serde(deny_unknown_fields)]`).
#[derive(Debug, Clone)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(mut request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(&request) {
            let detail = "send the body with content-type: application/json";
            return Err(Problem::new(ProblemCode::NotJson, detail));
        }
        DefaultBodyLimit::max(REQUEST_BYTES).apply(&mut request);
        let bytes =
            Bytes::from_request(request, state)
                .await
                .map_err(|rejection| match rejection.status() {
                    StatusCode::PAYLOAD_TOO_LARGE => {
                        Problem::too_large("the body of a request may have 8 MiB; send several")
                    }
                    _ => Problem::malformed("the body did not arrive whole; send it again"),
                })?;
        from_json(&bytes).map(Self)
    }
}

/// Reads JSON; the problem names the field.
pub fn from_json<T: DeserializeOwned>(json: &[u8]) -> Result<T, Problem> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let value =
        serde_path_to_error::deserialize(ObjectsOnly(&mut deserializer)).map_err(|error| {
            let path = error.path().to_string();
            let inner = error.into_inner();
            if inner.is_data() {
                problem_at(&path, &inner.to_string())
            } else {
                Problem::malformed(format!("the body is no JSON: {inner}"))
            }
        })?;
    deserializer
        .end()
        .map_err(|error| Problem::malformed(format!("the body is no JSON: {error}")))?;
    Ok(value)
}

/// Reads a value that is JSON already; the problem names the field.
pub fn from_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(ObjectsOnly(value)).map_err(|error| {
        let path = error.path().to_string();
        problem_at(&path, &error.into_inner().to_string())
    })
}

fn is_json(request: &Request) -> bool {
    let Some(given) = request.headers().get(header::CONTENT_TYPE) else {
        return true;
    };
    let essence = given.to_str().unwrap_or_default();
    let essence = essence.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence.is_empty()
        || essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}
