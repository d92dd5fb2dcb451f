//! The candidate pool: all that any list holds, each list's scores brought to a common scale and
//! summed with the list's weight.
//!
//! Why z-scores and not ranks: a score keeps the gap between a hit that names everything and one
//! that shares a word, which a rank throws away. Why over the pool and not over all documents: the
//! pool is what is known, and the deviation then tells how much this list tells these apart.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use mneme_model::GroupId;

/// A document of one kind: its group, and its id as the stores give it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The group.
    pub group_id: GroupId,
    /// The id.
    pub id: String,
}

impl Key {
    /// Builds the key.
    pub fn new(group_id: GroupId, id: impl Into<String>) -> Self {
        Self {
            group_id,
            id: id.into(),
        }
    }
}

/// How the scores of a list become comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// As deviations above the pool's mean: for a list over all documents.
    Deviations(Missing),
    /// As a share of the list's best, 0 for what is not in it: for a list of a few. Among hundreds,
    /// a few that have anything are many deviations above the mean, whatever it is worth.
    ShareOfBest,
}

/// What a candidate scores in a list that it is not in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Nothing: the list holds all that has any score (a lexical list that was not cut short).
    Zero,
    /// What the last of the list scores: the list was cut, and what is below is unknown.
    Lowest,
}

/// What one method found, with the weight of its word.
#[derive(Debug, Clone)]
pub struct ScoredList {
    /// Its name in `score_parts`.
    pub name: &'static str,
    /// What one unit of its scale is worth.
    pub weight: f64,
    /// Its scale.
    pub scale: Scale,
    /// The hits with raw scores, best first.
    pub hits: Vec<(Key, f64)>,
}

/// A document on its way to a rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What it is.
    pub key: Key,
    /// The sum of the parts.
    pub score: f64,
    /// Where the score comes from.
    pub parts: BTreeMap<&'static str, f64>,
}

impl Candidate {
    /// A candidate that nothing is known of yet.
    pub fn new(key: Key) -> Self {
        Self {
            key,
            score: 0.0,
            parts: BTreeMap::new(),
        }
    }

    /// Adds a part. A part that says nothing is not shown.
    pub fn add(&mut self, name: &'static str, amount: f64) {
        if amount != 0.0 && amount.is_finite() {
            self.score += amount;
            *self.parts.entry(name).or_default() += amount;
        }
    }

    /// Scales the score and its parts.
    pub fn scale(&mut self, factor: f64) {
        self.score *= factor;
        self.parts.values_mut().for_each(|part| *part *= factor);
    }
}

/// Best first; equal scores in order of group and id.
pub fn rank(candidates: &mut [Candidate]) {
    candidates.sort_by(by_score);
}

fn by_score(a: &Candidate, b: &Candidate) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key))
}

/// All that the lists hold, ranked by the weighted sum of their scaled scores.
pub fn pool(lists: &[ScoredList]) -> Vec<Candidate> {
    let mut places: HashMap<&Key, usize> = HashMap::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    for (key, _) in lists.iter().flat_map(|list| &list.hits) {
        places.entry(key).or_insert_with(|| {
            candidates.push(Candidate::new(key.clone()));
            candidates.len() - 1
        });
    }
    for list in lists {
        let scaled = match list.scale {
            Scale::Deviations(missing) => z_scores(&list.hits, missing, &places),
            Scale::ShareOfBest => shares(&list.hits, &places),
        };
        for (candidate, score) in candidates.iter_mut().zip(scaled) {
            candidate.add(list.name, list.weight * score);
        }
    }
    rank(&mut candidates);
    candidates
}

/// The z-score of every candidate in a list.
///
/// The pool counts one document more, which matches nothing: without it a lone hit, or hits that
/// are all equally good, would be no better than average. Among hundreds it changes nothing.
fn z_scores(hits: &[(Key, f64)], missing: Missing, places: &HashMap<&Key, usize>) -> Vec<f64> {
    let lowest = hits.iter().map(|(_, score)| *score);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    let missing = match missing {
        Missing::Lowest if lowest.is_finite() => lowest,
        _ => 0.0,
    };
    let mut scores = vec![missing; places.len()];
    for (key, score) in hits {
        if let Some(&place) = places.get(key) {
            scores[place] = *score;
        }
    }
    let nothing = missing.min(0.0);
    let count = scores.len() as f64 + 1.0;
    let mean = (scores.iter().sum::<f64>() + nothing) / count;
    let squares = |score: &f64| (score - mean).powi(2);
    let variance = (scores.iter().map(squares).sum::<f64>() + squares(&nothing)) / count;
    let deviation = variance.sqrt();
    if !deviation.is_finite() || deviation < f64::EPSILON {
        return vec![0.0; scores.len()];
    }
    scores
        .iter()
        .map(|score| (score - mean) / deviation)
        .collect()
}

