use mneme_inference::{InferenceError, StaticEmbedder};

use super::*;
use crate::conformance::documents::*;
use crate::conformance::random::Random;
use crate::conformance::vector::{exact_search, vector_suite};

fn embedder() -> Arc<dyn Embedder> {
    Arc::new(StaticEmbedder::shipped().unwrap())
}

#[tokio::test]
async fn the_suite_of_the_port() {
    let (folder, embedder) = (tempfile::tempdir().unwrap(), embedder());
    let store = EmbeddedVectors::open(folder.path(), Arc::clone(&embedder), 64 << 20).unwrap();
    vector_suite(&store, &*embedder).await;
    exact_search(&store, &*embedder, 1..5).await;
}

/// A shelf that never stays in memory is read from disk each time.
#[tokio::test]
async fn the_suite_of_the_port_without_memory() {
    let (folder, embedder) = (tempfile::tempdir().unwrap(), embedder());
    let store = EmbeddedVectors::open(folder.path(), Arc::clone(&embedder), 0).unwrap();
    vector_suite(&store, &*embedder).await;
}

fn changes(changes: Vec<Change>) -> Vec<(GroupId, Change)> {
    let group = group("g");
    let changes = changes.into_iter();
    changes.map(|change| (group.clone(), change)).collect()
}

async fn found(store: &EmbeddedVectors, text: &str, window: bool) -> Vec<(String, f32)> {
    let (scope, vector) = (scope(&["g"]), embedder().embed(&[text]).unwrap().remove(0));
    let query = VectorQuery {
        scope: &scope,
        kind: DocumentKind::Episode,
        vector: &vector,
        window,
        time: any_time(),
        filter: None,
        limit: 20,
        min_cosine: 0.0,
    };
    let hits = store.search(1, &query).await.unwrap();
    hits.into_iter().map(|hit| (hit.id, hit.cosine)).collect()
}

/// A model of another name.
struct Other(EmbeddingModel);

impl Embedder for Other {
    fn model(&self) -> &EmbeddingModel {
        &self.0
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, InferenceError> {
        if texts.iter().any(|text| text.contains("forbidden")) {
            return Err(InferenceError::Refused {
                model: self.0.name.clone(),
                reason: "no".to_owned(),
            });
        }
        Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
    }
}

fn other() -> Arc<dyn Embedder> {
    Arc::new(Other(EmbeddingModel {
        name: "other".to_owned(),
        dimension: 2,
    }))
}

#[tokio::test]
async fn another_model_is_refused_for_what_is_there_and_taken_for_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let batch = changes(vec![put(episode("e1", None, 1, "a lamp"))]);
    let store = EmbeddedVectors::open(folder.path(), embedder(), 1 << 20).unwrap();
    store.apply(1, &batch, &[]).await.unwrap();
    let (hits, digests) = (
        found(&store, "lamp", false).await,
        store.digests(1).await.unwrap(),
    );
    drop(store);

    let store = EmbeddedVectors::open(folder.path(), other(), 1 << 20).unwrap();
    let refused = store.apply(1, &batch, &[]).await;
    let Err(StoreError::Broken(reason)) = refused else {
        panic!("not refused");
    };
    assert!(reason.contains("mneme replay") && reason.contains("static-minilm-256"));
    assert!(store.checkpoint(1, Topic::Episodes, 0).await.is_err());
    store.apply(2, &batch, &[]).await.unwrap();
    drop(store);

    let store = EmbeddedVectors::open(folder.path(), embedder(), 1 << 20).unwrap();
    assert_eq!(found(&store, "lamp", false).await, hits);
    assert_eq!(store.digests(1).await.unwrap(), digests);
}

#[tokio::test]
async fn a_text_that_the_model_refuses_costs_no_other_its_vector() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedVectors::open(folder.path(), other(), 1 << 20).unwrap();
    let batch = changes(vec![
        put(episode("e1", None, 1, "a forbidden lamp")),
        put(episode("e2", None, 1, "a lamp")),
    ]);
    store.apply(1, &batch, &[]).await.unwrap();
    let ids = ["e1".to_owned(), "e2".to_owned()];
    let group = group("g");
    let vectors = store.vectors(1, &group, DocumentKind::Episode, &ids).await;
    assert_eq!(vectors.unwrap(), [None, Some(vec![1.0, 0.0])]);
}

/// Codes choose the candidates; what is found is what a comparison of all whole vectors finds.
#[tokio::test]
async fn a_large_group_is_searched_as_exactly_as_a_small_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedVectors::open(folder.path(), embedder(), 256 << 20).unwrap();
    let words = [
        "lamp", "boat", "tree", "milk", "moon", "sand", "wolf", "coin", "drum", "rope",
    ];
    let mut random = Random(5);
    let mut texts = Vec::new();
    for number in 0..21_000 {
        let picked: Vec<&str> = (0..4).map(|_| random.one(&words)).collect();
        texts.push(format!("{} number {number}", picked.join(" ")));
    }
    let rows = texts.iter().enumerate().map(|(number, text)| {
        put(episode(
            &format!("e{number}"),
            Some("t"),
            number as i64,
            text,
        ))
    });
    let batch = changes(rows.collect());
    for part in batch.chunks(5_000) {
        store.apply(1, part, &[]).await.unwrap();
    }
    let asked = "the moon over a boat, number 77";
    let vector = embedder().embed(&[asked]).unwrap().remove(0);
    let embedder = embedder();
    let vectors: Vec<Vec<f32>> = texts
        .iter()
        .map(|text| embedder.embed(&[text]).unwrap().remove(0))
        .collect();
    for window in [false, true] {
        let mut expected: Vec<(usize, f32)> = (0..texts.len())
            .map(|index| {
                let mut sum = vec![0.0f32; vector.len()];
                let reach = usize::from(window);
                let near = index.saturating_sub(reach)..=(index + reach).min(texts.len() - 1);
                for other in near {
                    sum.iter_mut()
                        .zip(&vectors[other])
                        .for_each(|(sum, x)| *sum += x);
                }
                mneme_inference::normalise(&mut sum);
                (index, vector.iter().zip(&sum).map(|(a, b)| a * b).sum())
            })
            .collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        let hits = found(&store, asked, window).await;
        assert_eq!(hits.len(), 20);
        for ((_, cosine), (_, expected)) in hits.iter().zip(&expected) {
            assert!((cosine - expected).abs() < 1e-5, "{cosine} {expected}");
        }
    }
}
