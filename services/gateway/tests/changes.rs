//! Merge, split, correction and ontology are checked against the graph, also for what was only just
//! accepted.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod support;

use mneme_events::Event;
use serde_json::{Value, json};
use support::{World, fact};

async fn world() -> World {
    let world = World::new();
    world.add(fact("e1", "Ann Lee", "WORKS_AT", "Acme")).await;
    world
        .add(fact("e2", "A. Lee", "WORKS_AT", "Acme Ltd"))
        .await;
    world
}

async fn change(world: &World, what: &str, body: Value) -> (u16, Value) {
    world.post(&format!("/v1/groups/g/{what}"), body).await
}

#[tokio::test]
async fn what_was_just_added_can_be_merged() {
    let world = world().await;
    let (status, answer) =
        change(&world, "merge", json!({"from": "a lee", "into": "Ann Lee"})).await;
    assert_eq!((status, answer), (202, json!({"state": "accepted"})));
    let events = world.events().await;
    let Event::EntitiesMergeRequested(merge) = &**events.last().unwrap() else {
        panic!("no merge")
    };
    assert_eq!(
        (merge.from.as_str(), merge.into.as_str()),
        ("a lee", "Ann Lee")
    );
    let id = world.graph.entity_id("Ann Lee").to_string();
    let applied = world
        .post(
            "/v1/groups/g/merge?wait=applied",
            json!({"from": "A. Lee", "into": id}),
        )
        .await;
    assert_eq!(applied, (202, json!({"state": "applied"})));
}

#[tokio::test]
async fn a_merge_of_what_is_unknown_one_or_ambiguous_is_refused() {
    let world = world().await;
    world.projector.project().await;
    let namesake = world.graph.add_namesake("g", "Ann Lee");
    let before = world.events().await.len();
    for (from, into, status, field) in [
        ("Bob", "Ann Lee", 404, "from"),
        ("A. Lee", "Bob", 404, "into"),
        ("A. Lee", "a lee", 409, "into"),
        ("A. Lee", "Ann Lee", 409, "into"),
        (" ", "Ann Lee", 400, "from"),
    ] {
        let answer = change(&world, "merge", json!({"from": from, "into": into})).await;
        let stands = (answer.0, &answer.1["field"]);
        assert_eq!(
            stands,
            (status, &json!(field)),
            "{from} into {into}: {}",
            answer.1
        );
    }
    let (_, ambiguous) = change(
        &world,
        "merge",
        json!({"from": "A. Lee", "into": "Ann Lee"}),
    )
    .await;
    assert_eq!(ambiguous["code"], "ambiguous");
    let ids = ambiguous["entity_ids"].as_array().unwrap();
    assert!(ids.len() == 2 && ids.contains(&json!(namesake)));
    let by_id = json!({"from": "A. Lee", "into": namesake});
    assert_eq!(change(&world, "merge", by_id).await.0, 202);
    assert_eq!(world.events().await.len(), before + 1);
    let foreign = world
        .post(
            "/v1/groups/h/merge",
            json!({"from": "A. Lee", "into": "Acme"}),
        )
        .await;
    assert_eq!(foreign.0, 404);
}

#[tokio::test]
async fn a_split_names_episodes_that_mention_the_entity() {
    let world = world().await;
    let good = json!({"entity": "Ann Lee", "episodes": ["e1"]});
    assert_eq!(change(&world, "split", good).await.0, 202);
    for (body, status, field) in [
        (
            json!({"entity": "Ann Lee", "episodes": ["e1", "e2"]}),
            404,
            "episodes[1]",
        ),
        (json!({"entity": "Bob", "episodes": ["e1"]}), 404, "entity"),
        (
            json!({"entity": "Ann Lee", "episodes": []}),
            400,
            "episodes",
        ),
        (
            json!({"entity": "Ann Lee", "episodes": [""]}),
            400,
            "episodes[0]",
        ),
        (json!({"entity": "Ann Lee"}), 400, "episodes"),
    ] {
        let answer = change(&world, "split", body).await;
        assert_eq!((answer.0, &answer.1["field"]), (status, &json!(field)));
    }
}

