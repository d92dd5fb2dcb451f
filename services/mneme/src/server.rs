//! The HTTP face of a process: its routes, health, metrics and the description of the API.

pub mod admin;
pub mod dead_letters;
mod problems;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use axum::extract::{MatchedPath, Request};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use futures::future::BoxFuture;
use metrics_exporter_prometheus::PrometheusHandle;
use mneme_api::Problem;
use mneme_log::EventLog;
use mneme_telemetry::{TraceParent, metric, spans};
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::{Instrument, Span};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::node::Node;
use crate::running::Running;
use crate::server::dead_letters::DeadLetters;

#[derive(OpenApi)]
#[openapi(info(
    title = "Mneme",
    description = "Long-term memory for AI agents: episodes go in, dated facts with their sources \
                   come out."
))]
struct Api;

/// Says what keeps the process from being live or ready, if something does.
pub type Probe = Arc<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// What operators and machines ask a process.
pub struct Probes {
    /// Whether it should go on living.
    pub live: Probe,
    /// Whether it can do its work now.
    pub ready: Probe,
    /// Its metrics, where they are kept.
    pub metrics: Option<PrometheusHandle>,
}

impl Probes {
    /// Of a process that is live as long as it answers, and ready when the log can be read.
    pub fn of_log(log: Arc<dyn EventLog>, metrics: Option<PrometheusHandle>) -> Self {
        Self {
            live: Arc::new(|| Box::pin(async { Ok(()) })),
            ready: Arc::new(move || {
                let log = Arc::clone(&log);
                Box::pin(async move {
                    let end = log.end(mneme_events::Topic::Episodes, 0).await;
                    end.map(|_| ()).map_err(|error| error.to_string())
                })
            }),
            metrics,
        }
    }
}

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
        let listener = listen_on(listen).await?;
        let mut running = node.start()?;
        let Node {
            gateway,
            reading,
            log,
            data,
            ..
        } = node;
        let operators = admin::Operators {
            projections: reading.projections,
            log: Arc::clone(&log),
            data,
        };
        let letters = DeadLetters::new(Arc::clone(&log), gateway.clone());
        running.start("dead letters", |stop| Arc::clone(&letters).run(stop));
        let routes = described()
            .merge(dead_letters::router(letters))
            .merge(gateway.router())
            .merge(reading.query.router())
            .merge(admin::router(operators));
        let router = routes_with(routes, Probes::of_log(log, metrics));
        let router = router.fallback(mneme_api::no_such_route);
        Ok(Self::new(listener, router, running))
    }

    /// A server of routes beside parts that run.
    pub fn new(listener: TcpListener, router: Router, running: Running) -> Self {
        Self {
            listener,
            router: router.layer(CatchPanicLayer::custom(panicked)),
            running,
        }
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

/// Binds an address.
pub async fn listen_on(listen: SocketAddr) -> anyhow::Result<TcpListener> {
    let bound = TcpListener::bind(listen).await;
    bound.with_context(|| format!("{listen} can't be listened on"))
}

/// A router whose routes go into the description of the API.
pub fn described() -> OpenApiRouter {
    OpenApiRouter::with_openapi(Api::openapi())
}

/// The same where others answer some of what is described.
pub fn described_with(elsewhere: utoipa::openapi::OpenApi) -> OpenApiRouter {
    let mut api = Api::openapi();
    api.merge(elsewhere);
    OpenApiRouter::with_openapi(api)
}

/// The routes with their description, the probes and the metrics.
pub fn routes_with(routes: OpenApiRouter, probes: Probes) -> Router {
    routes_and(routes, Router::new(), probes)
}

/// The same beside routes that are described elsewhere; all are measured.
pub fn routes_and(routes: OpenApiRouter, others: Router, probes: Probes) -> Router {
    let (router, api) = routes.split_for_parts();
    let router = router.merge(others);
    let description = Arc::new(api);
    let Probes {
        live,
        ready,
        metrics,
    } = probes;
    router
        .route(
            "/openapi.json",
            get(move || async move { Json(description.as_ref().clone()) }),
        )
        .route("/livez", get(move || told(live(), "live")))
        .route("/readyz", get(move || told(ready(), "ready")))
        .route(
            "/metrics",
            get(move || async move { metrics.map(|handle| handle.render()).unwrap_or_default() }),
        )
        .method_not_allowed_fallback(mneme_api::no_such_method)
        .layer(middleware::from_fn(measure))
}

async fn told(probe: BoxFuture<'static, Result<(), String>>, word: &'static str) -> Response {
    match probe.await {
        Ok(()) => word.into_response(),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason).into_response(),
    }
}

fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    Problem::internal().into_response()
}

/// Measures a request, as a part of the trace that it names.
async fn measure(request: Request, next: Next) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let started = std::time::Instant::now();
    let given = request.headers().get(TraceParent::HEADER);
    let given = given
        .and_then(|text| text.to_str().ok())
        .and_then(TraceParent::parse);
    // Probes and metrics are asked for all the time.
    let span = match request.uri().path().starts_with("/v1/") {
        true => spans::of_request(request.method().as_str(), &route, given),
        false => Span::none(),
    };
    let answering = next.run(request).instrument(span.clone());
    let response = spans::within(spans::after(&span, given), answering).await;
    span.record("http.response.status_code", response.status().as_u16());
    let status = response.status().as_u16().to_string();
    metrics::histogram!(metric::REQUEST_SECONDS, "route" => route, "status" => status)
        .record(started.elapsed());
    response
}
