//! Every command of the command line does what it says against a server, answers in JSON where that
//! is asked for, and tells by its exit code whether it went well.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::process::Output;

use mneme_end_to_end::Place;
use serde_json::{Value, json};

/// Runs a command with `--json` against the place's server; it must succeed and answer JSON.
async fn json_of(place: &Place, arguments: &[&str]) -> Value {
    let output = run(place, arguments).await;
    assert!(output.status.success(), "{arguments:?}: {}", shown(&output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
}

async fn run(place: &Place, arguments: &[&str]) -> Output {
    let url = place.client().base();
    let all: Vec<&str> = arguments
        .iter()
        .copied()
        .chain(["--url", &url, "--json"])
        .collect();
    place.mneme(&all).await
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{} {} {}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    )
}

fn fact(id: &str, day: u8, object: &str) -> Value {
    json!({
        "group_id": "cli", "episode_id": id, "source": "facts",
        "reference_time": format!("2024-01-{day:02}T00:00:00Z"),
        "facts": [{"subject": "Tilda Roe", "subject_type": "Person", "relation": "OWNS",
            "object": object, "object_type": "Thing", "fact": format!("Tilda Roe owns {object}")}],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn add_and_every_read() {
    let place = Place::new().await;
    let added = json_of(
        &place,
        &[
            "add",
            "--group",
            "cli",
            "--id",
            "note-1",
            "--time",
            "2024-01-01T08:00:00Z",
            "--wait",
            "The spare fuse lies behind the apron hook.",
        ],
    )
    .await;
    assert_eq!(
        (&added["episode_id"], &added["state"]),
        (&json!("note-1"), &json!("done"))
    );
    place
        .client()
        .add(&fact("f1", 2, "the blue kiln"))
        .await
        .unwrap();

    let found = json_of(&place, &["search", "--group", "cli", "apron hook"]).await;
    assert!(
        found["results"][0]["text"]
            .as_str()
            .unwrap()
            .contains("apron hook"),
        "{found}"
    );
    let context = json_of(
        &place,
        &["context", "--group", "cli", "what does Tilda Roe own"],
    )
    .await;
    assert!(
        context["context"]
            .as_str()
            .unwrap()
            .contains("the blue kiln"),
        "{context}"
    );
    let facts = json_of(
        &place,
        &["facts", "--group", "cli", "--subject", "tilda roe"],
    )
    .await;
    assert_eq!(facts[0]["object"]["name"], "the blue kiln");
    let earlier = ["facts", "--group", "cli", "--as-of", "2023-01-01"];
    assert_eq!(json_of(&place, &earlier).await, json!([]));
    let entities = json_of(
        &place,
        &["entities", "--group", "cli", "--name", "Tilda Roe"],
    )
    .await;
    assert_eq!(entities[0]["type"], "Person");
    let history = json_of(&place, &["history", "--group", "cli", "Tilda Roe"]).await;
    assert_eq!(history[0]["relation"], "OWNS");
    let status = json_of(&place, &["status", "--group", "cli", "--episode", "note-1"]).await;
    assert_eq!(status["state"], "done");
    json_of(&place, &["status"]).await;
    json_of(&place, &["dlq", "list"]).await;

    let unknown = run(&place, &["status", "--group", "cli", "--episode", "nosuch"]).await;
    assert!(!unknown.status.success());
    let bad = run(&place, &["facts", "--group", "*"]).await;
    assert!(
        !bad.status.success() && shown(&bad).contains("group"),
        "{}",
        shown(&bad)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_with_a_bad_line_takes_the_rest_and_says_so() {
    let place = Place::new().await;
    let file = place.folder().join("episodes.jsonl");
    let mut no_time = fact("bad", 3, "nothing");
    no_time.as_object_mut().unwrap().remove("reference_time");
    let lines = [
        fact("f1", 1, "a kiln").to_string(),
        "{\"group_id\": ".to_owned(),
        no_time.to_string(),
        String::new(),
        fact("f2", 2, "a press").to_string(),
    ];
    std::fs::write(&file, lines.join("\n")).unwrap();
    let path = file.to_str().unwrap();

    let output = run(&place, &["import", path]).await;
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let refused = report["refused"].as_array().unwrap();
    let lines: Vec<&Value> = refused.iter().map(|refused| &refused["line"]).collect();
    assert_eq!(
        (&report["added"], lines),
        (&json!(2), vec![&json!(2), &json!(3)]),
        "{report}"
    );
    assert!(
        refused[1]["reason"]
            .as_str()
            .unwrap()
            .contains("reference_time"),
        "{report}"
    );
    let owned = async || {
        let facts = json_of(&place, &["facts", "--group", "cli"]).await;
        let facts = facts.as_array().unwrap().clone();
        let mut names: Vec<String> = facts
            .iter()
            .map(|fact| fact["object"]["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(owned().await, ["a kiln", "a press"]);

    // Again, the bad lines mended: what is there is not added twice.
    let mended = [
        fact("f1", 1, "a kiln"),
        fact("f3", 3, "a loom"),
        fact("f2", 2, "a press"),
    ];
    std::fs::write(&file, mended.map(|episode| episode.to_string()).join("\n")).unwrap();
    let again = run(&place, &["import", path]).await;
    assert!(again.status.success(), "{}", shown(&again));
    let report: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(
        (&report["added"], &report["duplicates"]),
        (&json!(1), &json!(2)),
        "{report}"
    );
    assert_eq!(owned().await, ["a kiln", "a loom", "a press"]);
    let episodes = place
        .client()
        .get(&["v1", "groups", "cli", "episodes"], &[])
        .await
        .unwrap();
    assert_eq!(episodes.json()["episodes"].as_array().unwrap().len(), 3);
}

/// The digests of all groups once they stay as they are: communities follow after what a write waits
/// for.
async fn settled_digests(place: &Place) -> Value {
    let read = async || {
        let answer = place
            .client()
            .get(&["v1", "admin", "digest"], &[])
            .await
            .unwrap();
        answer.json()["groups"].take()
    };
    let mut last = read().await;
    for _ in 0..50 {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        let now = read().await;
        if now == last {
            return now;
        }
        last = now;
    }
    panic!("the digests do not settle: {last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn replay_and_verify() {
    let place = Place::new().await;
    for (day, thing) in [(1, "a kiln"), (2, "a press"), (3, "a loom")] {
        place
            .client()
            .add(&fact(&format!("f{day}"), day, thing))
            .await
            .unwrap();
    }
    let before = json_of(&place, &["facts", "--group", "cli"]).await;
    let first = settled_digests(&place).await;
    assert!(first["cli"]["graph"].is_string(), "{first}");
    json_of(&place, &["verify"]).await;
    let replayed = json_of(&place, &["replay"]).await;
    assert_eq!(
        (&replayed["equal"], &replayed["activated"]),
        (&json!(true), &json!(true))
    );
    let second = settled_digests(&place).await;
    assert_eq!(first, second, "a rebuild gives the same digests");
    json_of(&place, &["verify"]).await;
    assert_eq!(json_of(&place, &["facts", "--group", "cli"]).await, before);

    place.server.stop().await.unwrap();
    let data = place.server.data().to_str().unwrap();
    let verified = place.mneme(&["verify", "--data", data, "--json"]).await;
    assert!(verified.status.success(), "{}", shown(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_on_the_same_folder_is_refused() {
    let place = Place::new().await;
    let data = place.server.data().to_str().unwrap();
    let second = place
        .mneme(&["up", "--data", data, "--listen", "127.0.0.1:0"])
        .await;
    assert!(!second.status.success());
    let said = String::from_utf8_lossy(&second.stderr).to_lowercase();
    assert!(
        said.contains("another process") || said.contains("in use"),
        "{said}"
    );
    let added = place.client().add(&fact("f1", 1, "a kiln")).await.unwrap();
    assert_eq!(added.status, 202, "the first goes on: {}", added.brief());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demonstration_answers_every_question() {
    let place = Place::new().await;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/company");
    let output = place.mneme(&["demo", folder]).await;
    assert!(output.status.success(), "{}", shown(&output));
}
