//! The spans of Mneme, and how one process goes on where another one was.
//!
//! 1. A trace goes on with each record and request whether spans are exported or not: a process that
//!    exports none passes on what it was given.
//! 2. Where none are exported a span costs next to nothing: nobody listens to [`TARGET`].

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::TraceParent;

/// The target of all spans that are exported.
pub const TARGET: &str = "mneme::trace";

/// The most links of a batch's span; more would make it larger than collectors take.
const MOST_LINKS: usize = 128;

tokio::task_local! {
    static CURRENT: Option<TraceParent>;
}

/// Runs what belongs to a trace, so that [`current`] knows it.
pub async fn within<F: Future>(trace: Option<TraceParent>, work: F) -> F::Output {
    CURRENT.scope(trace, work).await
}

/// The trace that the current task works for.
pub fn current() -> Option<TraceParent> {
    CURRENT.try_with(|trace| *trace).ok().flatten()
}

/// The span of a request that is served.
pub fn of_request(method: &str, route: &str, parent: Option<TraceParent>) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        "request",
        otel.name = format_args!("{method} {route}"),
        otel.kind = "server",
        http.request.method = method,
        http.route = route,
        http.response.status_code = tracing::field::Empty,
    );
    follow(&span, parent);
    span
}

/// The span of one record that is taken by a stage, or applied by a store.
pub fn of_record(worker: &str, topic: &str, parent: Option<TraceParent>) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        parent: None,
        "record",
        otel.name = format_args!("process {topic} {worker}"),
        otel.kind = "consumer",
        messaging.operation.name = "process",
        messaging.destination.name = topic,
        mneme.worker = worker,
    );
    follow(&span, parent);
    span
}

/// The span of a batch, which has links to the traces that its records belong to.
pub fn of_batch(
    worker: &str,
    records: usize,
    traces: impl IntoIterator<Item = TraceParent>,
) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        parent: None,
        "batch",
        otel.name = format_args!("commit {worker}"),
        messaging.batch.message_count = records,
        mneme.worker = worker,
    );
    if !span.is_disabled() {
        for trace in traces.into_iter().take(MOST_LINKS) {
            span.add_link(span_context(trace));
        }
    }
    span
}

/// What follows from the work of a span: its own place in the trace, or where it has none, what it was
/// given.
pub fn after(span: &Span, given: Option<TraceParent>) -> Option<TraceParent> {
    if span.is_disabled() {
        return given;
    }
    let context = span.context();
    let context = context.span();
    let context = context.span_context();
    let own = TraceParent::new(
        u128::from_be_bytes(context.trace_id().to_bytes()),
        u64::from_be_bytes(context.span_id().to_bytes()),
        context.trace_flags().to_u8(),
    );
    own.or(given)
}

fn follow(span: &Span, parent: Option<TraceParent>) {
    if span.is_disabled() {
        return;
    }
    if let Some(parent) = parent {
        let context = Context::new().with_remote_span_context(span_context(parent));
        // Fails only for a span that has begun, and this one has not.
        let _ = span.set_parent(context);
    }
}

fn span_context(trace: TraceParent) -> SpanContext {
    SpanContext::new(
        TraceId::from_bytes(trace.trace_id().to_be_bytes()),
        SpanId::from_bytes(trace.span_id().to_be_bytes()),
        TraceFlags::new(trace.flags()),
        true,
        TraceState::NONE,
    )
}
