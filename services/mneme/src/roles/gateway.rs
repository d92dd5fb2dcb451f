//! The gateway: writes are its own, all else is passed on to the query role, so that clients know one
//! address.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use mneme_api::Problem;
use mneme_telemetry::{TraceParent, spans};

use super::Base;
use crate::parts;
use crate::remote::is_internal;
use crate::running::Running;
use crate::server::dead_letters::{self, DeadLetters};
use crate::server::{described_with, routes_and};

/// The path that both roles have, with other methods.
const READ_AND_WRITTEN: &str = "/v1/groups/{group_id}/episodes/{episode_id}";
/// The largest body that is passed on; questions are small.
const MOST_BYTES: usize = 4 << 20;

/// Builds and starts it.
pub fn build(base: &Base, metrics: PrometheusHandle) -> anyhow::Result<(Router, Running)> {
    let (owner, http, query) = base.owner()?;
    let gateway = parts::gateway(&base.configuration, &base.log, owner.clone(), owner)?;
    let letters = DeadLetters::new(Arc::clone(&base.log), gateway.clone());
    let mut running = Running::default();
    running.start("dead letters", |stop| Arc::clone(&letters).run(stop));
    let routes = described_with(mneme_query::description())
        .merge(dead_letters::router(letters))
        .merge(gateway.router());
    let passing = Passing { http, query };
    let reading = passing.clone();
    let read = get(move |request| pass_on(reading.clone(), request));
    let passed = Router::new()
        .route(READ_AND_WRITTEN, read)
        .fallback(move |request| pass_on(passing.clone(), request));
    let router = routes_and(routes, passed, base.log_probes(metrics));
    Ok((router, running))
}

#[derive(Clone)]
struct Passing {
    http: reqwest::Client,
    query: String,
}

/// Passes a request on, and its answer back.
async fn pass_on(passing: Passing, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let url = format!("{}{path}", passing.query);
    // The way between the two processes is not for others.
    if is_internal(path) {
        return mneme_api::no_such_route(head.uri).await.into_response();
    }
    let Ok(body) = axum::body::to_bytes(body, MOST_BYTES).await else {
        let text = format!("the body may have {MOST_BYTES} bytes at the most");
        return Problem::invalid_field("body", text).into_response();
    };
    let mut passed = passing.http.request(head.method, url).body(body);
    for name in ["content-type", "accept"] {
        if let Some(value) = head.headers.get(name) {
            passed = passed.header(name, value);
        }
    }
    if let Some(trace) = spans::current() {
        passed = passed.header(TraceParent::HEADER, trace.to_string());
    }
    let answer = async {
        let answer = passed.send().await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        Ok::<_, reqwest::Error>((status, headers, answer.bytes().await?))
    };
    let (status, headers, body) = match answer.await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(%error, "the query role does not answer");
            return Problem::unavailable(1).into_response();
        }
    };
    let mut response = (status, Body::from(body)).into_response();
    for name in ["content-type", "retry-after", "allow"] {
        if let Some(value) = headers.get(name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}
