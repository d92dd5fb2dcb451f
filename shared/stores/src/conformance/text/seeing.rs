//! What a search sees: its groups, its instants, its filter, all before the limit.

use serde_json::json;

use mneme_model::{Instant, Source};

use super::case::{Case, ids};
use crate::conformance::documents::*;
use crate::{DocumentKind, Filter, TextField, TextQuery, TimeView};

pub(super) async fn suite(case: Case<'_>) {
    groups_are_apart(case).await;
    a_scope_joins_groups(case).await;
    versions_by_their_times(case).await;
    filters_of_episodes(case).await;
    filters_of_facts(case).await;
    limits_come_last(case).await;
}

fn filter(json: serde_json::Value) -> Filter {
    Filter::parse(&json).expect("a filter")
}

async fn groups_are_apart(case: Case<'_>) {
    let texts = ["the red lamp", "a red boat", "green"];
    let rows = |prefix: &str| -> Vec<_> {
        let named = texts.iter().zip(1..);
        let rows = named
            .map(|(text, hour)| put(episode(&format!("{prefix}{hour}"), Some("t"), hour, text)));
        rows.collect()
    };
    case.apply(rows("e")).await;
    let fields = [TextField::Text, TextField::Window, TextField::Session];
    let mut before = Vec::new();
    for field in fields {
        before.push(case.hits(DocumentKind::Episode, field, "red lamp").await);
    }
    let digest = case.digest("g").await;
    for name in ["g.1", "h", "G"] {
        case.apply_to(name, rows("foreign")).await;
        case.apply_to(
            name,
            vec![put(episode("long", None, 9, &"red ".repeat(500)))],
        )
        .await;
    }
    for (field, before) in fields.into_iter().zip(before) {
        let after = case.hits(DocumentKind::Episode, field, "red lamp").await;
        assert_eq!(after, before, "scores depend on another group");
    }
    assert_eq!(case.digest("g").await, digest);
    case.drop().await;
}

async fn a_scope_joins_groups(case: Case<'_>) {
    case.apply_to(
        "g",
        vec![
            put(episode("e1", None, 1, "lamp")),
            put(episode("e2", None, 1, "x")),
        ],
    )
    .await;
    case.apply_to(
        "h",
        vec![
            put(episode("e1", None, 1, "lamp lamp")),
            put(episode("e2", None, 1, "x")),
        ],
    )
    .await;
    let scope = scope(&["g", "h", "nobody"]);
    let mut query = TextQuery {
        scope: &scope,
        kind: DocumentKind::Episode,
        text: "lamp",
        fields: &[TextField::Text, TextField::Text],
        time: any_time(),
        filter: None,
        limit: 9,
    };
    let lists = case.search(&query).await;
    assert_eq!(lists.len(), 2);
    let groups: Vec<&str> = lists[0].iter().map(|hit| hit.group_id.as_str()).collect();
    assert_eq!(groups, ["h", "g"]);
    assert!(lists[0][0].score > lists[0][1].score);
    query.limit = 1;
    let lists = case.search(&query).await;
    assert_eq!(lists[0].len(), 1);
    assert_eq!(lists[0][0].group_id, group("h"));
    query.fields = &[];
    assert!(case.search(&query).await.is_empty());
    case.drop().await;
}

async fn versions_by_their_times(case: Case<'_>) {
    let old = until(version("old", 10, "Ann lives in Porto"), 20);
    let new = version("new", 20, "Ann lives in Lyon");
    case.apply(vec![put_version(old.clone()), put_version(new)])
        .await;
    let found = async |time: TimeView| {
        let ids = case.ids_under(DocumentKind::Fact, "Ann lives", time, None, 9);
        let mut names: Vec<&str> = Vec::new();
        for found in ids.await {
            names.push(if found == id("old").to_string() {
                "old"
            } else {
                "new"
            });
        }
        names.sort_unstable();
        names
    };
    assert_eq!(found(as_of(9)).await, [""; 0]);
    assert_eq!(found(as_of(10)).await, ["old"]);
    assert_eq!(found(as_of(20)).await, ["new"]);
    assert_eq!(found(any_time()).await, ["new", "old"]);
    let known_at = |hours| TimeView {
        known_at: at(hours),
        ..any_time()
    };
    assert_eq!(found(known_at(15)).await, ["old"]);
    case.apply(vec![expire(&old, 30)]).await;
    assert_eq!(found(any_time()).await, ["new"]);
    assert_eq!(found(known_at(29)).await, ["new", "old"]);
    // Other kinds have no times of this sort.
    case.apply(vec![put(episode("e1", None, 50, "Ann lives"))])
        .await;
    let never = TimeView::now(Instant::MIN);
    let episodes = case.ids_under(DocumentKind::Episode, "Ann", never, None, 9);
    assert_eq!(episodes.await, ["e1"]);
    case.drop().await;
}

