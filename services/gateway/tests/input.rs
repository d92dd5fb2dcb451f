//! What is refused, and with which field; what is taken, and how it is stored. The raw requests of
//! the conformance cases about input are all sent.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod support;

use mneme_events::{Episode, Event};
use serde_json::{Value, json};
use support::{World, fact, text};

/// The episodes that the log holds.
async fn episodes(world: &World) -> Vec<Episode> {
    let events = world.events().await;
    let received = events.iter().filter_map(|event| match &**event {
        Event::EpisodeReceived(received) => Some(received.episode.clone()),
        _ => None,
    });
    received.collect()
}

async fn run_cases(text: &str) -> usize {
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    let mut requests = 0;
    for case in &cases {
        let world = World::new();
        for step in case["steps"].as_array().unwrap() {
            let place = format!("{}: {step}", case["id"]);
            let one = step.get("episode").map(std::slice::from_ref);
            let several = step.get("episodes").and_then(Value::as_array);
            for episode in one.into_iter().chain(several.map(Vec::as_slice)).flatten() {
                let mut episode = episode.clone();
                let fields = episode.as_object_mut().unwrap();
                for of_the_runner in ["extraction", "model_outputs"] {
                    fields.remove(of_the_runner);
                }
                let (status, answer) = world.add(episode).await;
                assert_eq!(status, 202, "{place}: {answer}");
            }
            let Some(http) = step.get("http") else {
                continue;
            };
            let path = http["path"].as_str().unwrap();
            if !path.starts_with("/v1/episodes") {
                continue;
            }
            let body = match (http.get("raw"), http.get("body")) {
                (Some(raw), _) => raw.as_str().unwrap().to_owned(),
                (None, Some(body)) => body.to_string(),
                (None, None) => String::new(),
            };
            let method = http["method"].as_str().unwrap();
            let (status, answer) = world.send(method, path, body).await;
            let allowed = match &step["status"] {
                Value::Array(list) => list.clone(),
                one => vec![one.clone()],
            };
            assert!(
                allowed.contains(&json!(status)),
                "{place}: {status} {answer}"
            );
            if let Some(part) = step.get("body_contains") {
                let part = part.as_str().unwrap();
                assert!(answer.to_string().contains(part), "{place}: {answer}");
            }
            requests += 1;
        }
    }
    requests
}

#[tokio::test]
async fn the_requests_of_the_conformance_cases() {
    let input = include_str!("../../../tests/conformance/cases/input.json");
    assert_eq!(run_cases(input).await, 28);
    let isolation = include_str!("../../../tests/conformance/cases/isolation.json");
    assert_eq!(run_cases(isolation).await, 3);
}

