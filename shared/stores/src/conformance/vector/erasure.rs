//! Erasure: what is erased is not found, lends nothing, and only rows of the erasing topic go.

use mneme_events::Topic;

use super::case::Case;
use crate::conformance::documents::*;
use crate::{Change, DocumentKind};

pub(super) async fn suite(case: Case<'_>) {
    an_erased_episode_leaves_no_trace(case).await;
    a_group_is_erased_topic_by_topic(case).await;
}

async fn an_erased_episode_leaves_no_trace(case: Case<'_>) {
    let fact = version("f1", 1, "Ann owns a lamp");
    case.apply(vec![
        put(episode("e1", Some("t"), 1, "a lamp")),
        put(episode("e3", Some("t"), 3, "a boat")),
        put_version(fact.clone()),
        support("s1", &fact, "e1", 1),
    ])
    .await;
    let (digest, windows) = (case.digest("g").await, case.windows("lamp").await);
    case.apply(vec![
        put(episode("e2", Some("t"), 2, "a canary")),
        support("s2", &fact, "e2", 2),
    ])
    .await;
    assert_ne!(case.windows("lamp").await, windows);
    case.apply(vec![
        erase_episode(Topic::Episodes, "e2"),
        erase_episode(Topic::Facts, "e2"),
    ])
    .await;
    assert_eq!(case.windows("lamp").await, windows);
    assert_eq!(case.digest("g").await, digest);
    assert_eq!(case.vectors(DocumentKind::Episode, &["e2"]).await, [None]);
    case.apply(vec![erase_version(&fact)]).await;
    assert!(case.ids(DocumentKind::Fact, "lamp").await.is_empty());
    case.drop().await;
}

async fn a_group_is_erased_topic_by_topic(case: Case<'_>) {
    let rows = || {
        vec![
            put(episode("e1", Some("t"), 1, "a lamp")),
            put(episode("e2", Some("t"), 2, "a boat")),
            put_version(version("f1", 1, "lamp")),
            entity("n", "lamp", &[], "Thing"),
            community("lamp", &[], ""),
        ]
    };
    case.apply(rows()).await;
    case.apply_to("h", rows()).await;
    let (digest, windows) = (case.digest("g").await, case.windows("lamp").await);
    for (topic, expected) in [
        (Topic::Facts, [2, 0, 1, 1]),
        (Topic::Communities, [2, 0, 1, 0]),
        (Topic::Episodes, [0, 0, 1, 0]),
        (Topic::Resolutions, [0, 0, 0, 0]),
    ] {
        case.apply(vec![Change::EraseGroup { topic }]).await;
        let mut left = Vec::new();
        for kind in [
            DocumentKind::Episode,
            DocumentKind::Fact,
            DocumentKind::Entity,
            DocumentKind::Community,
        ] {
            left.push(case.ids(kind, "lamp").await.len());
        }
        assert_eq!(left, expected, "{topic}");
    }
    assert_eq!(case.digest("g").await, None);
    assert_eq!(case.digest("h").await, digest);
    // Erased and written within one batch, too.
    case.apply([rows(), erase_group(), rows()].concat()).await;
    assert_eq!(case.digest("g").await, digest);
    assert_eq!(case.windows("lamp").await, windows);
    case.drop().await;
}
