//! Random changes: whatever the order between topics and however they are cut into batches, the
//! digests and the hits at the end are the same.

use crate::conformance::documents::*;
use crate::conformance::random::*;
use crate::{DocumentKind, TextField, TextQuery, TextStore};

pub(super) async fn suite(store: &dyn TextStore, seed: u64) {
    let mut random = Random(seed);
    let names = ["g", "g.1"];
    let topics = random_topics(&mut random, &names);
    let mut results = Vec::new();
    for generation in 1..=3 {
        let mut taken = vec![0; topics.len()];
        while let Some(batch) = next_batch(&mut random, &topics, &mut taken) {
            store.apply(generation, &batch, &[]).await.unwrap();
            if random.below(4) == 0 {
                store.apply(generation, &batch, &[]).await.unwrap();
            }
            // A read in between brings the group into memory.
            search(store, generation, "g", DocumentKind::Episode).await;
        }
        let mut found = Vec::new();
        for name in names {
            for kind in [
                DocumentKind::Episode,
                DocumentKind::Fact,
                DocumentKind::Entity,
                DocumentKind::Community,
            ] {
                found.push(search(store, generation, name, kind).await);
            }
        }
        results.push((store.digests(generation).await.unwrap(), found));
    }
    for generation in 1..=3 {
        assert_eq!(
            results[0],
            results[generation as usize - 1],
            "the order of topics, seed {seed}"
        );
        store.drop_generation(generation).await.unwrap();
    }
}

async fn search(
    store: &dyn TextStore,
    generation: u32,
    name: &str,
    kind: DocumentKind,
) -> Vec<Vec<crate::TextHit>> {
    let scope = scope(&[name]);
    let query = TextQuery {
        scope: &scope,
        kind,
        text: "lamp boat tree milk alias alpha",
        fields: &[TextField::Text, TextField::Window, TextField::Session],
        time: any_time(),
        filter: None,
        limit: 50,
    };
    store.search(generation, &query).await.unwrap()
}
