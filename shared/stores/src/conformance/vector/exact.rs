//! Cosines computed plainly, over all texts of a group, compared with what the store gives.

use std::collections::BTreeMap;

use super::case::{Case, cosine, query};
use crate::conformance::documents::*;
use crate::conformance::random::*;
use crate::{DocumentKind, EpisodeRow, VectorQuery};

pub(super) async fn suite(case: Case<'_>, seed: u64) {
    let mut random = Random(seed);
    let mut rows: BTreeMap<String, (i64, EpisodeRow)> = BTreeMap::new();
    for position in 0..50 {
        let name = format!("e{position}");
        let thread = random.one(&[Some("t"), Some("u"), None]);
        let hours = random.below(40) as i64;
        let mut row = episode(&name, thread, hours, &random_text(&mut random));
        row.position = position;
        case.apply(vec![put(row.clone())]).await;
        rows.insert(name, (hours, row));
        if random.below(5) == 0 {
            let gone = format!("e{}", random.below(position + 1));
            rows.remove(&gone);
            let erased = erase_episode(mneme_events::Topic::Episodes, &gone);
            case.apply(vec![erased]).await;
        }
        if random.below(5) == 0 {
            case.windows("lamp").await;
        }
    }
    let mut order: Vec<(i64, EpisodeRow)> = rows.into_values().collect();
    order.sort_by_key(|(hours, row)| (row.episode.thread_id.clone(), *hours, row.position));
    let vectors: Vec<Vec<f32>> = order
        .iter()
        .map(|(_, row)| case.embed(&row.episode.body))
        .collect();
    for (text, window) in [("lamp", false), ("boat in the sand", true), ("moon", true)] {
        let asked = case.embed(text);
        let scope = scope(&["g"]);
        let query = VectorQuery {
            window,
            ..query(&scope, DocumentKind::Episode, &asked)
        };
        let hits = case.search(&query).await;
        assert_eq!(hits.len(), order.len(), "'{text}', seed {seed}");
        for (index, (_, row)) in order.iter().enumerate() {
            let name = row.episode.episode_id.as_str();
            let is_near = |other: usize| {
                let thread = &row.episode.thread_id;
                other == index
                    || (window
                        && thread.is_some()
                        && other.abs_diff(index) == 1
                        && order[other].1.episode.thread_id == *thread)
            };
            let mut sum = vec![0.0; asked.len()];
            for (other, vector) in vectors.iter().enumerate() {
                if is_near(other) {
                    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
                }
            }
            mneme_inference::normalise(&mut sum);
            let expected = cosine(&asked, &sum);
            let hit = hits.iter().find(|hit| hit.id == name).unwrap();
            let near = (hit.cosine - expected).abs() < 1e-3;
            assert!(
                near,
                "{name} has {}, not {expected}, '{text}', seed {seed}",
                hit.cosine
            );
        }
    }
    case.drop().await;
}
