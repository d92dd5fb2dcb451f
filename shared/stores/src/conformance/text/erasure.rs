//! Erasure: what is erased is not found and does not count, and only rows of the erasing topic go.

use mneme_events::Topic;

use super::case::Case;
use crate::conformance::documents::*;
use crate::{Change, DocumentKind, TextField};

pub(super) async fn suite(case: Case<'_>) {
    an_erased_episode_leaves_no_trace(case).await;
    an_erasure_is_for_its_topic(case).await;
    an_erased_group_leaves_no_trace(case).await;
}

async fn an_erased_episode_leaves_no_trace(case: Case<'_>) {
    let fact = version("f1", 1, "Ann owns a lamp");
    let kept = vec![
        put(episode("e1", Some("t"), 1, "a lamp")),
        put(episode("e3", Some("t"), 3, "a boat")),
        put_version(fact.clone()),
        support("s1", &fact, "e1", 1),
    ];
    case.apply(kept).await;
    let digest = case.digest("g").await;
    let fields = [TextField::Text, TextField::Window, TextField::Session];
    let mut before = Vec::new();
    for field in fields {
        before.push(case.hits(DocumentKind::Episode, field, "lamp boat").await);
    }
    case.apply(vec![
        put(episode("e2", Some("t"), 2, "a canary lamp")),
        support("s2", &fact, "e2", 2),
    ])
    .await;
    assert_ne!(case.digest("g").await, digest);
    case.apply(vec![
        erase_episode(Topic::Episodes, "e2"),
        erase_episode(Topic::Resolutions, "e2"),
        erase_episode(Topic::Facts, "e2"),
    ])
    .await;
    for (field, before) in fields.into_iter().zip(before) {
        let after = case.hits(DocumentKind::Episode, field, "lamp boat").await;
        assert_eq!(after, before, "{field:?}");
        let found = case.hits(DocumentKind::Episode, field, "canary");
        assert!(found.await.is_empty());
    }
    assert_eq!(case.digest("g").await, digest);
    case.apply(vec![erase_version(&fact)]).await;
    assert!(case.ids(DocumentKind::Fact, "lamp").await.is_empty());
    case.drop().await;
}

async fn an_erasure_is_for_its_topic(case: Case<'_>) {
    // The erasure comes late by `facts`: the episode that was sent again stays.
    case.apply(vec![
        put(episode("e1", None, 1, "first lamp")),
        erase_episode(Topic::Episodes, "e1"),
        put(episode("e1", None, 9, "second lamp")),
        erase_episode(Topic::Facts, "e1"),
    ])
    .await;
    assert_eq!(case.episodes("second").await, ["e1"]);
    case.apply(vec![
        put_version(version("f1", 1, "lamp")),
        entity("n", "lamp", &[], "Thing"),
        community("c", &["lamp"], ""),
        summary("n", "glows"),
    ])
    .await;
    let left = async || {
        let mut left = Vec::new();
        for kind in [
            DocumentKind::Episode,
            DocumentKind::Fact,
            DocumentKind::Entity,
            DocumentKind::Community,
        ] {
            left.push(case.ids(kind, "lamp").await.len());
        }
        left
    };
    assert_eq!(left().await, [1, 1, 1, 1]);
    for (topic, expected) in [
        (Topic::Facts, [1, 0, 1, 1]),
        (Topic::Communities, [1, 0, 1, 0]),
        (Topic::Episodes, [0, 0, 1, 0]),
        (Topic::Resolutions, [0, 0, 0, 0]),
    ] {
        case.apply(vec![Change::EraseGroup { topic }]).await;
        assert_eq!(left().await, expected, "{topic}");
        let glows = case.ids(DocumentKind::Entity, "glows").await;
        assert_eq!(glows.len(), usize::from(topic == Topic::Facts));
    }
    assert!(case.groups().await.is_empty());
    case.drop().await;
}

async fn an_erased_group_leaves_no_trace(case: Case<'_>) {
    let rows = || {
        let fact = version("f1", 1, "a lamp");
        vec![
            put(episode("e1", Some("t"), 1, "a lamp")),
            put(episode("e2", Some("t"), 2, "a boat")),
            entity("n", "Lamp", &[], "Thing"),
            put_version(fact.clone()),
            support("s1", &fact, "e1", 1),
            community("c", &["lamp"], ""),
            summary("n", "glows"),
        ]
    };
    case.apply(rows()).await;
    case.apply_to("h", rows()).await;
    let (digest, hits) = (
        case.digest("g").await,
        case.hits(DocumentKind::Episode, TextField::Window, "lamp")
            .await,
    );
    case.apply(erase_group()).await;
    assert_eq!(case.groups().await, [group("h")]);
    for text in ["lamp", "boat", "glows"] {
        assert!(case.episodes(text).await.is_empty());
        assert!(case.ids(DocumentKind::Entity, text).await.is_empty());
    }
    // Erased and written within one batch, too.
    case.apply([rows(), erase_group(), rows()].concat()).await;
    assert_eq!(case.digest("g").await, digest);
    let after = case
        .hits(DocumentKind::Episode, TextField::Window, "lamp")
        .await;
    assert_eq!(after, hits);
    case.drop().await;
}
