//! Being written to: idempotence, checkpoints, generations, replacement.

use mneme_events::Topic;

use super::case::Case;
use crate::conformance::documents::*;
use crate::{Checkpoint, DocumentKind, TextField};

pub(super) async fn suite(case: Case<'_>) {
    twice_is_once(case).await;
    checkpoints_go_with_their_batch(case).await;
    generations_are_apart(case).await;
    the_first_of_an_id_counts(case).await;
    a_changed_text_replaces_the_old(case).await;
}

async fn twice_is_once(case: Case<'_>) {
    let fact = version("f1", 1, "Ann owns a lamp");
    let batch = vec![
        put(episode("e1", Some("t"), 1, "a lamp")),
        put(episode("e2", Some("t"), 2, "a boat")),
        entity("n", "Ann", &[], "Person"),
        summary("n", "has a lamp"),
        put_version(fact.clone()),
        support("s1", &fact, "e1", 1),
        expire(&fact, 5),
        community("c", &["lamp"], "lamps"),
    ];
    case.apply(batch.clone()).await;
    let kinds = [
        DocumentKind::Episode,
        DocumentKind::Fact,
        DocumentKind::Entity,
        DocumentKind::Community,
    ];
    let mut before = Vec::new();
    for kind in kinds {
        before.push(case.hits(kind, TextField::Text, "lamp ann").await);
    }
    let digest = case.digest("g").await;
    assert!(digest.is_some());
    case.apply(batch.clone()).await;
    case.apply([batch.clone(), batch].concat()).await;
    for (kind, before) in kinds.into_iter().zip(before) {
        let after = case.hits(kind, TextField::Text, "lamp ann").await;
        assert_eq!(after, before, "{kind:?}");
    }
    assert_eq!(case.digest("g").await, digest);
    case.drop().await;
}

async fn checkpoints_go_with_their_batch(case: Case<'_>) {
    let (store, generation) = (case.store, case.generation);
    let read = async |topic, partition| {
        let next = store.checkpoint(generation, topic, partition).await;
        next.unwrap()
    };
    assert_eq!(read(Topic::Facts, 0).await, 0);
    let checkpoint = |topic, partition, next| Checkpoint {
        topic,
        partition,
        next,
    };
    let changes = [(group("g"), put(episode("e1", None, 1, "lamp")))];
    let checkpoints = [
        checkpoint(Topic::Episodes, 0, 5),
        checkpoint(Topic::Episodes, 3, 7),
    ];
    let applied = store.apply(generation, &changes, &checkpoints).await;
    applied.unwrap();
    let applied = store
        .apply(generation, &[], &[checkpoint(Topic::Facts, 0, 9)])
        .await;
    applied.unwrap();
    assert_eq!(read(Topic::Episodes, 0).await, 5);
    assert_eq!(read(Topic::Episodes, 3).await, 7);
    assert_eq!(read(Topic::Facts, 0).await, 9);
    assert_eq!(read(Topic::Facts, 1).await, 0);
    case.drop().await;
    assert_eq!(read(Topic::Episodes, 0).await, 0);
}

async fn generations_are_apart(case: Case<'_>) {
    let other = Case {
        generation: case.generation + 1,
        ..case
    };
    case.apply(vec![put(episode("e1", None, 1, "lamp"))]).await;
    assert!(other.episodes("lamp").await.is_empty());
    assert!(other.groups().await.is_empty());
    other
        .apply(vec![
            put(episode("e2", None, 1, "lamp")),
            put(episode("e3", None, 1, "x")),
        ])
        .await;
    assert_eq!(case.episodes("lamp").await, ["e1"]);
    assert_eq!(other.episodes("lamp").await, ["e2"]);
    case.drop().await;
    assert!(case.episodes("lamp").await.is_empty());
    assert_eq!(other.episodes("lamp").await, ["e2"]);
    case.apply(vec![put(episode("e4", None, 1, "lamp"))]).await;
    assert_eq!(case.episodes("lamp").await, ["e4"]);
    other.drop().await;
    case.drop().await;
    case.drop().await;
}

async fn the_first_of_an_id_counts(case: Case<'_>) {
    let mut later = episode("e1", None, 1, "later");
    later.position = 50;
    case.apply(vec![
        put(episode("e1", None, 1, "first")),
        put(later.clone()),
    ])
    .await;
    assert_eq!(case.episodes("first").await, ["e1"]);
    assert!(case.episodes("later").await.is_empty());
    case.apply(vec![erase_episode(Topic::Episodes, "e1"), put(later)])
        .await;
    assert_eq!(case.episodes("later").await, ["e1"]);
    assert!(case.episodes("first").await.is_empty());
    case.drop().await;
}

async fn a_changed_text_replaces_the_old(case: Case<'_>) {
    case.apply(vec![
        put_version(version("f1", 1, "red lamp")),
        put_version(version("f2", 1, "green boat")),
    ])
    .await;
    case.apply(vec![
        put_version(version("f1", 1, "blue lamp")),
        put_version(version("f1", 1, "yellow lamp")),
    ])
    .await;
    let found = async |text| case.ids(DocumentKind::Fact, text).await;
    assert!(found("red").await.is_empty());
    assert!(found("blue").await.is_empty());
    assert_eq!(found("yellow").await, [id("f1").to_string()]);
    // Counts of the old text are gone with it.
    let now = case.hits(DocumentKind::Fact, TextField::Text, "lamp").await;
    case.drop().await;
    case.apply(vec![
        put_version(version("f1", 1, "yellow lamp")),
        put_version(version("f2", 1, "green boat")),
    ])
    .await;
    let anew = case.hits(DocumentKind::Fact, TextField::Text, "lamp").await;
    assert_eq!(now, anew);
    case.drop().await;
}