#[tokio::test]
async fn a_refusal_names_the_field_and_nothing_is_appended() {
    let world = World::new();
    let statement = |change: Value| {
        let mut body = fact("x", "Ann", "LIKES", "tea");
        let fields = body["facts"][0].as_object_mut().unwrap();
        for (key, value) in change.as_object().unwrap() {
            if value.is_null() {
                fields.remove(key);
            } else {
                fields.insert(key.clone(), value.clone());
            }
        }
        body
    };
    let with = |change: Value| {
        let mut body = text("x", "The ferry was late.");
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    let many: serde_json::Map<_, _> = (0..65).map(|n| (n.to_string(), json!(n))).collect();
    for (body, field) in [
        (statement(json!({"object": "  "})), "facts[0].object"),
        (statement(json!({"object": null})), "facts[0].object"),
        (statement(json!({"value": 3})), "facts[0].object"),
        (
            statement(json!({"object": null, "value": [3]})),
            "facts[0].value",
        ),
        (
            statement(json!({"object": null, "value": " "})),
            "facts[0].value",
        ),
        (
            statement(json!({"object": null, "value": 3, "object_type": "T"})),
            "facts[0].object_type",
        ),
        (statement(json!({"subject": "..."})), "facts[0].subject"),
        (statement(json!({"subject": "!!"})), "facts[0].subject"),
        (statement(json!({"object": "??"})), "facts[0].object"),
        (
            statement(json!({"subject": "x".repeat(513)})),
            "facts[0].subject",
        ),
        (
            statement(json!({"fact": "x".repeat(4097)})),
            "facts[0].fact",
        ),
        (statement(json!({"fact": "\u{0}"})), "facts[0].fact"),
        (statement(json!({"relation": " "})), "facts[0].relation"),
        (
            statement(json!({"subject_type": ""})),
            "facts[0].subject_type",
        ),
        (with(json!({"source": "message"})), "author"),
        (
            with(json!({"source": "message", "author": {"name": " "}})),
            "author.name",
        ),
        (
            with(json!({"author": {"name": "A", "mood": "b"}})),
            "author.mood",
        ),
        (with(json!({"source": "json", "body": null})), "body"),
        (with(json!({"source": "facts"})), "body"),
        (with(json!({"body": " \n "})), "body"),
        (with(json!({"body": 7})), "body"),
        (with(json!({"body": null})), "body"),
        (
            with(json!({"facts": [statement(json!({}))["facts"][0]]})),
            "facts",
        ),
        (with(json!({"metadata": many})), "metadata"),
        (
            with(json!({"metadata": {"a": "x".repeat(17_000)}})),
            "metadata",
        ),
        (with(json!({"metadata": [1]})), "metadata"),
        (with(json!({"thread_id": ""})), "thread_id"),
        (with(json!({"episode_id": "a\nb"})), "episode_id"),
        (with(json!({"episode_id": "a\u{0}b"})), "episode_id"),
        (
            with(json!({"source_description": ""})),
            "source_description",
        ),
    ] {
        let (status, answer) = world.add(body.clone()).await;
        assert_eq!(
            (status, &answer["field"]),
            (400, &json!(field)),
            "{answer} to {body}"
        );
    }
    let statements = vec![statement(json!({}))["facts"][0].clone(); 501];
    let mut body = fact("x", "a", "b", "c");
    body["facts"] = json!(statements);
    assert_eq!(world.add(body).await.1["field"], "facts");
    assert_eq!(episodes(&world).await, []);
}

#[tokio::test]
async fn what_is_too_large_is_413() {
    let world = World::new();
    let mut message = text("x", &"x".repeat((256 << 10) + 1));
    message["source"] = json!("message");
    message["author"] = json!({"name": "Ann"});
    let (status, answer) = world.add(message).await;
    assert_eq!((status, &answer["field"]), (413, &json!("body")));
    let (status, _) = world.add(text("x", &"x ".repeat((2 << 20) + 1))).await;
    assert_eq!(status, 413);
    let (status, _) = world.add(text("x", &"x".repeat(9 << 20))).await;
    assert_eq!(status, 413);
    let mut facts = fact("x", "a", "b", "c");
    let one = json!({"subject": "a", "relation": "b", "object": "c", "fact": "x".repeat(4000)});
    facts["facts"] = json!(vec![one; 70]);
    assert_eq!(world.add(facts).await.0, 413);
    assert_eq!(episodes(&world).await, []);
}

#[tokio::test]
async fn what_is_taken_is_stored_as_sent_less_nul() {
    let world = World::new();
    let mut body = fact("e1", "Ola\0f Stein", "OWNS", "a map\0 case");
    body["facts"][0]["valid_at"] = json!("2024-03");
    body["author"] = json!({"name": "A\0nn", "role": "user"});
    body["metadata"] = json!({"k\0": {"x": ["\0y", 1.5]}, "n": null});
    assert_eq!(world.add(body).await.0, 202);
    let mut json_body = text("e2", "");
    json_body["source"] = json!("json");
    json_body["body"] = json!({"b": 1, "a": "x\0"});
    assert_eq!(world.add(json_body).await.0, 202);
    let mut literal = fact("e3", "Ann", "AGE", "x");
    let statement = literal["facts"][0].as_object_mut().unwrap();
    statement.remove("object");
    statement.insert("value".to_owned(), json!(31));
    assert_eq!(world.add(literal).await.0, 202);

    let stored = episodes(&world).await;
    let stated = &stored[0].facts[0];
    assert_eq!(stated.subject, "Olaf Stein");
    assert_eq!(stated.object.as_deref(), Some("a map case"));
    let start = stated.valid_at.unwrap();
    assert_eq!(
        (start.precision.as_str(), start.at.to_string().as_str()),
        ("month", "2024-03-01T00:00:00Z")
    );
    assert_eq!(stored[0].author.as_ref().unwrap().name, "Ann");
    assert_eq!(stored[0].metadata["k"], r#"{"x":["y",1.5]}"#);
    assert_eq!(stored[0].metadata["n"], "null");
    assert_eq!(stored[1].body, r#"{"b":1,"a":"x"}"#);
    let value = stored[2].facts[0].value.as_ref().unwrap();
    assert_eq!(
        (value.text.as_str(), stored[2].facts[0].object.as_ref()),
        ("31", None)
    );
}

#[tokio::test]
async fn an_id_is_made_where_none_is_given() {
    let world = World::new();
    let mut body = text("", "The ferry was late.");
    body.as_object_mut().unwrap().remove("episode_id");
    let (status, first) = world.add(body.clone()).await;
    assert_eq!((status, &first["state"]), (202, &json!("accepted")));
    let (_, second) = world.add(body).await;
    assert_ne!(first["episode_id"], second["episode_id"]);
    assert_eq!(first["group_id"], "g");
}

#[tokio::test]
async fn a_long_text_is_split_in_order() {
    let world = World::new();
    let paragraph = format!("{}.\n\n", "word ".repeat(2_000));
    let long = paragraph.repeat(60);
    let (status, answer) = world.add(text("doc", &long)).await;
    assert_eq!(status, 202);
    assert_eq!(answer["parts"], json!(["doc#1", "doc#2", "doc#3"]));
    let parts = episodes(&world).await;
    assert_eq!(
        parts.iter().map(|part| &*part.body).collect::<String>(),
        long
    );
    assert!(parts.iter().all(|part| part.body.ends_with(".\n\n")));
    assert!(
        parts
            .iter()
            .all(|part| part.thread_id.as_ref().unwrap().as_str() == "doc")
    );
    assert_eq!(parts[1].metadata["mneme.part"], "\"2/3\"");

    let again = world.add(text("doc", &long)).await;
    assert_eq!((again.0, &again.1["duplicate"]), (202, &json!(true)));
    assert_eq!(world.add(text("doc", "short")).await.0, 409);
    assert_eq!(world.add(text("doc", &format!("{long}more"))).await.0, 409);
    assert_eq!(world.add(text("short", "short")).await.0, 202);
    assert_eq!(world.add(text("short", &long)).await.0, 409);
    assert_eq!(world.add(text("other", &long[1..])).await.0, 202);

    let part_alone = world.delete("/v1/groups/g/episodes/doc%232").await;
    assert_eq!(
        part_alone.0, 409,
        "the rest would be left without an id to erase it by"
    );
    assert_eq!(world.delete("/v1/groups/g/episodes/doc").await.0, 202);
    assert_eq!(world.delete("/v1/groups/g/episodes/doc").await.0, 404);
    let (status, problem) = world.add(text("doc#1", "short")).await;
    assert_eq!((status, &problem["field"]), (400, &json!("episode_id")));
    assert_eq!(world.add(text("doc", "short")).await.0, 202);
}
