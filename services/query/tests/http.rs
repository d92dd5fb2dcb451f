//! The reads over HTTP, on embedded stores.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is the report of a test"
)]

mod support;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use support::{Memory, Stated, at, entity_id, group, message};
use tower::ServiceExt;

struct Server {
    router: Router,
    _memory: Memory,
}

impl Server {
    /// Two groups with facts, episodes and the same words.
    async fn new() -> Self {
        let memory = Memory::new();
        let (a, b) = (group("a"), group("b"));
        let day = |day: u32| at(&format!("2024-01-{day:02}T09:00:00Z"));
        let mut changes = vec![
            (
                a.clone(),
                message(&a, "e1", "Ann", "I joined Acme as a welder.", day(1), 0),
            ),
            (
                a.clone(),
                message(&a, "e2", "Bob", "Where do you work now?", day(2), 1),
            ),
            (
                a.clone(),
                message(
                    &a,
                    "e3",
                    "Ann",
                    "At the foundry, since last May.",
                    day(3),
                    2,
                ),
            ),
            (
                b.clone(),
                message(&b, "e1", "Zoe", "I joined Acme as a welder.", day(1), 3),
            ),
        ];
        changes.extend(works_at("Acme", "2020-01-01", Some("2023-05-01"), "e1").changes(&a));
        changes.extend(works_at("Foundry", "2023-05-01", None, "e3").changes(&a));
        let owns = Stated {
            subject: "Foundry",
            relation: "OWNS",
            object: "Kiln 7",
            sentence: "Foundry owns Kiln 7",
            from: "2023",
            until: None,
            episode: "e3",
        };
        changes.extend(owns.changes(&a));
        memory.apply(changes).await;
        let (router, _) = memory.service.clone().router().split_for_parts();
        Self {
            router,
            _memory: memory,
        }
    }

    async fn send(&self, request: Request<Body>) -> (StatusCode, Value) {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.send(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()));
        self.send(request.unwrap()).await
    }

    async fn search(&self, body: Value) -> Vec<Value> {
        let (status, answer) = self.post("/v1/search", body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        assert_eq!(answer["partial"], json!([]));
        answer["results"].as_array().unwrap().clone()
    }
}

fn works_at<'s>(
    object: &'s str,
    from: &'s str,
    until: Option<&'s str>,
    episode: &'s str,
) -> Stated<'s> {
    Stated {
        subject: "Ann",
        relation: "WORKS_AT",
        object,
        sentence: if object == "Acme" {
            "Ann works at Acme"
        } else {
            "Ann works at Foundry"
        },
        from,
        until,
        episode,
    }
}