async fn filters_of_episodes(case: Case<'_>) {
    let web = with_metadata(episode("web", None, 1, "lamp"), "channel", "\"web\"");
    let web = with_metadata(web, "priority", "3");
    let mail = with_metadata(episode("mail", None, 2, "lamp"), "channel", "\"mail\"");
    let mail = with_metadata(mail, "urgent", "true");
    let plain = of_source(episode("plain", None, 3, "lamp"), Source::Text);
    case.apply(vec![put(web), put(mail), put(plain)]).await;
    let found = async |json| {
        let filter = filter(json);
        let ids = case.ids_under(DocumentKind::Episode, "lamp", any_time(), Some(&filter), 9);
        let mut ids = ids.await;
        ids.sort_unstable();
        ids
    };
    assert_eq!(
        found(json!({"metadata.channel": {"eq": "web"}})).await,
        ["web"]
    );
    let lacks = found(json!({"metadata.channel": {"ne": "web"}})).await;
    assert_eq!(lacks, ["mail", "plain"]);
    assert_eq!(
        found(json!({"metadata.priority": {"gte": 3}})).await,
        ["web"]
    );
    assert_eq!(
        found(json!({"metadata.urgent": {"eq": true}})).await,
        ["mail"]
    );
    assert_eq!(found(json!({"source": {"in": ["text"]}})).await, ["plain"]);
    let later = json!({"reference_time": {"gte": at(2).to_string()}});
    assert_eq!(found(later.clone()).await, ["mail", "plain"]);
    let both = json!({"and": [later, {"source": {"eq": "message"}}]});
    assert_eq!(found(both.clone()).await, ["mail"]);
    assert_eq!(found(json!({"not": both})).await, ["plain", "web"]);
    assert_eq!(found(json!({"or": []})).await, [""; 0]);
    assert_eq!(found(json!({"relation": {"eq": "KNOWS"}})).await, [""; 0]);
    case.drop().await;
}

async fn filters_of_facts(case: Case<'_>) {
    let mut first = until(version("first", 10, "lamp"), 20);
    first.relation = "OWNS".to_owned();
    let second = version("second", 30, "lamp");
    let mut third = version("third", 40, "lamp");
    third.subject.entity_type = None;
    third.object = crate::FactObject::Literal(mneme_model::Literal::string("4"));
    let said = with_metadata(episode("e9", None, 35, "so it is"), "channel", "\"web\"");
    case.apply(vec![
        // Evidence may come before and after what it is for, and its episode at any time.
        support("s1", &second, "e9", 35),
        put_version(first.clone()),
        put_version(second.clone()),
        put_version(third),
        support("s2", &second, "e8", 31),
        put(of_source(said, Source::Text)),
    ])
    .await;
    let found = async |json| {
        let filter = filter(json);
        let ids = case.ids_under(DocumentKind::Fact, "lamp", any_time(), Some(&filter), 9);
        let ids = ids.await;
        let names = ["first", "second", "third"];
        let named = names.map(|name| ids.contains(&id(name).to_string()).then_some(name));
        named.into_iter().flatten().collect::<Vec<_>>()
    };
    assert_eq!(found(json!({"relation": {"eq": "OWNS"}})).await, ["first"]);
    assert_eq!(
        found(json!({"invalid_at": {"lte": at(20).to_string()}})).await,
        ["first"]
    );
    let begun = json!({"valid_at": {"gt": at(10).to_string()}});
    assert_eq!(found(begun).await, ["second", "third"]);
    assert_eq!(
        found(json!({"entity_type": {"eq": "Place"}})).await,
        ["first", "second"]
    );
    assert_eq!(
        found(json!({"entity_type": {"eq": "Person"}})).await,
        ["first", "second"]
    );
    assert_eq!(
        found(json!({"metadata.channel": {"eq": "web"}})).await,
        ["second"]
    );
    assert_eq!(found(json!({"source": {"eq": "text"}})).await, ["second"]);
    // Any of the supporting episodes may match; without evidence, that of the sentence.
    let said_at = |hours| json!({"reference_time": {"eq": at(hours).to_string()}});
    assert_eq!(found(said_at(31)).await, ["second"]);
    assert_eq!(found(said_at(35)).await, ["second"]);
    assert_eq!(found(said_at(30)).await, [""; 0]);
    assert_eq!(found(said_at(10)).await, ["first"]);
    case.apply(vec![
        crate::Change::RemoveSupport {
            statement_id: id("s1"),
            fact_id: second.fact_id,
        },
        // The same statement is evidence for another fact now.
        support("s2", &first, "e8", 31),
    ])
    .await;
    assert_eq!(found(said_at(35)).await, [""; 0]);
    assert_eq!(found(said_at(30)).await, ["second"]);
    assert_eq!(found(said_at(31)).await, ["first"]);
    case.drop().await;
}

async fn limits_come_last(case: Case<'_>) {
    let rows = (0..40).map(|number| {
        let channel = if number % 8 == 7 { "\"b\"" } else { "\"a\"" };
        let row = episode(&format!("e{number:02}"), None, number, "lamp");
        put(with_metadata(row, "channel", channel))
    });
    case.apply(rows.collect()).await;
    let filter = filter(json!({"metadata.channel": {"eq": "b"}}));
    let found = case.ids_under(DocumentKind::Episode, "lamp", any_time(), Some(&filter), 3);
    assert_eq!(
        found.await,
        ["e07", "e15", "e23"],
        "equal scores are in order of id"
    );
    let found = case.ids_under(DocumentKind::Episode, "lamp", any_time(), None, 0);
    assert!(found.await.is_empty());
    let all = case
        .hits(DocumentKind::Episode, TextField::Text, "lamp")
        .await;
    assert!(all.is_sorted_by(|a, b| a.score >= b.score));
    let all = ids(all);
    assert_eq!(all.len(), 40);
    case.drop().await;
}
