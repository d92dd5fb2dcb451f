use std::fs;

use super::*;
use crate::conformance::documents::*;
use crate::conformance::text::{exact_scores, text_suite};
use crate::{DocumentKind, TextField};

fn open(folder: &Path) -> EmbeddedText {
    EmbeddedText::open(folder, 64 << 20).unwrap()
}

#[tokio::test]
async fn the_suite_of_the_port() {
    let folder = tempfile::tempdir().unwrap();
    text_suite(&open(folder.path())).await;
}

#[tokio::test]
async fn scores_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    exact_scores(&open(folder.path()), 1..6).await;
}

/// No shelf stays in memory, and some documents are in the index while others are pending.
#[tokio::test]
async fn the_suite_of_the_port_with_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedText::open_with(folder.path(), 0, 20).unwrap();
    text_suite(&store).await;
    exact_scores(&store, 7..9).await;
}

/// Every batch is moved to the index at once.
#[tokio::test]
async fn scores_are_exact_with_nothing_pending() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedText::open_with(folder.path(), 1 << 20, 0).unwrap();
    exact_scores(&store, 9..10).await;
}

fn changes(name: &str, changes: Vec<Change>) -> Vec<(GroupId, Change)> {
    let group = group(name);
    let changes = changes.into_iter();
    changes.map(|change| (group.clone(), change)).collect()
}

async fn found(store: &EmbeddedText, text: &str) -> Vec<(String, f32)> {
    let scope = scope(&["g"]);
    let query = TextQuery {
        scope: &scope,
        kind: DocumentKind::Episode,
        text,
        fields: &[TextField::Window],
        time: any_time(),
        filter: None,
        limit: 9,
    };
    let hits = store.search(1, &query).await.unwrap().remove(0);
    hits.into_iter().map(|hit| (hit.id, hit.score)).collect()
}

#[tokio::test]
async fn what_was_applied_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let checkpoint = Checkpoint {
        topic: Topic::Episodes,
        partition: 0,
        next: 7,
    };
    let batch = changes("g", vec![put(episode("e1", None, 1, "a lamp"))]);
    store.apply(1, &batch, &[checkpoint]).await.unwrap();
    let (hits, digests) = (found(&store, "lamp").await, store.digests(1).await.unwrap());
    assert_eq!(hits.len(), 1);
    let second = EmbeddedText::open(folder.path(), 0);
    assert!(matches!(second, Err(StoreError::Refused(_))));
    drop(store);
    let store = open(folder.path());
    assert_eq!(found(&store, "lamp").await, hits);
    assert_eq!(store.digests(1).await.unwrap(), digests);
    assert_eq!(store.checkpoint(1, Topic::Episodes, 0).await.unwrap(), 7);
}

/// A crash after the commit of the index and before that of the rows.
#[tokio::test]
async fn an_index_that_is_ahead_of_its_rows_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let (live, before) = (folder.path().join("text"), folder.path().join("before"));
    let first = changes(
        "g",
        vec![
            put(episode("e1", Some("t"), 1, "a lamp")),
            put(episode("e2", Some("t"), 2, "a boat")),
            put(episode("e4", None, 2, "a lamp")),
        ],
    );
    let second = changes(
        "g",
        vec![
            put(episode("e3", Some("t"), 3, "a second lamp")),
            erase_episode(Topic::Episodes, "e2"),
            erase_episode(Topic::Episodes, "e4"),
            put(episode("e4", None, 2, "a lamp and a lamp")),
        ],
    );
    let third = changes("h", vec![put(episode("e1", None, 1, "a lamp"))]);
    let undisturbed = open(&folder.path().join("undisturbed"));

    let store = open(&live);
    for batch in [&first, &second, &third] {
        store.apply(1, batch, &[]).await.unwrap();
        undisturbed.apply(1, batch, &[]).await.unwrap();
        if batch == &first {
            store.purge(1).await.unwrap();
        }
    }
    let hits = found(&store, "lamp boat").await;
    assert_eq!(hits.len(), 3);
    drop(store);
    copy(&live.join("data"), &before);
    let store = open(&live);
    store.purge(1).await.unwrap();
    drop(store);
    fs::remove_dir_all(live.join("data")).unwrap();
    fs::rename(&before, live.join("data")).unwrap();

    let store = open(&live);
    assert_eq!(found(&store, "lamp boat").await, hits);
    let again = changes("g", vec![erase_episode(Topic::Episodes, "e3")]);
    for store in [&store, &undisturbed] {
        store.apply(1, &again, &[]).await.unwrap();
        store.purge(1).await.unwrap();
    }
    let hits = found(&store, "lamp boat").await;
    assert_eq!(hits, found(&undisturbed, "lamp boat").await);
    let digests = store.digests(1).await.unwrap();
    assert_eq!(digests, undisturbed.digests(1).await.unwrap());
}

#[tokio::test]
async fn an_index_that_is_not_that_of_its_rows_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let batch = changes("g", vec![put(episode("e1", None, 1, "a lamp"))]);
    store.apply(1, &batch, &[]).await.unwrap();
    store.purge(1).await.unwrap();
    drop(store);
    fs::remove_dir_all(folder.path().join("words-1")).unwrap();
    let store = open(folder.path());
    let Err(StoreError::Broken(reason)) = store.apply(1, &batch, &[]).await else {
        panic!("not refused");
    };
    assert!(reason.contains("mneme replay"), "{reason}");
    // The way out: another generation.
    store.drop_generation(1).await.unwrap();
    store.apply(2, &batch, &[]).await.unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[tokio::test]
async fn purging_takes_erased_words_from_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let row = with_metadata(
        episode("e1", None, 1, "xylocanary"),
        "note",
        "\"metacanary\"",
    );
    let rows = vec![put(row), put(episode("e2", None, 2, "a lamp"))];
    store.apply(1, &changes("g", rows), &[]).await.unwrap();
    let erased = vec![erase_episode(Topic::Episodes, "e1")];
    store.apply(1, &changes("g", erased), &[]).await.unwrap();
    store.purge(1).await.unwrap();
    assert_eq!(found(&store, "lamp").await.len(), 1);
    let words = folder.path().join("words-1");
    assert!(!holds(&words, b"xylocanary"));
    let keyspaces = folder.path().join("data").join("keyspaces");
    assert!(!holds(&keyspaces, b"metacanary"));
}

/// Whether a file under the folder holds the bytes.
fn holds(folder: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, bytes);
        }
        let content = fs::read(&path).unwrap();
        content.windows(bytes.len()).any(|window| window == bytes)
    })
}

/// Each batch puts two episodes with a word of its own: a search finds both or none, also while what
/// is pending moves to the index.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_sees_whole_batches() {
    const BATCHES: i64 = 60;
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(EmbeddedText::open_with(folder.path(), 1 << 20, 25).unwrap());
    let searching = (0..3).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut last = 0;
            while last < BATCHES {
                let hits = found(&store, &format!("word{last}")).await.len();
                assert!(hits == 0 || hits == 2, "{hits} of the two of a batch");
                if hits == 2 {
                    last += 1;
                }
            }
        })
    });
    let searching: Vec<_> = searching.collect();
    for number in 0..BATCHES {
        let pair = ["a", "b"].map(|half| {
            let name = format!("{half}{number}");
            put(episode(&name, None, number, &format!("word{number}")))
        });
        store
            .apply(1, &changes("g", pair.to_vec()), &[])
            .await
            .unwrap();
    }
    for task in searching {
        task.await.unwrap();
    }
}
