//! Node distance: what is nearer to the centre in the graph comes first; equally near stays in the
//! order of evidence, and what can't be reached comes last.

use std::collections::HashMap;

use super::{Candidate, Key};

/// Orders ranked candidates by their distance from the centre (0 is the centre itself). The score
/// becomes `1 / (1 + distance)`, 0 for what was not reached.
pub fn by_distance(candidates: Vec<Candidate>, distances: &HashMap<Key, u32>) -> Vec<Candidate> {
    let mut ordered: Vec<Candidate> = candidates
        .into_iter()
        .map(|mut candidate| {
            candidate.parts.clear();
            candidate.score = 0.0;
            if let Some(distance) = distances.get(&candidate.key) {
                candidate.add("node_distance", nearness(*distance));
            }
            candidate
        })
        .collect();
    // Stable: what is equal keeps its order.
    ordered.sort_by(|a, b| b.score.total_cmp(&a.score));
    ordered
}

/// How near a distance is, from 1 down.
pub fn nearness(distance: u32) -> f64 {
    1.0 / (1.0 + f64::from(distance))
}

#[cfg(test)]
mod tests {
    use super::super::pool::tests::{key, order};
    use super::*;

    #[test]
    fn near_first_and_what_is_not_reached_last() {
        let candidates = ["far", "never", "near", "near too"].map(|id| Candidate::new(key(id)));
        let distances = HashMap::from([(key("far"), 3), (key("near"), 1), (key("near too"), 1)]);
        let ordered = by_distance(candidates.to_vec(), &distances);
        assert_eq!(order(&ordered), ["near", "near too", "far", "never"]);
        assert_eq!(ordered[0].score, 0.5);
        assert_eq!(ordered[3].score, 0.0);
    }
}
