//! Being written to: idempotence, checkpoints, generations, replacement.

use mneme_events::Topic;

use super::case::Case;
use crate::conformance::documents::*;
use crate::{Checkpoint, DocumentKind};

pub(super) async fn suite(case: Case<'_>) {
    twice_is_once(case).await;
    checkpoints_and_generations(case).await;
    a_changed_text_replaces_the_old(case).await;
}

async fn twice_is_once(case: Case<'_>) {
    let fact = version("f1", 1, "Ann owns a lamp");
    let batch = vec![
        put(episode("e1", Some("t"), 1, "a lamp")),
        put(episode("e2", Some("t"), 2, "a boat")),
        entity("n", "Ann", &[], "Person"),
        put_version(fact.clone()),
        support("s1", &fact, "e1", 1),
        expire(&fact, 5),
        community("c", &["lamp"], "lamps"),
    ];
    case.apply(batch.clone()).await;
    let (hits, windows, digest) = (
        case.hits(DocumentKind::Episode, "lamp").await,
        case.windows("lamp").await,
        case.digest("g").await,
    );
    assert!(digest.is_some());
    case.apply([batch.clone(), batch].concat()).await;
    assert_eq!(case.hits(DocumentKind::Episode, "lamp").await, hits);
    assert_eq!(case.windows("lamp").await, windows);
    assert_eq!(case.digest("g").await, digest);
    case.drop().await;
}

async fn checkpoints_and_generations(case: Case<'_>) {
    let (store, generation) = (case.store, case.generation);
    let read = async |generation, partition| {
        let next = store.checkpoint(generation, Topic::Episodes, partition);
        next.await.unwrap()
    };
    let checkpoint = Checkpoint {
        topic: Topic::Episodes,
        partition: 3,
        next: 7,
    };
    let changes = [(group("g"), put(episode("e1", None, 1, "lamp")))];
    let applied = store.apply(generation, &changes, &[checkpoint]).await;
    applied.unwrap();
    assert_eq!(
        (read(generation, 3).await, read(generation, 0).await),
        (7, 0)
    );
    assert_eq!(read(generation + 1, 3).await, 0);
    let other = Case {
        generation: generation + 1,
        ..case
    };
    other.apply(vec![put(episode("e2", None, 1, "lamp"))]).await;
    assert_eq!(case.ids(DocumentKind::Episode, "lamp").await, ["e1"]);
    case.drop().await;
    assert_eq!(read(generation, 3).await, 0);
    assert!(case.ids(DocumentKind::Episode, "lamp").await.is_empty());
    assert_eq!(other.ids(DocumentKind::Episode, "lamp").await, ["e2"]);
    other.drop().await;
    case.drop().await;
}

async fn a_changed_text_replaces_the_old(case: Case<'_>) {
    case.apply(vec![
        put_version(version("f1", 1, "the tax office")),
        entity("n", "lamp", &[], "Thing"),
    ])
    .await;
    let cosine = async |kind, text| case.hits(kind, text).await[0].cosine;
    assert!(cosine(DocumentKind::Fact, "the tax office").await > 0.999);
    case.apply(vec![
        put_version(version("f1", 1, "a boat")),
        put_version(version("f1", 1, "a small kitten")),
        entity("n", "kitten", &["lamp"], "Thing"),
    ])
    .await;
    assert!(cosine(DocumentKind::Fact, "the tax office").await < 0.9);
    assert!(cosine(DocumentKind::Fact, "a small kitten").await > 0.999);
    assert!(cosine(DocumentKind::Entity, "kitten").await > 0.999);
    assert_eq!(case.ids(DocumentKind::Fact, "kitten").await.len(), 1);
    case.drop().await;
}
