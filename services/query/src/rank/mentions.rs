//! Episode mentions: what more episodes speak of comes first; equally often mentioned stays in the
//! order of evidence.
//!
//! Good for "what is known of …", where what is said again and again matters; bad for one odd
//! detail, which is why it is asked for and not the default.

use std::collections::HashMap;

use super::{Candidate, Key};

/// Orders ranked candidates by how many episodes mention each. The score becomes that number.
pub fn by_mentions(candidates: Vec<Candidate>, mentions: &HashMap<Key, usize>) -> Vec<Candidate> {
    let mut ordered: Vec<Candidate> = candidates
        .into_iter()
        .map(|mut candidate| {
            let count = mentions.get(&candidate.key).copied().unwrap_or_default();
            candidate.parts.clear();
            candidate.score = 0.0;
            candidate.add("episode_mentions", count as f64);
            candidate
        })
        .collect();
    // Stable: what is equal keeps its order.
    ordered.sort_by(|a, b| b.score.total_cmp(&a.score));
    ordered
}

#[cfg(test)]
mod tests {
    use super::super::pool::tests::{key, order};
    use super::*;

    #[test]
    fn often_mentioned_first_and_else_as_before() {
        let candidates = ["a", "b", "c", "d"].map(|id| Candidate::new(key(id)));
        let mentions = HashMap::from([(key("b"), 2), (key("d"), 5), (key("c"), 2)]);
        let ordered = by_mentions(candidates.to_vec(), &mentions);
        assert_eq!(order(&ordered), ["d", "b", "c", "a"]);
        assert_eq!(ordered[0].parts["episode_mentions"], 5.0);
    }
}