/// The share of the best that every candidate has in a list.
fn shares(hits: &[(Key, f64)], places: &HashMap<&Key, usize>) -> Vec<f64> {
    let best = hits.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    let mut shares = vec![0.0; places.len()];
    if best > 0.0 {
        for (key, score) in hits {
            if let Some(&place) = places.get(key) {
                shares[place] = score.max(0.0) / best;
            }
        }
    }
    shares
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn key(id: &str) -> Key {
        Key::new(GroupId::new("g").unwrap(), id)
    }

    pub fn list(name: &'static str, weight: f64, hits: &[(&str, f64)]) -> ScoredList {
        ScoredList {
            name,
            weight,
            scale: Scale::Deviations(Missing::Zero),
            hits: hits.iter().map(|(id, score)| (key(id), *score)).collect(),
        }
    }

    pub fn order(candidates: &[Candidate]) -> Vec<&str> {
        candidates.iter().map(|c| c.key.id.as_str()).collect()
    }

    #[test]
    fn a_gap_in_one_list_outweighs_a_rank_in_another() {
        let lists = [
            list("text", 1.0, &[("a", 20.0), ("b", 2.0), ("c", 1.9)]),
            list("window", 1.0, &[("c", 5.1), ("b", 5.05), ("a", 5.0)]),
        ];
        let ranked = pool(&lists);
        assert_eq!(order(&ranked), ["a", "c", "b"]);
    }

    #[test]
    fn the_score_is_the_sum_of_its_parts() {
        let lists = [
            list("text", 1.0, &[("a", 3.0), ("b", 1.0)]),
            list("vector", 0.25, &[("b", 0.9), ("c", 0.2)]),
        ];
        for candidate in pool(&lists) {
            let sum: f64 = candidate.parts.values().sum();
            assert!((candidate.score - sum).abs() < 1e-12, "{candidate:?}");
        }
    }

    #[test]
    fn a_lone_hit_is_above_nothing_and_equal_hits_are_equal() {
        let alone = pool(&[list("text", 1.0, &[("a", 4.0)])]);
        assert!((alone[0].score - 1.0).abs() < 1e-9);
        let equal = pool(&[list("text", 1.0, &[("b", 4.0), ("a", 4.0)])]);
        assert_eq!(order(&equal), ["a", "b"]);
        assert_eq!(equal[0].score, equal[1].score);
        assert!(equal[0].score > 0.0);
    }

    #[test]
    fn what_a_cut_list_does_not_hold_scores_like_its_last() {
        let mut vectors = list("vector", 1.0, &[("a", 0.9), ("b", 0.5)]);
        vectors.scale = Scale::Deviations(Missing::Lowest);
        let ranked = pool(&[vectors, list("text", 0.0, &[("c", 1.0)])]);
        assert_eq!(ranked[1].score, ranked[2].score);
    }

    #[test]
    fn a_list_of_a_few_gives_no_more_than_its_weight() {
        let words: Vec<(String, f64)> = (0..200)
            .map(|n| (format!("d{n:03}"), 200.0 - f64::from(n)))
            .collect();
        let words: Vec<(&str, f64)> = words
            .iter()
            .map(|(id, score)| (id.as_str(), *score))
            .collect();
        let mut few = list("fact", 0.5, &[("d150", 8.0), ("d151", 4.0), ("new", 2.0)]);
        few.scale = Scale::ShareOfBest;
        let ranked = pool(&[list("text", 1.0, &words), few]);
        let part = |id: &str| {
            let candidate = ranked
                .iter()
                .find(|candidate| candidate.key.id == id)
                .unwrap();
            candidate.parts.get("fact").copied()
        };
        assert_eq!(
            (part("d150"), part("d151"), part("new")),
            (Some(0.5), Some(0.25), Some(0.125))
        );
        assert_eq!(part("d000"), None);
    }

    #[test]
    fn scores_that_say_nothing_are_no_nan() {
        assert!(pool(&[]).is_empty());
        let ranked = pool(&[list("text", 1.0, &[("a", 0.0), ("b", 0.0)])]);
        assert!(ranked.iter().all(|candidate| candidate.score == 0.0));
    }
}
