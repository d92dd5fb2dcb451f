//! A gateway on a log in memory and a graph that catches up only when it is waited for.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]
#![allow(dead_code, reason = "each test file uses a part")]

pub mod graph;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use mneme_api::{Applied, NotApplied, UpTo};
use mneme_events::{Event, Topic};
use mneme_gateway::intake::Mappings;
use mneme_gateway::{Gateway, GatewayConfig, ProjectedRecords};
use mneme_log::{EventLog, MemoryLog};
use mneme_model::{GroupId, SystemClock};
use mneme_stores::Projection;
use serde_json::{Value, json};
use tower::ServiceExt;

use graph::FakeGraph;

/// What projects the log into the graph when someone waits for it.
pub struct Projector {
    pub log: MemoryLog,
    pub graph: Arc<FakeGraph>,
    /// Whether it does nothing.
    pub stalled: AtomicBool,
    /// Whether the group is held from when the communities are next waited for.
    pub holds: AtomicBool,
    /// What it was waited for.
    pub asked: Mutex<Vec<UpTo>>,
}

impl Projector {
    pub async fn project(&self) {
        for partition in 0..self.log.partitions() {
            let from = self.graph.checkpoint(1, Topic::Episodes, partition).await;
            let records = self
                .log
                .read(Topic::Episodes, partition, from.unwrap(), usize::MAX)
                .await
                .unwrap();
            for record in records {
                self.graph
                    .take(&record.event.unwrap(), partition, record.offset);
            }
        }
    }
}

#[async_trait]
impl Applied for Projector {
    async fn wait(
        &self,
        group: &GroupId,
        _: u64,
        up_to: UpTo,
        timeout: Duration,
    ) -> Result<(), NotApplied> {
        self.asked.lock().unwrap().push(up_to);
        if up_to == UpTo::Communities && self.holds.swap(false, Ordering::SeqCst) {
            self.graph.set_held(group.as_str(), true);
        }
        if self.stalled.load(Ordering::SeqCst) {
            tokio::time::sleep(timeout).await;
            return Err(NotApplied::TimedOut);
        }
        self.project().await;
        Ok(())
    }
}

pub struct World {
    pub log: MemoryLog,
    pub graph: Arc<FakeGraph>,
    pub projector: Arc<Projector>,
    pub router: Router,
    config: GatewayConfig,
}

impl World {
    pub fn new() -> Self {
        Self::with(GatewayConfig::default())
    }

    pub fn with(config: GatewayConfig) -> Self {
        let log = MemoryLog::new(2);
        let graph = Arc::new(FakeGraph::default());
        let projector = Arc::new(Projector {
            log: log.clone(),
            graph: graph.clone(),
            stalled: AtomicBool::new(false),
            holds: AtomicBool::default(),
            asked: Mutex::default(),
        });
        let router = router(&log, &graph, &projector, &config);
        Self {
            log,
            graph,
            projector,
            router,
            config,
        }
    }

    /// A new process on the same log and graph.
    pub fn restarted(self) -> Self {
        let router = router(&self.log, &self.graph, &self.projector, &self.config);
        Self { router, ..self }
    }

    pub fn stall(&self, stalled: bool) {
        self.projector.stalled.store(stalled, Ordering::SeqCst);
    }

    /// Sends a request; the answer is its status and JSON.
    pub async fn send(&self, method: &str, path: &str, body: impl Into<Vec<u8>>) -> (u16, Value) {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json")
            .body(Body::from(body.into()))
            .unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        if status >= 400 {
            for field in ["type", "title", "status", "detail", "code"] {
                assert!(!value[field].is_null(), "{status} without {field}: {value}");
            }
        }
        (status, value)
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.send("POST", path, body.to_string()).await
    }

    pub async fn add(&self, body: Value) -> (u16, Value) {
        self.post("/v1/episodes", body).await
    }

    pub async fn delete(&self, path: &str) -> (u16, Value) {
        self.send("DELETE", path, "").await
    }

    /// All events of the `episodes` topic, by partition and position.
    pub async fn events(&self) -> Vec<Arc<Event>> {
        let mut events = Vec::new();
        for partition in 0..self.log.partitions() {
            let records = self
                .log
                .read(Topic::Episodes, partition, 0, usize::MAX)
                .await
                .unwrap();
            events.extend(records.into_iter().map(|record| record.event.unwrap()));
        }
        events
    }
}

fn router(
    log: &MemoryLog,
    graph: &Arc<FakeGraph>,
    projector: &Arc<Projector>,
    config: &GatewayConfig,
) -> Router {
    gateway_on(log, graph, projector, config).router().into()
}

fn gateway_on(
    log: &MemoryLog,
    graph: &Arc<FakeGraph>,
    projector: &Arc<Projector>,
    config: &GatewayConfig,
) -> Gateway {
    let mappings = include_str!("../../../../examples/company/intake.toml");
    let records = ProjectedRecords::new(graph.clone(), Arc::new(AtomicU32::new(1)));
    Gateway::new(
        config.clone(),
        Arc::new(log.clone()),
        Arc::new(records),
        projector.clone(),
        Arc::new(SystemClock::default()),
        Mappings::parse(mappings).unwrap(),
    )
}

/// A gateway on nothing.
pub fn gateway() -> Gateway {
    let world = World::new();
    gateway_on(&world.log, &world.graph, &world.projector, &world.config)
}

/// A `facts` episode of one statement.
pub fn fact(id: &str, subject: &str, relation: &str, object: &str) -> Value {
    json!({
        "group_id": "g", "episode_id": id, "source": "facts",
        "reference_time": "2024-01-01T00:00:00Z",
        "facts": [{
            "subject": subject, "subject_type": "Person", "relation": relation, "object": object,
            "fact": format!("{subject} {relation} {object}")
        }]
    })
}

/// A `text` episode.
pub fn text(id: &str, body: &str) -> Value {
    json!({
        "group_id": "g", "episode_id": id, "source": "text",
        "reference_time": "2024-01-01T00:00:00Z", "body": body
    })
}
