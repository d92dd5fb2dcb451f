//! Nothing of one group is seen from another, by any read, whatever the groups are called and
//! however alike their data is; and nothing is read or written without a group.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a panic is the report of a test"
)]

use std::collections::BTreeSet;

use mneme_conformance::{Client, Kafka, SKIPPED};
use mneme_end_to_end::{Dice, Place, number_from};
use reqwest::Method;
use serde_json::{Value, json};

/// A request that reads: method, segments of the path, parameters, body.
type Read = (
    Method,
    Vec<String>,
    Vec<(&'static str, String)>,
    Option<Value>,
);

/// A group with a canary in everything that is stored of it.
struct Side {
    group: String,
    canary: String,
    episode: String,
    thread: String,
    entities: Vec<String>,
    facts: Vec<String>,
}

/// Two groups that are easily taken for one another: often one's name begins with the other's.
fn groups(dice: &mut Dice, round: u64) -> [String; 2] {
    let first = format!(
        "g{round}{}",
        dice.one_of(&["", "-team", ".a", ":b", "@c", "_d", "Z"])
    );
    let second = match dice.below(3) {
        0 => format!(
            "{first}{}",
            dice.one_of(&["0", "-", ".", ":", "@", "_", "a"])
        ),
        1 => first.replacen('g', "G", 1),
        _ => format!("h{}", dice.below(1_000)),
    };
    [first, second]
}

async fn fill(client: &Client, group: String, canary: String, shared: &str) -> Side {
    let episode = format!("episode-{canary}");
    let thread = format!("thread-{canary}");
    let bodies = [
        json!({
            "group_id": group, "episode_id": episode, "thread_id": thread, "source": "facts",
            "reference_time": "2024-01-01T00:00:00Z", "source_description": format!("from {canary}"),
            "metadata": {"tag": canary}, "author": {"name": format!("Author {canary}")},
            "facts": [
                {"subject": shared, "subject_type": "Person", "relation": "KEEPS",
                 "object": format!("Box {canary}"), "object_type": "Thing",
                 "fact": format!("{shared} keeps the box {canary} in the cellar")},
                {"subject": format!("Friend {canary}"), "subject_type": "Person", "relation": "KNOWS",
                 "object": shared, "object_type": "Person", "fact": format!("Friend {canary} knows {shared}")},
                {"subject": shared, "subject_type": "Person", "relation": "CODE", "value": canary,
                 "fact": format!("The code of {shared} is {canary}")},
            ],
        }),
        json!({
            "group_id": group, "episode_id": "same-id", "source": "text",
            "reference_time": "2024-01-02T00:00:00Z",
            "body": format!("{shared} said that the word {canary} opens the cellar."),
        }),
    ];
    for body in &bodies {
        let answer = client.add(body).await.unwrap();
        assert!(answer.is_success(), "{}", answer.brief());
    }
    let list = async |what: &str| -> Vec<Value> {
        let pages = client
            .all_pages(&["v1", "groups", &group, what], &[], what)
            .await
            .unwrap();
        pages.unwrap_or_else(|answer| panic!("{}", answer.brief()))
    };
    let (mut entities, facts) = (list("entities").await, list("facts").await);
    // First the one that the others are about.
    entities.sort_by_key(|entity| entity["name"] != shared);
    let ids = |items: &[Value], key: &str| -> Vec<String> {
        items
            .iter()
            .map(|item| item[key].as_str().unwrap().to_owned())
            .collect()
    };
    let (entities, facts) = (ids(&entities, "entity_id"), ids(&facts, "fact_id"));
    assert!(
        entities.len() >= 3 && facts.len() >= 3,
        "{entities:?} {facts:?}"
    );
    Side {
        group,
        canary,
        episode,
        thread,
        entities,
        facts,
    }
}

/// Every read of one group, asked for what is the other's: its words, its ids, its names.
fn reads(own: &Side, other: &Side, shared: &str) -> Vec<Read> {
    let path = |parts: &[&str]| -> Vec<String> {
        let group = ["v1", "groups", &own.group];
        group
            .iter()
            .chain(parts)
            .map(|part| (*part).to_owned())
            .collect()
    };
    let get = |parts: &[&str], query: Vec<(&'static str, String)>| {
        (Method::GET, path(parts), query, None)
    };
    let mut reads = vec![
        get(&["episodes"], vec![("last", "1000".to_owned())]),
        get(&["episodes"], vec![("thread_id", other.thread.clone())]),
        get(&["episodes", &other.episode], vec![]),
        get(&["episodes", "same-id"], vec![]),
        get(&["facts"], vec![("include_past", "true".to_owned())]),
        get(&["facts"], vec![("subject", shared.to_owned())]),
        get(
            &["facts"],
            vec![("object", format!("Box {}", other.canary))],
        ),
        get(&["facts"], vec![("subject", other.entities[0].clone())]),
        get(&["entities"], vec![]),
        get(
            &["entities"],
            vec![("name", format!("Box {}", other.canary))],
        ),
        get(&["communities"], vec![]),
        get(&["ontology"], vec![]),
    ];
    for id in &other.facts {
        reads.push(get(&["facts", id, "history"], vec![]));
    }
    for id in &other.entities {
        reads.push(get(&["entities", id, "history"], vec![]));
    }
    for route in ["search", "context"] {
        for rerank in [
            "evidence",
            "rrf",
            "mmr",
            "episode_mentions",
            "node_distance",
        ] {
            for query in [shared, &other.canary, "what does the cellar hold"] {
                let body = json!({
                    "group_ids": [own.group], "query": query, "limit": 200, "rerank": rerank,
                    "include_past": true, "center_entity_ids": other.entities,
                });
                reads.push((
                    Method::POST,
                    vec!["v1".to_owned(), route.to_owned()],
                    vec![],
                    Some(body),
                ));
            }
        }
        let tagged = json!({"group_ids": [own.group], "query": shared,
            "filter": {"metadata.tag": {"eq": other.canary}}});
        reads.push((
            Method::POST,
            vec!["v1".to_owned(), route.to_owned()],
            vec![],
            Some(tagged),
        ));
    }
    reads
}

async fn send(client: &Client, (method, path, query, body): &Read) -> mneme_conformance::Answer {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    client
        .send(method.clone(), &path, query, body.as_ref())
        .await
        .unwrap()
}

/// What a read answers, without the part of the answer that repeats what was asked.
async fn finds_nothing_foreign(client: &Client, own: &Side, other: &Side, shared: &str) {
    for read in reads(own, other, shared) {
        let answer = send(client, &read).await;
        assert!(
            matches!(answer.status, 200 | 404),
            "{read:?}: {}",
            answer.brief()
        );
        assert!(
            !answer.text.contains(&other.canary),
            "{read:?} shows {} of {}: {}",
            other.canary,
            other.group,
            answer.text
        );
    }
}

/// The same reads find what is the group's own, else the test above would show nothing.
async fn finds_its_own(client: &Client, own: &Side, shared: &str) {
    let mut blind = Vec::new();
    for read in reads(own, own, shared) {
        let answer = send(client, &read).await;
        let expected = answer.status == 200 && answer.text.contains(&own.canary);
        let unnamed = read
            .1
            .last()
            .is_some_and(|part| part == "communities" || part == "ontology");
        if !expected && !unnamed {
            blind.push(format!("{read:?}: {}", answer.text));
        }
    }
    assert!(blind.is_empty(), "of {}: {blind:#?}", own.group);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_read_shows_anything_of_another_group() {
    reads_of_another_group(Place::new().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_read_shows_anything_of_another_group_over_kafka() {
    match Kafka::find() {
        Some(kafka) => reads_of_another_group(Place::over(kafka).await).await,
        None => eprintln!("{SKIPPED}"),
    }
}

async fn reads_of_another_group(place: Place) {
    let client = place.client();
    let mut dice = Dice::new(number_from("MNEME_SEED", 4));
    for round in 0..number_from("MNEME_ISOLATION_ROUNDS", 6) {
        let [first, second] = groups(&mut dice, round);
        let shared = dice.one_of(&["Magnus Orn", "Olga Zueva", "김민수", "Ola Ø", "D'Arcy Lee"]);
        // Words without digits or hyphens, so that every store reads one as one word.
        let canaries = ["canarya", "canaryb"].map(|word| {
            let letters: String = (0..10)
                .map(|_| char::from(b'a' + dice.below(26) as u8))
                .collect();
            format!("{word}{letters}")
        });
        let [canary, other_canary] = canaries;
        let one = fill(&client, first, canary, shared).await;
        let two = fill(&client, second, other_canary, shared).await;
        finds_its_own(&client, &one, shared).await;
        finds_its_own(&client, &two, shared).await;
        finds_nothing_foreign(&client, &one, &two, shared).await;
        finds_nothing_foreign(&client, &two, &one, shared).await;
        let both = json!({"group_ids": [one.group, two.group], "query": shared, "limit": 200});
        let both = client
            .send(Method::POST, &["v1", "search"], &[], Some(&both))
            .await
            .unwrap();
        assert!(both.text.contains(&one.canary) && both.text.contains(&two.canary));
    }
    covers_every_read_route(&client).await;
}

/// The list of reads above is whole: each route that the server describes as a read is in it.
async fn covers_every_read_route(client: &Client) {
    let side = |group: &str| Side {
        group: group.to_owned(),
        canary: "c".to_owned(),
        episode: "{episode_id}".to_owned(),
        thread: "t".to_owned(),
        entities: vec!["{entity_id}".to_owned()],
        facts: vec!["{fact_id}".to_owned()],
    };
    let group = side("{group_id}");
    let covered: BTreeSet<String> = reads(&group, &group, "x")
        .into_iter()
        .map(|(method, path, _, _)| format!("{method} /{}", path.join("/")))
        .collect();
    let described = client.get(&["openapi.json"], &[]).await.unwrap().json();
    let mut described_reads = 0;
    for (path, methods) in described["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let reads_data = operation["tags"] == json!(["read"])
                || (method == "get" && path.starts_with("/v1/groups"));
            if reads_data {
                described_reads += 1;
                let route = format!("{} {path}", method.to_uppercase());
                assert!(
                    covered.contains(&route),
                    "{route} is not tested for isolation"
                );
            }
        }
    }
    assert!(
        described_reads >= 9,
        "only {described_reads} read routes are described"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_group_every_request_is_refused() {
    requests_without_a_group(Place::new().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_group_every_request_is_refused_over_kafka() {
    match Kafka::find() {
        Some(kafka) => requests_without_a_group(Place::over(kafka).await).await,
        None => eprintln!("{SKIPPED}"),
    }
}

async fn requests_without_a_group(place: Place) {
    let client = place.client();
    let post = |path: &'static str, body: Value| (Method::POST, path.to_owned(), Some(body));
    let mut requests = Vec::new();
    let mut without_group = |path: &'static str, key: &str, body: Value, bad: &[Value]| {
        requests.push(post(path, body.clone()));
        for value in bad {
            let mut body = body.clone();
            body[key] = value.clone();
            requests.push(post(path, body));
        }
    };
    let episode = json!({"source": "text", "reference_time": "2024-01-01T00:00:00Z", "body": "x"});
    let bad_ids = [
        json!(null),
        json!(""),
        json!("*"),
        json!(7),
        json!("a b"),
        json!(["g"]),
    ];
    without_group("/v1/episodes", "group_id", episode, &bad_ids);
    let bad_lists = [
        json!(null),
        json!([]),
        json!([""]),
        json!(["*"]),
        json!(["g", ""]),
        json!("g"),
        json!([7]),
    ];
    without_group("/v1/search", "group_ids", json!({"query": "x"}), &bad_lists);
    without_group(
        "/v1/context",
        "group_ids",
        json!({"query": "x"}),
        &bad_lists,
    );
    for group in ["*", "%20", "a%20b", "-lead", "%00", "a%2Fb", "_"] {
        for rest in [
            "episodes",
            "episodes/e1",
            "facts",
            "entities",
            "communities",
            "ontology",
        ] {
            requests.push((Method::GET, format!("/v1/groups/{group}/{rest}"), None));
        }
        let id = "00000000-0000-0000-0000-000000000000";
        for kind in ["facts", "entities"] {
            requests.push((
                Method::GET,
                format!("/v1/groups/{group}/{kind}/{id}/history"),
                None,
            ));
        }
        requests.push((Method::DELETE, format!("/v1/groups/{group}"), None));
        requests.push((
            Method::DELETE,
            format!("/v1/groups/{group}/episodes/e1"),
            None,
        ));
        let merge = json!({"from": "a", "into": "b"});
        requests.push((
            Method::POST,
            format!("/v1/groups/{group}/merge"),
            Some(merge),
        ));
    }
    for (method, path, body) in requests {
        let url = client.join(&path).unwrap();
        let sent = body.as_ref().map(Value::to_string);
        let answer = client.raw(method.clone(), url, &[], sent).await.unwrap();
        assert_eq!(
            answer.status,
            400,
            "{method} {path} {body:?}: {}",
            answer.brief()
        );
        let field = answer.json()["field"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(
            field.starts_with("group_id"),
            "{method} {path} {body:?}: field {field:?}"
        );
    }
    let empty = client.join("/v1/groups//facts").unwrap();
    let empty = client.raw(Method::GET, empty, &[], None).await.unwrap();
    assert!(matches!(empty.status, 400 | 404), "{}", empty.brief());
}
