//! The runner tells right from wrong: against a small memory that keeps what it is sent, some cases
//! pass, and each kind of mistake of such a memory fails its case with what was expected and came.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex};

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use mneme_conformance::{Options, Report, run};
use serde_json::{Value, json};

type Episodes = Arc<Mutex<Vec<Value>>>;

/// Facts in the order sent; of relation `LAST` only the one sent last, so that order matters.
fn facts_of(episodes: &[Value], group: &str) -> Vec<Value> {
    let mut facts: Vec<Value> = Vec::new();
    for episode in episodes
        .iter()
        .filter(|episode| episode["group_id"] == group)
    {
        for fact in episode["facts"].as_array().unwrap() {
            if fact["relation"] == "LAST" {
                facts.retain(|fact| fact["relation"] != "LAST");
            }
            let end = |name: &Value| json!({"entity_id": name, "name": name});
            facts.push(json!({
                "subject": end(&fact["subject"]), "relation": fact["relation"],
                "object": end(&fact["object"]), "valid_at": fact["valid_at"], "invalid_at": null,
                "precision": "day", "sources": [],
            }));
        }
    }
    facts
}

async fn add(
    State(episodes): State<Episodes>,
    Json(episode): Json<Value>,
) -> (StatusCode, Json<Value>) {
    if episode.get("group_id").is_none() || episode.get("extraction").is_some() {
        return (
            StatusCode::BAD_REQUEST,
            Json(json!({"detail": "refused", "field": "group_id"})),
        );
    }
    let answer = json!({"state": "done"});
    episodes.lock().unwrap().push(episode);
    (StatusCode::ACCEPTED, Json(answer))
}

/// One fact a page, so that the runner must turn pages.
async fn facts(
    State(episodes): State<Episodes>,
    Path(group): Path<String>,
    Query(query): Query<Vec<(String, String)>>,
) -> Json<Value> {
    let all = facts_of(&episodes.lock().unwrap(), &group);
    let after = query.iter().find(|(key, _)| key == "after");
    let at: usize = after.map_or(0, |(_, at)| at.parse().unwrap());
    let next = (at + 1 < all.len()).then(|| (at + 1).to_string());
    Json(json!({"facts": all.get(at..=at).unwrap_or_default(), "next": next}))
}

async fn entities(State(episodes): State<Episodes>, Path(group): Path<String>) -> Json<Value> {
    let mut found: Vec<Value> = Vec::new();
    for fact in facts_of(&episodes.lock().unwrap(), &group) {
        for end in [&fact["subject"], &fact["object"]] {
            if !found.contains(end) {
                found.push(end.clone());
            }
        }
    }
    Json(json!({"entities": found, "next": null}))
}

async fn search(Json(body): Json<Value>) -> Json<Value> {
    Json(json!({"results": [{"kind": "fact", "text": body["query"]}]}))
}