#[tokio::test]
async fn a_correction_names_a_stored_fact() {
    let world = world().await;
    let mut literal = fact("e3", "Ann Lee", "AGE", "x");
    let statement = literal["facts"][0].as_object_mut().unwrap();
    statement.remove("object");
    statement.insert("value".to_owned(), json!(31));
    world.add(literal).await;
    let set = json!({"valid_at": "2022-06-01"});
    for (triple, status) in [
        (json!(["Ann Lee", "WORKS_AT", "acme"]), 202),
        (json!(["Ann Lee", "AGE", "31"]), 202),
        (json!(["Ann Lee", "AGE", "32"]), 404),
        (json!(["Ann Lee", "WORKS_AT", "Acme Ltd"]), 404),
        (json!(["Acme", "WORKS_AT", "Ann Lee"]), 404),
        (json!(["Bob", "WORKS_AT", "Acme"]), 404),
        (json!(["Ann Lee", "WORKS_AT"]), 400),
        (json!(["Ann Lee", " ", "Acme"]), 400),
    ] {
        let body = json!({"fact": triple, "set": set});
        let answer = change(&world, "corrections", body.clone()).await;
        assert_eq!(answer.0, status, "{body}: {}", answer.1);
    }
    for (set, field) in [
        (json!({}), "set.retract"),
        (json!({"retract": true, "object": "x"}), "set.retract"),
        (json!({"object": "x", "value": 1}), "set.value"),
        (json!({"object_type": "T"}), "set.object_type"),
        (json!({"object": " "}), "set.object"),
        (json!({"valid_at": "soon"}), "set.valid_at"),
        (json!({"colour": "mauve"}), "set.colour"),
    ] {
        let body = json!({"fact": ["Ann Lee", "WORKS_AT", "Acme"], "set": set});
        let answer = change(&world, "corrections", body).await;
        assert_eq!((answer.0, &answer.1["field"]), (400, &json!(field)));
    }
}

#[tokio::test]
async fn a_correction_reads_a_fact_in_either_direction_that_the_ontology_allows() {
    let world = World::new();
    let ontology = json!({"relations": {
        "PARENT_OF": {}, "CHILD_OF": {"inverse_of": "PARENT_OF"}, "KNOWS": {"symmetric": true}
    }});
    let put = world
        .send("PUT", "/v1/groups/g/ontology", ontology.to_string())
        .await;
    assert_eq!(put, (202, json!({"state": "accepted"})));
    world.add(fact("e1", "Ada", "PARENT_OF", "Bo")).await;
    world.add(fact("e2", "Ada", "KNOWS", "Cy")).await;
    for (triple, status) in [
        (["Bo", "CHILD_OF", "Ada"], 202),
        (["Ada", "PARENT_OF", "Bo"], 202),
        (["Cy", "KNOWS", "Ada"], 202),
        (["Ada", "CHILD_OF", "Bo"], 404),
        (["Bo", "PARENT_OF", "Ada"], 404),
    ] {
        let body = json!({"fact": triple, "set": {"retract": true}});
        assert_eq!(
            change(&world, "corrections", body).await.0,
            status,
            "{triple:?}"
        );
    }
}

#[tokio::test]
async fn a_fact_of_namesakes_is_meant_by_its_other_end_and_goes_on_by_id() {
    let world = world().await;
    world.projector.project().await;
    world.graph.add_namesake("g", "Ann Lee");
    let body = json!({"fact": ["Ann Lee", "WORKS_AT", "Acme"], "set": {"fact": "Ann runs Acme"}});
    assert_eq!(change(&world, "corrections", body).await.0, 202);
    let events = world.events().await;
    let Event::FactCorrected(correction) = &**events.last().unwrap() else {
        panic!("none")
    };
    let meant = world.graph.entity_id("Ann Lee").to_string();
    assert_eq!(correction.subject, meant);
    assert_eq!(correction.object, "Acme");
}

#[tokio::test]
async fn an_ontology_is_read_back_and_a_bad_one_names_its_field() {
    let world = World::new();
    let path = "/v1/groups/g/ontology";
    let empty = json!({"relations": {}, "entities": {}});
    assert_eq!(world.send("GET", path, "").await, (200, empty.clone()));
    let ontology = json!({"relations": {"WORKS_AT": {"cardinality": "one_per_subject"}}});
    let put = world
        .send("PUT", &format!("{path}?wait=applied"), ontology.to_string())
        .await;
    assert_eq!(put, (202, json!({"state": "applied"})));
    let (_, read) = world.send("GET", path, "").await;
    assert_eq!(
        read["relations"]["WORKS_AT"]["cardinality"],
        "one_per_subject"
    );
    for (body, field) in [
        (json!({"relation": {}}), "relation"),
        (
            json!({"relations": {"A": {"cardinality": "few"}}}),
            "relations.A.cardinality",
        ),
        (
            json!({"relations": {"A": {"inverse_of": "A"}}}),
            "relations.A.inverse_of",
        ),
        (json!({"relations": {" ": {}}}), "relations"),
    ] {
        let answer = world.send("PUT", path, body.to_string()).await;
        assert_eq!(
            (answer.0, &answer.1["field"]),
            (400, &json!(field)),
            "{}",
            answer.1
        );
    }
    assert_eq!(
        world.send("GET", "/v1/groups/a%2Fb/ontology", "").await.0,
        400
    );
}
