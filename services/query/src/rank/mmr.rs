//! Maximal marginal relevance: the next result is the one that is relevant and says something new.
//!
//! Relevance is the evidence score, scaled to 0…1 over the pool, so that words still count and not
//! only vectors; redundancy is the greatest cosine with what was taken already. Source of the idea:
//! Carbonell and Goldstein, 1998.

use serde::{Deserialize, Serialize};

use super::Candidate;

/// How relevance and novelty are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MmrSettings {
    /// The weight of relevance, from 0 (only novelty) to 1 (only relevance).
    pub lambda: f64,
}

impl Default for MmrSettings {
    fn default() -> Self {
        Self { lambda: 0.5 }
    }
}

/// Takes the `limit` best by marginal relevance. `vectors` go with the candidates, in their order;
/// one without a vector resembles nothing.
pub fn diversify(
    candidates: Vec<Candidate>,
    vectors: &[Option<Vec<f32>>],
    limit: usize,
    settings: &MmrSettings,
) -> Vec<Candidate> {
    let relevance = scaled(&candidates);
    let mut redundancy = vec![0.0_f64; candidates.len()];
    let mut open: Vec<usize> = (0..candidates.len()).collect();
    let mut taken = Vec::new();
    while taken.len() < limit && !open.is_empty() {
        let marginal = |&place: &usize| {
            settings.lambda * relevance[place] - (1.0 - settings.lambda) * redundancy[place]
        };
        let best = open
            .iter()
            .enumerate()
            .max_by(|(i, a), (j, b)| {
                let order = marginal(a).total_cmp(&marginal(b));
                order.then_with(|| j.cmp(i))
            })
            .map(|(index, _)| index);
        let Some(best) = best else { break };
        let place = open.remove(best);
        let mut candidate = candidates[place].clone();
        candidate.parts.clear();
        candidate.score = 0.0;
        candidate.add("relevance", settings.lambda * relevance[place]);
        candidate.add("redundancy", -(1.0 - settings.lambda) * redundancy[place]);
        taken.push(candidate);
        for &other in &open {
            let similar = cosine(vectors.get(place), vectors.get(other));
            redundancy[other] = redundancy[other].max(similar);
        }
    }
    taken
}

/// The scores from 0 (the lowest) to 1 (the highest).
fn scaled(candidates: &[Candidate]) -> Vec<f64> {
    let scores = || candidates.iter().map(|candidate| candidate.score);
    let low = scores().fold(f64::INFINITY, f64::min);
    let high = scores().fold(f64::NEG_INFINITY, f64::max);
    let span = high - low;
    scores()
        .map(|score| {
            if span > 0.0 {
                (score - low) / span
            } else {
                1.0
            }
        })
        .collect()
}

fn cosine(left: Option<&Option<Vec<f32>>>, right: Option<&Option<Vec<f32>>>) -> f64 {
    match (left, right) {
        (Some(Some(left)), Some(Some(right))) => {
            let product: f32 = left.iter().zip(right).map(|(a, b)| a * b).sum();
            f64::from(product).max(0.0)
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::pool::tests::{key, order};
    use super::*;

    fn candidate(id: &str, score: f64) -> Candidate {
        let mut candidate = Candidate::new(key(id));
        candidate.add("text", score);
        candidate
    }

    #[test]
    fn a_repetition_steps_back() {
        let candidates = vec![
            candidate("a", 3.0),
            candidate("again", 2.9),
            candidate("b", 1.5),
        ];
        let vectors = [
            Some(vec![1.0, 0.0]),
            Some(vec![1.0, 0.0]),
            Some(vec![0.0, 1.0]),
        ];
        let settings = MmrSettings::default();
        let taken = diversify(candidates.clone(), &vectors, 3, &settings);
        assert_eq!(order(&taken), ["a", "b", "again"]);
        let all_relevance = MmrSettings { lambda: 1.0 };
        let taken = diversify(candidates, &vectors, 2, &all_relevance);
        assert_eq!(order(&taken), ["a", "again"]);
    }

    #[test]
    fn without_vectors_the_order_stays() {
        let candidates = vec![
            candidate("a", 3.0),
            candidate("b", 2.0),
            candidate("c", 2.0),
        ];
        let taken = diversify(candidates, &[None, None, None], 5, &MmrSettings::default());
        assert_eq!(order(&taken), ["a", "b", "c"]);
    }
}
