//! Reciprocal rank fusion: each list gives `weight / (k + rank)` to what it holds.
//!
//! It needs no comparable scores, so it serves where a store's scores can't be compared; it forgets
//! how far the first is ahead of the second, which is why it is not the default. k = 10 and not the
//! usual 60: with lists of a few hundred the head must count. Lexical lists count twice, since names
//! and codes are what is asked for. Source of the idea: Cormack, Clarke and Büttcher, 2009.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Candidate, Key, ScoredList, rank};

/// How ranks are fused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FusionSettings {
    /// What is added to each rank, from 1.
    pub k: f64,
    /// The weight of a lexical list; any other has 1.
    pub lexical: f64,
}

impl Default for FusionSettings {
    fn default() -> Self {
        Self {
            k: 10.0,
            lexical: 2.0,
        }
    }
}

/// All that the lists hold, by the sum of their reciprocal ranks. `is_lexical` tells of a list's
/// name whether it matches words.
pub fn fuse(
    lists: &[ScoredList],
    settings: &FusionSettings,
    is_lexical: impl Fn(&str) -> bool,
) -> Vec<Candidate> {
    let mut fused: HashMap<&Key, Candidate> = HashMap::new();
    for list in lists {
        let weight = if is_lexical(list.name) {
            settings.lexical
        } else {
            1.0
        };
        let mut place = 0;
        let mut last = None;
        for (index, (key, score)) in list.hits.iter().enumerate() {
            // Equal scores share a rank: the order of ids says nothing.
            if last != Some(*score) {
                place = index + 1;
                last = Some(*score);
            }
            fused
                .entry(key)
                .or_insert_with(|| Candidate::new(key.clone()))
                .add(list.name, weight / (settings.k + place as f64));
        }
    }
    let mut candidates: Vec<Candidate> = fused.into_values().collect();
    rank(&mut candidates);
    candidates
}

#[cfg(test)]
mod tests {
    use super::super::pool::tests::{list, order};
    use super::*;

    fn fused(lists: &[ScoredList]) -> Vec<Candidate> {
        fuse(lists, &FusionSettings::default(), |name| name == "text")
    }

    #[test]
    fn ranks_count_and_lexical_ranks_count_twice() {
        let lists = [
            list("text", 1.0, &[("a", 9.0), ("b", 1.0)]),
            list("vector", 1.0, &[("b", 0.9), ("c", 0.8)]),
        ];
        let ranked = fused(&lists);
        assert_eq!(order(&ranked), ["b", "a", "c"]);
        assert!((ranked[0].score - (2.0 / 12.0 + 1.0 / 11.0)).abs() < 1e-12);
        assert!((ranked[1].score - 2.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn equal_scores_share_a_rank() {
        let lists = [list("text", 1.0, &[("a", 2.0), ("b", 2.0), ("c", 1.0)])];
        let ranked = fused(&lists);
        assert_eq!(ranked[0].score, ranked[1].score);
        assert!((ranked[2].score - 2.0 / 13.0).abs() < 1e-12);
    }
}
