//! A trace that a client begins goes on through all stages to the stores: one span follows from the
//! other, over processes too, and batches have links to what they hold.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a panic is the report of a test"
)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use mneme_conformance::{Kafka, SKIPPED};
use mneme_end_to_end::{Place, Setup};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use reqwest::Method;
use serde_json::json;
use tokio::net::TcpListener;

const TRACE: [u8; 16] = 0x0af7651916cd43dd8448eb211c80319c_u128.to_be_bytes();
const CALLER: [u8; 8] = 0xb7ad6b7169203331_u64.to_be_bytes();
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A collector that keeps what it gets: spans with the service that they are of.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<(String, Span)>>>);

impl Collector {
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/v1/traces", post(Self::take))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}")
    }

    async fn take(State(collector): State<Self>, body: Bytes) {
        let request = ExportTraceServiceRequest::decode(body).unwrap();
        let mut spans = collector.0.lock().unwrap();
        for resource in request.resource_spans {
            let attributes = resource.resource.unwrap_or_default().attributes;
            let service = attributes.iter().find(|pair| pair.key == "service.name");
            let service = service.and_then(|pair| pair.value.clone()?.value);
            let service = format!("{service:?}");
            for scope in resource.scope_spans {
                let of_service = |span| (service.clone(), span);
                spans.extend(scope.spans.into_iter().map(of_service));
            }
        }
    }

    fn spans(&self) -> Vec<(String, Span)> {
        self.0.lock().unwrap().clone()
    }

    /// The spans of the caller's trace, by the id of each.
    fn of_trace(&self) -> HashMap<Vec<u8>, Span> {
        let spans = self.spans().into_iter().map(|(_, span)| span);
        let spans = spans.filter(|span| span.trace_id == TRACE);
        spans.map(|span| (span.span_id.clone(), span)).collect()
    }
}

/// The names of the spans from one back to the caller.
fn path_of(span: &Span, all: &HashMap<Vec<u8>, Span>) -> Vec<String> {
    let mut path = vec![span.name.clone()];
    let mut parent = &span.parent_span_id;
    while let Some(before) = all.get(parent) {
        path.push(before.name.clone());
        parent = &before.parent_span_id;
    }
    assert_eq!(parent, &CALLER, "{path:?} does not begin at the caller");
    path.reverse();
    path
}

async fn a_trace_goes_to_the_stores(kafka: Option<Kafka>, services: &[&str]) {
    let collector = Collector::default();
    let kafka_is_used = kafka.is_some();
    let setup = Setup {
        kafka,
        environment: vec![("MNEME_TRACES__ENDPOINT", collector.start().await)],
        ..Setup::default()
    };
    let place = Place::set_up(tempfile::tempdir().unwrap(), setup).await;
    let client = place.client();
    let episode = json!({
        "group_id": "traced", "episode_id": "e1", "source": "message",
        "reference_time": "2026-01-05T10:00:00Z", "author": {"name": "Ann Lee"},
        "body": "I work at Acme since March 2024.",
    });
    let query = [("wait", "applied".to_owned())];
    let url = client.address(&["v1", "episodes"], &query).unwrap();
    let header = [("traceparent".to_owned(), PARENT.to_owned())];
    let body = Some(episode.to_string());
    let added = client.raw(Method::POST, url, &header, body).await.unwrap();
    assert_eq!(added.status, 202, "{}", added.brief());
    let url = client.address(&["v1", "search"], &[]).unwrap();
    let question = json!({"group_ids": ["traced"], "query": "where does Ann work"}).to_string();
    let found = client
        .raw(Method::POST, url, &header, Some(question))
        .await
        .unwrap();
    assert_eq!(found.status, 200, "{}", found.brief());
    // Spans go out now and then, and all of them when a process ends.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(place.server.stop().await.unwrap().success());

    let spans = collector.of_trace();
    let paths: Vec<Vec<String>> = spans.values().map(|span| path_of(span, &spans)).collect();
    let request = "POST /v1/episodes";
    let stages = [
        "process mneme.episodes.v1 extractor",
        "process mneme.extractions.v1 resolver",
        "process mneme.resolutions.v1 temporal-invalidator",
    ];
    for store in ["graph", "text", "vectors"] {
        for done in 0..=stages.len() {
            let topic = ["episodes", "extractions", "resolutions", "facts"][done];
            if topic == "extractions" {
                continue; // No store reads it.
            }
            let last = format!("process mneme.{topic}.v1 {store}");
            let mut expected = vec![request];
            expected.extend(&stages[..done]);
            expected.push(&last);
            assert!(
                paths.iter().any(|path| *path == expected),
                "no {expected:?} in {paths:#?}"
            );
        }
    }
    // A gateway passes the question on, and its place in the trace.
    let search = "POST /v1/search";
    let hops = if kafka_is_used {
        vec!["POST other", search]
    } else {
        vec![search]
    };
    assert!(
        paths.iter().any(|path| *path == hops),
        "no {hops:?} in {paths:#?}"
    );
    let all = collector.spans();
    let is_probe = |(_, span): &(String, Span)| span.name.contains("livez");
    assert!(!all.iter().any(is_probe), "probes are no part of a trace");
    for service in services {
        let is_of = |(name, _): &&(String, Span)| name.contains(service);
        assert!(
            all.iter().any(|found| is_of(&found)),
            "no span of {service}"
        );
    }
    for worker in ["extractor", "resolver", "temporal-invalidator", "graph"] {
        let name = format!("commit {worker}");
        let mut batches = all.iter().filter(|(_, span)| span.name == name);
        let has_link = |span: &Span| span.links.iter().any(|link| link.trace_id == TRACE);
        assert!(
            batches.any(|(_, span)| has_link(span)),
            "no link of {worker}"
        );
    }
    let content = format!("{all:?}");
    assert!(!content.contains("Acme"), "content in a span");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_goes_to_the_stores_in_one_process() {
    a_trace_goes_to_the_stores(None, &["\"mneme\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_goes_to_the_stores_over_kafka() {
    let services = [
        "mneme-gateway",
        "mneme-extractor",
        "mneme-resolver",
        "mneme-query",
    ];
    match Kafka::find() {
        Some(kafka) => a_trace_goes_to_the_stores(Some(kafka), &services).await,
        None => eprintln!("{SKIPPED}"),
    }
}
