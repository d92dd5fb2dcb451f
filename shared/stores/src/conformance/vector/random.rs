//! Random changes: whatever the order between topics and however they are cut into batches, the
//! digests and the hits at the end are the same.

use super::case::Case;
use crate::conformance::documents::*;
use crate::conformance::random::*;
use crate::{DocumentKind, VectorQuery};

pub(super) async fn suite(case: Case<'_>, seed: u64) {
    let mut random = Random(seed);
    let names = ["g", "g.1"];
    let topics = random_topics(&mut random, &names);
    let mut results = Vec::new();
    for generation in 1..=3 {
        let case = Case { generation, ..case };
        let mut taken = vec![0; topics.len()];
        while let Some(batch) = next_batch(&mut random, &topics, &mut taken) {
            let applied = case.store.apply(generation, &batch, &[]).await;
            applied.unwrap();
            // A read in between brings the group into memory.
            case.windows("lamp boat").await;
        }
        let mut found = Vec::new();
        for name in names {
            let (scope, vector) = (scope(&[name]), case.embed("lamp boat tree"));
            for kind in [
                DocumentKind::Episode,
                DocumentKind::Fact,
                DocumentKind::Entity,
                DocumentKind::Community,
            ] {
                for window in [false, true] {
                    let query = VectorQuery {
                        window,
                        ..super::case::query(&scope, kind, &vector)
                    };
                    found.push(case.search(&query).await);
                }
            }
        }
        results.push((case.store.digests(generation).await.unwrap(), found));
    }
    for generation in 1..=3 {
        assert_eq!(
            results[0],
            results[generation as usize - 1],
            "the order of topics, seed {seed}"
        );
        let dropped = case.store.drop_generation(generation).await;
        dropped.unwrap();
    }
}
