//! The best of what was scored: greatest score first, ties in order of id. What a search does not
//! see is left out before the limit, and is looked at only as far as the limit asks.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::passing::Passing;
use super::row::DocumentId;
use super::shelf::Shelf;
use crate::StoreError;

/// How many times the limit is kept at first: enough for the usual time view and filter.
const KEPT: usize = 4;

#[derive(Clone, Copy)]
struct Scored {
    score: f32,
    slot: u32,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| other.slot.cmp(&self.slot))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scored {}

/// A document that was found.
pub(in crate::embedded) struct Found {
    pub slot: u32,
    pub id: DocumentId,
    pub score: f32,
}

/// The best `limit` documents of a shelf.
pub(in crate::embedded) fn best(
    scored: impl Iterator<Item = (u32, f32)> + Clone,
    shelf: &Shelf,
    passing: &Passing<'_>,
    limit: usize,
) -> Result<Vec<Found>, StoreError> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let all = || scored.clone().map(|(slot, score)| Scored { score, slot });
    let (kept, least_left_out) = keep(all(), limit.saturating_mul(KEPT));
    let found = first(kept, shelf, passing, limit)?;
    // What was left out is not missed when all that fits is better.
    let enough = found.len() >= limit && found.last().map(|last| last.score) > least_left_out;
    if least_left_out.is_none() || enough {
        return Ok(found);
    }
    first(all().collect(), shelf, passing, limit)
}

/// The best `count` or some more, and the greatest score of those left out, if any were.
fn keep(scored: impl Iterator<Item = Scored>, count: usize) -> (Vec<Scored>, Option<f32>) {
    let count = count.max(64);
    let mut kept: Vec<Scored> = Vec::with_capacity(2 * count);
    let mut left_out = None;
    for one in scored {
        if left_out.is_some_and(|score| one.score <= score) {
            continue;
        }
        kept.push(one);
        if kept.len() == 2 * count {
            let (_, best_left_out, _) = kept.select_nth_unstable_by(count, |a, b| b.cmp(a));
            left_out = Some(best_left_out.score);
            kept.truncate(count);
        }
    }
    (kept, left_out)
}

fn first(
    scored: Vec<Scored>,
    shelf: &Shelf,
    passing: &Passing<'_>,
    limit: usize,
) -> Result<Vec<Found>, StoreError> {
    let mut heap = BinaryHeap::from(scored);
    let mut best: Vec<Found> = Vec::new();
    while let Some(Scored { score, slot }) = heap.pop() {
        // All with the last score that fits are gathered, since their order is that of their ids.
        if best.len() >= limit && best.last().is_none_or(|last| last.score > score) {
            break;
        }
        if let Some(entry) = shelf.get(slot)
            && passing.passes(entry)?
        {
            let id = entry.id.clone();
            best.push(Found { slot, id, score });
        }
    }
    sort(&mut best, limit);
    Ok(best)
}

/// Greatest score first, ties in order of id; the first `limit` of them.
pub(in crate::embedded) fn sort(found: &mut Vec<Found>, limit: usize) {
    found.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.id.cmp(&b.id))
    });
    found.truncate(limit);
}

/// Joins the hits of several groups; `rank` gives what they are ordered by: score, id, group.
pub(in crate::embedded) fn merge<H>(
    hits: &mut Vec<H>,
    limit: usize,
    rank: impl for<'h> Fn(&'h H) -> (f32, &'h str, &'h str),
) {
    hits.sort_by(|a, b| {
        let ((score_a, id_a, group_a), (score_b, id_b, group_b)) = (rank(a), rank(b));
        let by_score = score_b.total_cmp(&score_a);
        by_score.then_with(|| (id_a, group_a).cmp(&(id_b, group_b)))
    });
    hits.truncate(limit);
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_is_left_out_is_no_better_than_what_is_kept(
            scores in proptest::collection::vec(0u8..20, 0..400),
            count in 0usize..100,
        ) {
            let scored = scores.iter().zip(0u32..).map(|(score, slot)| Scored {
                score: f32::from(*score),
                slot,
            });
            let (kept, left_out) = keep(scored.clone(), count);
            proptest::prop_assert!(kept.len() >= count.min(scores.len()));
            proptest::prop_assert_eq!(left_out.is_some(), kept.len() < scores.len());
            let mut all: Vec<Scored> = scored.collect();
            all.sort_by(|a, b| b.cmp(a));
            if let Some(left_out) = left_out {
                let better = |scored: &&Scored| scored.score > left_out;
                let expected = all.iter().filter(better).count();
                proptest::prop_assert_eq!(kept.iter().filter(better).count(), expected);
            }
        }
    }
}
