//! The embedded graph: the suite of its port, and what only a store on disk can get wrong.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by a panic; helpers of tests are not known as such to the lint"
)]

use std::path::Path;

use mneme_events::{Episode, Topic};
use mneme_model::{EpisodeId, GroupId, Instant, Source};
use mneme_stores::conformance::graph::{graph_suite, random_changes};
use mneme_stores::embedded::graph::EmbeddedGraph;
use mneme_stores::{Change, Checkpoint, EpisodeRow, GraphStore, Projection, StoreError};

fn open(folder: &Path) -> EmbeddedGraph {
    EmbeddedGraph::open(folder, 8 << 20).unwrap()
}

#[tokio::test]
async fn keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    graph_suite(&open(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_changes_equal_the_model() {
    let folder = tempfile::tempdir().unwrap();
    random_changes(&open(folder.path()), 100..120).await;
}

fn episode(name: &str, position: u64) -> Change {
    Change::PutEpisode(Box::new(EpisodeRow {
        group_id: GroupId::new("g").unwrap(),
        episode: Episode {
            episode_id: EpisodeId::new(name).unwrap(),
            thread_id: None,
            source: Source::Text,
            author: None,
            body: "a body".to_owned(),
            facts: Vec::new(),
            reference_time: Instant::from_micros(1),
            source_description: None,
            metadata: Default::default(),
            digest: String::new(),
        },
        recorded_at: Instant::from_micros(2),
        position,
    }))
}

async fn write(store: &EmbeddedGraph, generation: u32, name: &str, next: u64) {
    let checkpoint = Checkpoint {
        topic: Topic::Episodes,
        partition: 0,
        next,
    };
    let changes = [(GroupId::new("g").unwrap(), episode(name, next))];
    store
        .apply(generation, &changes, &[checkpoint])
        .await
        .unwrap();
}

#[tokio::test]
async fn what_was_applied_is_there_when_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    write(&store, 1, "dropped", 1).await;
    write(&store, 2, "kept", 7).await;
    store.drop_generation(1).await.unwrap();
    let digests = store.digests(2).await.unwrap();
    drop(store);

    let store = open(folder.path());
    assert_eq!(store.digests(2).await.unwrap(), digests);
    assert_eq!(store.checkpoint(2, Topic::Episodes, 0).await.unwrap(), 7);
    assert_eq!(store.checkpoint(1, Topic::Episodes, 0).await.unwrap(), 0);
    assert!(store.groups(1).await.unwrap().is_empty());
    write(&store, 1, "new", 3).await;
    let group = GroupId::new("g").unwrap();
    let found = store.episodes(1, &group, None, None, 9).await.unwrap();
    assert_eq!(found.len(), 1, "nothing of the dropped generation is left");
}

#[tokio::test]
async fn digests_equal_those_of_a_scan() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let groups = ["g", "g.1", "h"].map(|name| GroupId::new(name).unwrap());
    let mut changes = Vec::new();
    for position in 0..60 {
        let group = groups[position as usize % groups.len()].clone();
        changes.push((group, episode(&format!("e{}", position % 17), position)));
    }
    for group in &groups {
        let erase = Change::EraseEpisode {
            topic: Topic::Episodes,
            episode_id: EpisodeId::new("e3").unwrap(),
        };
        changes.push((group.clone(), erase));
    }
    let erase = Change::EraseGroup {
        topic: Topic::Episodes,
    };
    changes.push((groups[2].clone(), erase));
    for batch in changes.chunks(7) {
        store.apply(1, batch, &[]).await.unwrap();
        let scanned = store.digests_by_scan(1).unwrap();
        assert!(!scanned.is_empty());
        assert_eq!(store.digests(1).await.unwrap(), scanned);
    }
    assert_eq!(store.groups(1).await.unwrap(), groups[..2]);
}

#[tokio::test]
async fn a_folder_is_open_once() {
    let folder = tempfile::tempdir().unwrap();
    let _store = open(folder.path());
    let Err(StoreError::Refused(text)) = EmbeddedGraph::open(folder.path(), 1 << 20) else {
        panic!("a second one is refused");
    };
    assert!(text.contains("in use"), "{text}");
}

#[tokio::test]
async fn another_layout_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let database = mneme_disk::open(folder.path(), Default::default(), |database| {
        database
            .keyspace("about", fjall::KeyspaceCreateOptions::default)?
            .insert("layout", 0_u32.to_be_bytes())
    });
    drop(database.unwrap());
    let Err(StoreError::Broken(text)) = EmbeddedGraph::open(folder.path(), 1 << 20) else {
        panic!("another layout is refused");
    };
    assert!(text.contains("remove the graph store's folder"), "{text}");
}
