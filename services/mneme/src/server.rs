//! The HTTP face of a node: the routes of the gateway and of the query service, health, metrics, the
//! description of the API, and what operators do.

mod admin;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use axum::extract::{MatchedPath, Request};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use metrics_exporter_prometheus::PrometheusHandle;
use mneme_api::Problem;
use mneme_telemetry::metric;
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::node::{Node, Running};

#[derive(OpenApi)]
#[openapi(info(
    title = "Mneme",
    description = "Long-term memory for AI agents: episodes go in, dated facts with their sources \
                   come out."
))]
struct Api;

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    router: Router,
    running: Running,
}

impl Server {
    /// Starts the node and listens. The port of `listen` may be 0.
    pub async fn start(
        node: Node,
        listen: SocketAddr,
        metrics: Option<PrometheusHandle>,
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("{listen} can't be listened on"))?;
        let running = node.start()?;
        Ok(Self {
            listener,
            router: router(node, metrics),
            running,
        })
    }

    /// The address that it listens on.
    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    /// Serves until `stop`, then finishes the requests and commits under way.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> anyhow::Result<()> {
        let Self {
            listener,
            router,
            mut running,
        } = self;
        let (stopped, stopping) = tokio::sync::oneshot::channel::<()>();
        let serving = axum::serve(listener, router).with_graceful_shutdown(async move {
            let _ = stopping.await;
        });
        let mut serving = tokio::spawn(serving.into_future());
        let failed = tokio::select! {
            () = stop => None,
            error = running.failed() => Some(error),
            served = &mut serving => Some(anyhow::anyhow!("serving ended: {served:?}")),
        };
        let _ = stopped.send(());
        let grace = std::time::Duration::from_secs(10);
        let _ = tokio::time::timeout(grace, serving).await;
        match failed {
            Some(error) => Err(error),
            None => running.stop().await,
        }
    }
}

fn router(node: Node, metrics: Option<PrometheusHandle>) -> Router {
    let Node {
        gateway,
        query,
        projections,
        log,
        data,
        ..
    } = node;
    let operators = admin::router(admin::Operators {
        projections,
        log: log.clone(),
        data,
    });
    let (router, api) = OpenApiRouter::with_openapi(Api::openapi())
        .merge(gateway.router())
        .merge(query.router())
        .merge(operators)
        .split_for_parts();
    let description = Arc::new(api);
    router
        .route(
            "/openapi.json",
            get(move || async move { Json(description.as_ref().clone()) }),
        )
        .route("/livez", get(|| async { "live" }))
        .route("/readyz", get(move || ready(log)))
        .route(
            "/metrics",
            get(move || async move { metrics.map(|handle| handle.render()).unwrap_or_default() }),
        )
        .fallback(mneme_api::no_such_route)
        .method_not_allowed_fallback(mneme_api::no_such_method)
        .layer(middleware::from_fn(measure))
        .layer(CatchPanicLayer::custom(
            |_: Box<dyn std::any::Any + Send>| Problem::internal().into_response(),
        ))
}

/// Ready when the log can be read.
async fn ready(log: Arc<mneme_log::EmbeddedLog>) -> Response {
    use mneme_log::EventLog;
    match log.end(mneme_events::Topic::Episodes, 0).await {
        Ok(_) => "ready".into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

async fn measure(request: Request, next: Next) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let started = std::time::Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    metrics::histogram!(metric::REQUEST_SECONDS, "route" => route, "status" => status)
        .record(started.elapsed());
    response
}
