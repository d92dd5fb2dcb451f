//! What a search sees: its groups, its instants, its filter, all before the limit.

use serde_json::json;

use mneme_model::Source;

use super::case::{Case, query};
use crate::conformance::documents::*;
use crate::{DocumentKind, Filter, TimeView, VectorQuery};

pub(super) async fn suite(case: Case<'_>) {
    groups_are_apart(case).await;
    versions_by_their_times(case).await;
    filters(case).await;
    limits_come_last(case).await;
}

async fn groups_are_apart(case: Case<'_>) {
    let rows = |body: &str| {
        vec![
            put(episode("e1", Some("t"), 1, body)),
            put(episode("e2", Some("t"), 2, "boat")),
        ]
    };
    case.apply(rows("a lamp")).await;
    let (own, windows) = (
        case.hits(DocumentKind::Episode, "lamp").await,
        case.windows("lamp").await,
    );
    for name in ["g.1", "h", "G"] {
        case.apply_to(name, rows("lamp")).await;
    }
    assert_eq!(case.hits(DocumentKind::Episode, "lamp").await, own);
    assert_eq!(case.windows("lamp").await, windows);
    let (scope, vector) = (scope(&["g", "h", "nobody"]), case.embed("lamp"));
    let both = VectorQuery {
        limit: 2,
        ..query(&scope, DocumentKind::Episode, &vector)
    };
    let hits = case.search(&both).await;
    let groups: Vec<&str> = hits.iter().map(|hit| hit.group_id.as_str()).collect();
    assert_eq!(groups, ["h", "g"]);
    case.drop().await;
}

async fn versions_by_their_times(case: Case<'_>) {
    let old = until(version("old", 10, "Ann lives in Porto"), 20);
    let new = version("new", 20, "Ann lives in Lyon");
    case.apply(vec![put_version(old.clone()), put_version(new)])
        .await;
    let count = async |time: TimeView| {
        let ids = case.ids_under(DocumentKind::Fact, "where does Ann live", time, None);
        ids.await.len()
    };
    assert_eq!(count(as_of(9)).await, 0);
    assert_eq!(count(as_of(10)).await, 1);
    assert_eq!(count(any_time()).await, 2);
    case.apply(vec![expire(&old, 30)]).await;
    assert_eq!(count(any_time()).await, 1);
    assert_eq!(count(as_of(10)).await, 0);
    case.drop().await;
}

async fn filters(case: Case<'_>) {
    let second = version("second", 30, "the old lamp");
    let said = with_metadata(episode("e9", None, 35, "so it is"), "channel", "\"web\"");
    case.apply(vec![
        put(of_source(said, Source::Text)),
        put(episode("e8", None, 31, "so it was")),
        put_version(version("first", 10, "a lamp")),
        put_version(second.clone()),
        support("s1", &second, "e9", 35),
        entity("n1", "Ann", &[], "Person"),
        entity("n2", "Lyon", &[], "Place"),
    ])
    .await;
    let found = async |kind, json| {
        let filter = Filter::parse(&json).unwrap();
        case.ids_under(kind, "lamp", any_time(), Some(&filter))
            .await
    };
    let channel = || json!({"metadata.channel": {"eq": "web"}});
    let second = [id("second").to_string()];
    assert_eq!(found(DocumentKind::Episode, channel()).await, ["e9"]);
    assert_eq!(found(DocumentKind::Fact, channel()).await, second);
    let said = json!({"reference_time": {"gt": at(30).to_string()}});
    assert_eq!(found(DocumentKind::Fact, said).await, second);
    let place = json!({"entity_type": {"eq": "Place"}});
    assert_eq!(
        found(DocumentKind::Entity, place.clone()).await,
        [id("n2").to_string()]
    );
    assert_eq!(found(DocumentKind::Fact, place).await.len(), 2);
    case.drop().await;
}

async fn limits_come_last(case: Case<'_>) {
    let rows = (0..40).map(|number| {
        let channel = if number % 8 == 7 { "\"b\"" } else { "\"a\"" };
        let row = episode(&format!("e{number:02}"), None, number, "lamp");
        put(with_metadata(row, "channel", channel))
    });
    case.apply(rows.collect()).await;
    let filter = Filter::parse(&json!({"metadata.channel": {"eq": "b"}})).unwrap();
    let (scope, vector) = (scope(&["g"]), case.embed("lamp"));
    for window in [false, true] {
        let query = VectorQuery {
            filter: Some(&filter),
            limit: 3,
            window,
            ..query(&scope, DocumentKind::Episode, &vector)
        };
        let found = super::case::ids(case.search(&query).await);
        assert_eq!(
            found,
            ["e07", "e15", "e23"],
            "equal cosines are in order of id"
        );
    }
    case.drop().await;
}
