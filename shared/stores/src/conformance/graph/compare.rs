//! Every read of the port against the model, over the few names that random changes use.

use std::collections::BTreeMap;

use mneme_model::NameKey;

use super::GraphModel;
use super::case::Case;
use super::samples::*;
use crate::Walk;

pub(super) const GROUPS: [&str; 2] = ["g", "g.1"];
pub(super) const EPISODES: [&str; 5] = ["e", "e1", "e12", "f", "z"];
pub(super) const THREADS: [&str; 2] = ["t", "t2"];
pub(super) const ENTITIES: [&str; 5] = ["ann", "bob", "cid", "dan", "eve"];
pub(super) const NAMES: [&str; 4] = ["Ann", "Ann Lee", "ANN", "Bob"];
pub(super) const FACTS: [&str; 3] = ["fact 1", "fact 2", "fact 3"];
/// Every read of the port.
pub(super) async fn compare(case: Case<'_>, model: &GraphModel, seed: u64) {
    let (store, generation) = (case.store, case.generation);
    for name in GROUPS {
        let g = group(name);
        let rows = model.group(&g);
        let place = format!("group {name}, seed {seed}");
        let ontology = store.ontology(generation, &g).await.unwrap();
        assert_eq!(ontology, rows.ontology, "{place}");
        for (thread, before) in [
            (None, None),
            (Some("t"), None),
            (None, Some(5)),
            (Some("t2"), Some(7)),
        ] {
            let (thread, before) = (thread.map(thread_id), before.map(at));
            let found = store
                .episodes(generation, &g, thread.as_ref(), before, 3)
                .await;
            assert_eq!(
                found.unwrap(),
                rows.latest(thread.as_ref(), before, 3),
                "{place}"
            );
        }
        for position in 0..4 {
            let found = store.is_held(generation, &g, position).await.unwrap();
            assert_eq!(found, rows.is_held(position), "{place}");
        }
        for name in EPISODES {
            let episode = episode_id(name);
            let found = store.episode(generation, &g, &episode).await.unwrap();
            assert_eq!(found.as_ref(), rows.episodes.get(&episode), "{place}");
            let found = store.status(generation, &g, &episode).await.unwrap();
            assert_eq!(found, rows.status(&episode), "{place}");
            let found = store.neighbours(generation, &g, &episode, 2).await.unwrap();
            assert_eq!(found, rows.neighbours(&episode, 2), "{place}");
            let found = store.mentions_in(generation, &g, &episode).await.unwrap();
            let mentions = rows
                .mentions
                .values()
                .filter(|row| row.episode_id == episode);
            assert!(found.iter().eq(mentions), "mentions in {name}, {place}");
            for time in [view(5, 5), view(2, 9), all_known(4), all_known(20)] {
                let found = store.facts_from(generation, &g, &episode, &time, 99).await;
                assert_eq!(found.unwrap(), rows.facts_from(&episode, &time), "{place}");
            }
        }
        for name in NAMES {
            let key = NameKey::of(name);
            let found = store.entities_named(generation, &g, &key).await.unwrap();
            assert_eq!(found, rows.named(&key), "{place}");
        }
        for name in ENTITIES {
            let entity = id(name);
            let found = store.entity(generation, &g, entity).await.unwrap();
            assert_eq!(found, rows.entity(entity), "{place}");
            let found = store
                .entities(generation, &g, Some(entity), 2)
                .await
                .unwrap();
            assert_eq!(found, rows.living(Some(entity), 2), "{place}");
            let found = store.mentions_of(generation, &g, entity, 99).await.unwrap();
            assert_eq!(found, rows.mentions_of(entity), "{place}");
            let found = store.community(generation, &g, entity).await.unwrap();
            assert_eq!(found.as_ref(), rows.communities.get(&entity), "{place}");
            for time in [view(5, 5), view(2, 9), all_known(4), all_known(20)] {
                let found = store
                    .facts_of(generation, &g, entity, &time, 99)
                    .await
                    .unwrap();
                assert_eq!(found, rows.facts_of(entity, &time), "{place}");
                let found = store
                    .attributes_of(generation, &g, entity, &time, 99)
                    .await
                    .unwrap();
                assert_eq!(found, rows.attributes_of(entity, &time), "{place}");
                let walk = Walk {
                    from: vec![entity],
                    depth: 2,
                    limit: 99,
                    time,
                };
                let found = store.walk(generation, &g, &walk).await.unwrap();
                assert!(found.is_sorted_by_key(|(_, distance)| *distance), "{place}");
                let count = found.len();
                let found: BTreeMap<_, _> = found
                    .into_iter()
                    .map(|(row, distance)| (row.version_id, distance))
                    .collect();
                assert_eq!(found.len(), count, "a fact met twice, {place}");
                assert_eq!(found, rows.distances(&walk.from, 2, &time), "{place}");
            }
        }
        let found = store.entities(generation, &g, None, 99).await.unwrap();
        assert_eq!(found, rows.living(None, 99), "{place}");
        let found = store.communities(generation, &g, 99).await.unwrap();
        assert!(found.iter().eq(rows.communities.values()), "{place}");
        for version in rows.versions.keys() {
            let found = store.fact_version(generation, &g, *version).await.unwrap();
            assert_eq!(found, rows.version(*version), "{place}");
        }
        for time in [view(5, 5), all_known(4), all_known(20)] {
            let found = store.facts(generation, &g, &time, None, 99).await.unwrap();
            assert_eq!(found, rows.facts(|row| time.sees(row)), "{place}");
        }
        for fact in FACTS {
            let found = store.history(generation, &g, id(fact)).await.unwrap();
            assert_eq!(found, rows.history(id(fact)), "{place}");
            let found = store.support(generation, &g, id(fact), 99).await.unwrap();
            assert_eq!(found, rows.support(id(fact)), "{place}");
        }
    }
}
