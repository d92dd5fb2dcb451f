//! Batches and raw records: each item stands alone, and the description of the API covers all.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod support;

use mneme_events::Event;
use serde_json::{Value, json};
use support::{World, fact, text};

#[tokio::test]
async fn a_bad_item_is_refused_alone_and_the_order_is_kept() {
    let world = World::new();
    world.add(fact("e0", "Ann", "LIKES", "tea")).await;
    let mut bad = fact("e2", "Ann", "LIKES", "tea");
    bad["facts"][0]["valid_at"] = json!("soon");
    let episodes = json!([
        fact("e1", "Ann", "LIKES", "tea"),
        bad,
        fact("e0", "Ann", "LIKES", "tea"),
        fact("e0", "Ann", "LIKES", "ale"),
        7,
        fact("e3", "Ann", "LIKES", "tea"),
        fact("e3", "Ann", "LIKES", "tea"),
        fact("e3", "Ann", "LIKES", "ale"),
    ]);
    let half = json!({"group_id": "g", "episode_id": "e4", "source": "text", "body": "half \u{1}",
        "reference_time": "2024"});
    let half = half.to_string().replace("\\u0001", "\\udc4d");
    let body = format!(
        "{{\"episodes\": {}, {half}]}}",
        episodes.to_string().trim_end_matches(']')
    );
    let (status, answer) = world.send("POST", "/v1/episodes/batch", body).await;
    assert_eq!(status, 202, "{answer}");
    let told: Vec<_> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| {
            let problem = &result["problem"];
            let outcome = if problem.is_null() {
                &result["duplicate"]
            } else {
                &problem["field"]
            };
            (
                result["episode_id"].as_str().unwrap_or_default(),
                outcome.clone(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("e1", json!(false)),
            ("e2", json!("episodes[1].facts[0].valid_at")),
            ("e0", json!(true)),
            ("e0", json!("episode_id")),
            ("", json!("episodes[4]")),
            ("e3", json!(false)),
            ("e3", json!(true)),
            ("e3", json!("episode_id")),
            ("e4", json!("episodes[8]")),
        ]
    );
    let events = world.events().await;
    let ids = events.iter().map(|event| match &**event {
        Event::EpisodeReceived(received) => received.episode.episode_id.to_string(),
        _ => panic!("another event"),
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["e0", "e1", "e3"]);
}

#[tokio::test]
async fn a_batch_has_a_size_and_can_be_waited_for() {
    let world = World::new();
    let batch = |count: usize| {
        let episodes: Vec<Value> = (0..count).map(|n| text(&n.to_string(), "late")).collect();
        json!({"episodes": episodes})
    };
    for count in [0, 1001] {
        let (status, answer) = world.post("/v1/episodes/batch", batch(count)).await;
        assert_eq!((status, &answer["field"]), (400, &json!("episodes")));
    }
    assert_eq!(
        world
            .post("/v1/episodes/batch", json!({"episode": []}))
            .await
            .0,
        400
    );
    assert_eq!(world.post("/v1/episodes/batch", json!([])).await.0, 400);
    let (_, answer) = world
        .post("/v1/episodes/batch?wait=applied", batch(1000))
        .await;
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 1000);
    assert!(results.iter().all(|result| result["state"] == "done"));
    assert_eq!(world.events().await.len(), 1000);
}

#[tokio::test]
async fn raw_records_become_episodes() {
    let world = World::new();
    let samples = include_str!("../../../examples/company/intake-samples.json");
    let samples: Vec<Value> = serde_json::from_str(samples).unwrap();
    for sample in &samples {
        let path = format!("/v1/intake/{}", sample["mapping"].as_str().unwrap());
        let (status, answer) = world.post(&path, sample["raw"].clone()).await;
        assert_eq!(status, 202);
        let expected = json!([{
            "group_id": "tidelamp", "episode_id": sample["episode"]["episode_id"],
            "state": "accepted", "duplicate": false
        }]);
        assert_eq!(answer["results"], expected);
    }
    assert_eq!(world.events().await.len(), samples.len());
    let comment = |id: Value| {
        json!({"tenant": "tidelamp", "ticket": 1, "id": id, "text": "Hm.",
            "from": {"id": 1, "kind": "staff", "name": "Tom"}, "created_at": "2026-01-01"})
    };
    let list = json!([comment(json!(1)), comment(Value::Null), comment(json!(2))]);
    let (status, answer) = world.post("/v1/intake/support.comments", list).await;
    let results = &answer["results"];
    assert_eq!((status, &results[0]["duplicate"]), (202, &json!(false)));
    assert_eq!(results[1]["problem"]["field"], "records[1]");
    assert!(
        results[1]["problem"]["detail"]
            .as_str()
            .unwrap()
            .contains("episode_id")
    );
    assert_eq!(results[2]["episode_id"], "ticket-1-comment-2");
    assert_eq!(world.post("/v1/intake/nosuch", json!({})).await.0, 404);
}

#[tokio::test]
async fn the_description_covers_every_route() {
    let gateway = support::gateway();
    let (_, description) = gateway.router().split_for_parts();
    let description = serde_json::to_value(&description).unwrap();
    assert!(description["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = description["paths"].as_object().unwrap();
    let mut routes: Vec<String> = paths
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().keys();
            methods.map(move |method| format!("{method} {path}"))
        })
        .collect();
    routes.sort();
    assert_eq!(
        routes,
        [
            "delete /v1/groups/{group_id}",
            "delete /v1/groups/{group_id}/episodes/{episode_id}",
            "get /v1/groups/{group_id}/ontology",
            "post /v1/episodes",
            "post /v1/episodes/batch",
            "post /v1/groups/{group_id}/corrections",
            "post /v1/groups/{group_id}/merge",
            "post /v1/groups/{group_id}/split",
            "post /v1/intake/{mapping}",
            "put /v1/groups/{group_id}/ontology",
        ]
    );
    let schemas = description["components"]["schemas"].as_object().unwrap();
    for schema in [
        "EpisodeBody",
        "StatementDto",
        "AuthorDto",
        "Problem",
        "ProblemCode",
    ] {
        assert!(schemas.contains_key(schema), "{schema}");
    }
    let references = description.to_string();
    for name in references.split("#/components/schemas/").skip(1) {
        let name = name.split('"').next().unwrap();
        assert!(
            schemas.contains_key(name),
            "{name} is referred to and not described"
        );
    }
}