/// A memory on a port of its own, and a program that says so as `mneme up` does.
async fn fake_binary(folder: &FilePath) -> PathBuf {
    let router = Router::new()
        .route("/v1/episodes", post(add))
        .route("/v1/groups/{group}/facts", get(facts))
        .route("/v1/groups/{group}/entities", get(entities))
        .route("/v1/search", post(search))
        .with_state(Episodes::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let path = folder.join("fake-mneme");
    let script = format!(
        "#!/bin/sh\ntrap 'exit 0' TERM\necho 'listening on http://{address}'\necho 'CANARY-1' >&2\n\
         while :; do sleep 0.05; done\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

async fn run_cases(cases: Value) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let cases_folder = folder.path().join("cases");
    fs::create_dir(&cases_folder).unwrap();
    fs::write(cases_folder.join("fake.json"), cases.to_string()).unwrap();
    let options = Options {
        binary: fake_binary(folder.path()).await,
        only: Vec::new(),
        parallel: 2,
        grep_all: false,
        kafka: None,
    };
    run(&cases_folder, &options, |_| ()).await.unwrap()
}

/// A case in a group named like itself, since all cases here share one memory.
fn case(id: &str, episodes: &[Value], expect: Value) -> Value {
    let steps: Vec<Value> = episodes
        .iter()
        .map(|episode| json!({"episode": episode}))
        .collect();
    json!({"id": id, "title": id, "steps": steps, "expect": expect})
}

fn episode(group: &str, id: &str, relation: &str, object: &str) -> Value {
    json!({"group_id": group, "episode_id": id, "facts": [
        {"subject": "Ann", "relation": relation, "object": object, "valid_at": "2020-01-01T00:00:00Z"}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_as_expected_passes() {
    let two = [
        episode("right", "e1", "KNOWS", "Bo"),
        episode("right", "e2", "LIKES", "tea"),
    ];
    let mut right = case(
        "right",
        &two,
        json!([
            {"facts": {"group_id": "right"}, "exactly": [["ANN", "KNOWS", "bo", "2020", null],
                ["Ann", "LIKES", "tea", "*", null, "day"]]},
            {"entities": {"group_id": "right"}, "exactly": ["Ann", "Bo", "tea"], "count": 3},
            {"search": {"group_ids": ["right"], "query": "who knows Bo"}, "first": "knows Bo"},
            {"grep_logs": "CANARY-1", "found": true},
            {"grep_all": "CANARY-2", "found": true},
            {"same_state_for": "all_orders"},
        ]),
    );
    let steps = right["steps"].as_array_mut().unwrap();
    steps.push(json!({"restart": true}));
    steps.push(
        json!({"http": {"method": "POST", "path": "/v1/episodes", "body": {}},
        "status": [400, 422], "body_contains": "group_id"}),
    );
    let report = run_cases(json!([right])).await;
    assert_eq!(
        report.to_string(),
        "not run fake/right: grep_all of it; the rest is run\n1 passed, 0 failed, 0 skipped"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_differs_fails_and_says_how() {
    let fact = |group: &str| [episode(group, "e1", "KNOWS", "Bo")];
    let last = |group: &str, id: &str, object: &str| episode(group, id, "LAST", object);
    let model = json!({"group_id": "model", "episode_id": "e1", "model_outputs": ["…"]});
    let report = run_cases(json!([
        case(
            "facts",
            &fact("a"),
            json!([{"facts": {"group_id": "a"}, "exactly": []}])
        ),
        case(
            "entities",
            &fact("b"),
            json!([{"entities": {"group_id": "b"}, "count": 1}])
        ),
        case(
            "search",
            &[],
            json!([{"search": {"group_ids": ["c"], "query": "x"}, "lacks": ["x"]}])
        ),
        case("refused", &[json!({"episode_id": "e1"})], json!([])),
        case(
            "odd",
            &[],
            json!([{"fatcs": {"group_id": "a"}, "exactly": []}])
        ),
        case(
            "order",
            &[last("d", "e1", "one"), last("d", "e2", "two")],
            json!([
            {"facts": {"group_id": "d"}, "exactly": [["Ann", "LAST", "two", "*", "*"]]},
            {"same_state_for": "all_orders"}])
        ),
        case("model", &[model], json!([])),
    ]))
    .await;
    let text = report.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let wanted = [
        "FAILED fake/facts: expectation 1 (facts): expected exactly 0 facts",
        "FAILED fake/entities: expectation 1 (entities): expected 1 entities; came 2",
        "FAILED fake/search: expectation 1 (search): expected no \"x\"",
        "FAILED fake/refused: step 1: episode e1: expected 2xx; came 400 group_id: refused",
        "FAILED fake/odd: expectation 1 is not understood",
        "FAILED fake/order: in order e2 e1: expectation 1 (facts)",
        "not run fake/model: needs a model",
        "0 passed, 6 failed, 1 skipped",
    ];
    assert_eq!(lines.len(), wanted.len(), "{text}");
    for (line, wanted) in lines.iter().zip(wanted) {
        assert!(line.starts_with(wanted), "{line}");
    }
    assert!(!lines[5].contains("e1 e2"), "{}", lines[5]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_binary_every_case_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.json"),
        r#"[{"id": "x", "steps": []}]"#,
    )
    .unwrap();
    let options = Options {
        binary: folder.path().join("nothing"),
        only: Vec::new(),
        parallel: 1,
        grep_all: false,
        kafka: None,
    };
    let report = run(folder.path(), &options, |_| ()).await.unwrap();
    assert!(report.to_string().contains("no mneme binary"), "{report}");
}