fn texts(results: &[Value]) -> Vec<&str> {
    results
        .iter()
        .map(|result| result["text"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_sees_what_holds_and_other_times_when_asked() {
    let server = Server::new().await;
    let body = |more: Value| {
        let mut body = json!({"group_ids": ["a"], "query": "where does Ann work", "scopes": ["facts"], "methods": ["bm25", "vector"]});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let now = server.search(body(json!({}))).await;
    assert_eq!(texts(&now)[0], "Ann works at Foundry");
    assert!(!texts(&now).contains(&"Ann works at Acme"));
    let then = server.search(body(json!({"as_of": "2021"}))).await;
    assert_eq!(texts(&then), ["Ann works at Acme"]);
    let all = server.search(body(json!({"include_past": true}))).await;
    assert!(
        texts(&all).contains(&"Ann works at Acme") && texts(&all).contains(&"Ann works at Foundry")
    );
    let before = server.search(body(json!({"known_at": "2023-12-31"}))).await;
    assert!(before.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_has_its_sources_and_its_score_in_parts() {
    let server = Server::new().await;
    let query = json!({"group_ids": ["a"], "query": "Ann work foundry"});
    let results = server.search(query).await;
    let kinds: Vec<&str> = results
        .iter()
        .map(|result| result["kind"].as_str().unwrap())
        .collect();
    for kind in ["fact", "entity", "episode"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let mut last = f64::INFINITY;
    for result in &results {
        let score = result["score"].as_f64().unwrap();
        assert!(score <= last, "best first");
        last = score;
        let parts = result["score_parts"].as_object().unwrap().values();
        let sum: f64 = parts.map(|part| part.as_f64().unwrap()).sum();
        assert!((sum - score).abs() < 1e-9, "{result}");
        assert_eq!(result["group_id"], "a");
        assert_ne!(result["sources"], json!([]), "{result}");
    }
    let fact = results
        .iter()
        .find(|result| result["text"] == "Ann works at Foundry")
        .unwrap();
    assert_eq!(fact["sources"][0]["episode_id"], "e3");
    assert_eq!(fact["fact"]["valid_at"], "2023-05-01T00:00:00Z");
    assert_eq!(fact["fact"]["precision"], "day");
    assert_eq!(fact["fact"]["invalid_at"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_named_author_says_is_ahead_of_a_question() {
    let server = Server::new().await;
    let query =
        json!({"group_ids": ["a"], "query": "Where does Ann work?", "scopes": ["episodes"]});
    let results = server.search(query).await;
    let ids: Vec<&str> = results
        .iter()
        .map(|result| result["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.last(), Some(&"e2"), "{ids:?}");
    assert!(results[0]["score_parts"]["author"].as_f64().unwrap() > 0.0);
    assert!(results[2]["score_parts"]["question"].as_f64().unwrap() < 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entity_named_exactly_is_the_first_of_the_entities() {
    let server = Server::new().await;
    let query = json!({"group_ids": ["a"], "query": "what about kiln 7", "scopes": ["entities"]});
    assert_eq!(texts(&server.search(query).await)[0], "Kiln 7");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_finds_what_no_word_names() {
    let server = Server::new().await;
    let walk = |methods: Value| json!({"group_ids": ["a"], "query": "Ann", "scopes": ["facts"], "methods": methods});
    let words = server.search(walk(json!(["bm25"]))).await;
    assert!(!texts(&words).contains(&"Foundry owns Kiln 7"));
    let graph = server.search(walk(json!(["graph"]))).await;
    assert_eq!(
        texts(&graph),
        ["Ann works at Foundry", "Foundry owns Kiln 7"]
    );
    let mut filtered = walk(json!(["graph"]));
    filtered["filter"] = json!({"relation": {"ne": "OWNS"}});
    assert_eq!(
        texts(&server.search(filtered).await),
        ["Ann works at Foundry"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rerankers_order_what_was_found() {
    let server = Server::new().await;
    let center = entity_id(&group("a"), "Kiln 7");
    for rerank in [
        "evidence",
        "rrf",
        "mmr",
        "episode_mentions",
        "node_distance",
    ] {
        let query = json!({"group_ids": ["a"], "query": "Ann foundry kiln", "rerank": rerank, "scopes": ["facts"], "center_entity_ids": [center]});
        let results = server.search(query).await;
        assert_eq!(results.len(), 2, "{rerank}: {results:?}");
        if rerank == "node_distance" {
            assert_eq!(
                texts(&results),
                ["Foundry owns Kiln 7", "Ann works at Foundry"]
            );
            assert_eq!(results[0]["score"], 0.5);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_read_crosses_a_group() {
    let server = Server::new().await;
    let query = |groups: Value| json!({"group_ids": groups, "query": "joined Acme welder"});
    for result in server.search(query(json!(["b"]))).await {
        assert_eq!(result["group_id"], "b");
    }
    let both = server.search(query(json!(["b", "a"]))).await;
    assert!(both.iter().any(|result| result["group_id"] == "a"));
    let ann = entity_id(&group("a"), "Ann");
    for path in [
        "/v1/groups/b/facts".to_owned(),
        "/v1/groups/b/entities".to_owned(),
        "/v1/groups/b/communities".to_owned(),
        format!("/v1/groups/b/entities/{ann}/history"),
        "/v1/groups/unknown/episodes".to_owned(),
    ] {
        let (status, answer) = server.get(&path).await;
        assert_eq!(status, StatusCode::OK);
        let list = answer.as_object().unwrap().values().next().unwrap();
        assert_eq!(*list, json!([]), "{path}");
    }
    let mut walk = query(json!(["b"]));
    walk["center_entity_ids"] = json!([ann]);
    walk["methods"] = json!(["graph"]);
    assert!(server.search(walk).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_understood_is_refused_with_the_field() {
    let server = Server::new().await;
    for (body, field) in [
        (json!({"query": "x"}), "group_ids"),
        (json!({"group_ids": [], "query": "x"}), "group_ids"),
        (json!({"group_ids": ["*"], "query": "x"}), "group_ids[0]"),
        (json!({"group_ids": ["a"], "query": 7}), "query"),
        (json!({"group_ids": ["a"], "limit": 0}), "limit"),
        (json!({"group_ids": ["a"], "limit": 201}), "limit"),
        (json!({"group_ids": ["a"], "scopes": []}), "scopes"),
        (json!({"group_ids": ["a"], "filters": {}}), "filters"),
        (json!({"group_ids": ["a"], "as_of": "later"}), "as_of"),
        (json!({"group_ids": ["a"], "min_cosine": 2}), "min_cosine"),
        (
            json!({"group_ids": ["a"], "filter": {"xor": []}}),
            "filter.xor",
        ),
        (
            json!({"group_ids": ["a"], "filter": {"and": [{"metadata.a": {"near": 3}}]}}),
            "filter.and[0].metadata.a.near",
        ),
    ] {
        let (status, problem) = server.post("/v1/search", body.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(problem["field"], field, "{problem}");
    }
    for path in [
        "/v1/groups/a/facts?limit=0",
        "/v1/groups/a/facts?as_of=x",
        "/v1/groups/a/facts?x=1",
        "/v1/groups/a%20b/facts",
    ] {
        let (status, _) = server.get(path).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_asked_is_nothing_found() {
    let server = Server::new().await;
    for query in [json!(null), json!(""), json!("  ")] {
        let body = json!({"group_ids": ["a"], "query": query});
        assert!(server.search(body).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_are_listed_by_their_ends_page_by_page() {
    let server = Server::new().await;
    let sentences = |answer: &Value| -> Vec<String> {
        let facts = answer["facts"].as_array().unwrap().iter();
        facts
            .map(|fact| fact["fact"].as_str().unwrap().to_owned())
            .collect()
    };
    let (_, answer) = server
        .get("/v1/groups/a/facts?subject=ann&include_past=true")
        .await;
    assert_eq!(
        sentences(&answer),
        ["Ann works at Acme", "Ann works at Foundry"]
    );
    let (_, answer) = server
        .get("/v1/groups/a/facts?object=Kiln%207&relation=OWNS")
        .await;
    assert_eq!(sentences(&answer), ["Foundry owns Kiln 7"]);
    for relation in ["owns", "%20Owns%20", "WORKS_AT", "works%20at", "Works-At"] {
        let path = format!("/v1/groups/a/facts?relation={relation}");
        let (_, answer) = server.get(&path).await;
        assert_eq!(sentences(&answer).len(), 1, "{relation}");
    }
    for (query, field) in [
        ("relation=%20", "relation"),
        ("after=x", "after"),
        ("after=00000000-0000-0000-0000-000000000001", "after"),
        (
            "subject=ann&after=00000000-0000-0000-0000-000000000001",
            "after",
        ),
    ] {
        let (status, problem) = server.get(&format!("/v1/groups/a/facts?{query}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(problem["field"], field, "{problem}");
    }
    let (_, answer) = server.get("/v1/groups/a/facts?subject=nobody").await;
    assert_eq!(answer, json!({"facts": [], "next": null}));
    for subject in ["", "&subject=Ann"] {
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let path = format!("/v1/groups/a/facts?include_past=true&limit=1{subject}{after}");
            let (_, answer) = server.get(&path).await;
            seen.extend(sentences(&answer));
            match answer["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        seen.sort();
        let expected: &[&str] = &[
            "Ann works at Acme",
            "Ann works at Foundry",
            "Foundry owns Kiln 7",
        ];
        assert_eq!(seen, expected[..if subject.is_empty() { 3 } else { 2 }]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn episodes_entities_and_history() {
    let server = Server::new().await;
    let (_, answer) = server.get("/v1/groups/a/episodes?last=2").await;
    let ids = answer["episodes"].as_array().unwrap().iter();
    assert_eq!(
        ids.map(|e| e["episode_id"].clone()).collect::<Vec<_>>(),
        ["e3", "e2"]
    );
    let (status, episode) = server.get("/v1/groups/a/episodes/e1").await;
    assert_eq!(
        (status, &episode["author"]["name"]),
        (StatusCode::OK, &json!("Ann"))
    );
    assert_eq!(episode["body"], "I joined Acme as a welder.");
    let (status, problem) = server.get("/v1/groups/a/episodes/none").await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::NOT_FOUND, &json!("not_found"))
    );
    let (_, answer) = server.get("/v1/groups/a/entities?name=ANN").await;
    assert_eq!(answer["entities"][0]["name"], "Ann");
    let ann = entity_id(&group("a"), "Ann");
    let (_, answer) = server
        .get(&format!("/v1/groups/a/entities/{ann}/history"))
        .await;
    assert_eq!(answer["facts"].as_array().unwrap().len(), 2);
    let fact = answer["facts"][0]["fact_id"].as_str().unwrap();
    let (_, answer) = server
        .get(&format!("/v1/groups/a/facts/{fact}/history"))
        .await;
    assert_eq!(answer["facts"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_keeps_its_budget_and_shows_dates() {
    let server = Server::new().await;
    let body = |tokens: usize| json!({"group_ids": ["a"], "query": "Where does Ann work?", "max_tokens": tokens});
    let (_, answer) = server.post("/v1/context", body(500)).await;
    let context = answer["context"].as_str().unwrap();
    assert!(
        context.contains("- Ann works at Foundry (since 1 May 2023)\n"),
        "{context}"
    );
    assert!(
        context.contains("## 3 January 2024\nAnn: At the foundry, since last May.\n"),
        "{context}"
    );
    for tokens in [1, 5, 20, 40, 80] {
        let (_, answer) = server.post("/v1/context", body(tokens)).await;
        let used = answer["tokens"].as_u64().unwrap() as usize;
        assert!(used <= tokens, "{answer}");
        let counted = mneme_query::context::tokens::estimate(answer["context"].as_str().unwrap());
        assert_eq!(used, counted.ceil() as usize);
    }
    let (status, problem) = server.post("/v1/context", body(0)).await;
    assert_eq!(
        (status, &problem["field"]),
        (StatusCode::BAD_REQUEST, &json!("max_tokens"))
    );
}
