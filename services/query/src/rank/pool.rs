//! The candidate pool: all that any list holds, each list's scores z-normalised over the pool and
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
    /// What one deviation above the mean is worth.
    pub weight: f64,
    /// What others score here.
    pub missing: Missing,
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

/// All that the lists hold, ranked by the weighted sum of z-scores.
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
        for (candidate, z) in candidates.iter_mut().zip(z_scores(list, &places)) {
            candidate.add(list.name, list.weight * z);
        }
    }
    rank(&mut candidates);
    candidates
}

/// The z-score of every candidate in a list.
///
/// The pool counts one document more, which matches nothing: without it a lone hit, or hits that
/// are all equally good, would be no better than average. Among hundreds it changes nothing.
fn z_scores(list: &ScoredList, places: &HashMap<&Key, usize>) -> Vec<f64> {
    let lowest = list.hits.iter().map(|(_, score)| *score);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    let missing = match list.missing {
        Missing::Lowest if lowest.is_finite() => lowest,
        _ => 0.0,
    };
    let mut scores = vec![missing; places.len()];
    for (key, score) in &list.hits {
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
            missing: Missing::Zero,
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
        vectors.missing = Missing::Lowest;
        let ranked = pool(&[vectors, list("text", 0.0, &[("c", 1.0)])]);
        assert_eq!(ranked[1].score, ranked[2].score);
    }

    #[test]
    fn scores_that_say_nothing_are_no_nan() {
        assert!(pool(&[]).is_empty());
        let ranked = pool(&[list("text", 1.0, &[("a", 0.0), ("b", 0.0)])]);
        assert!(ranked.iter().all(|candidate| candidate.score == 0.0));
    }
}
