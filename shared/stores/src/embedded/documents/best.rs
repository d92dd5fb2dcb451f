//! The best of what was scored: greatest score first, ties in order of id. What a search does not
//! see is left out before the limit, and is looked at only as far as the limit asks.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::passing::Passing;
use super::row::DocumentId;
use super::shelf::Shelf;
use crate::StoreError;

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
    scored: impl Iterator<Item = (u32, f32)>,
    shelf: &Shelf,
    passing: &Passing<'_>,
    limit: usize,
) -> Result<Vec<Found>, StoreError> {
    let scored: Vec<_> = scored.map(|(slot, score)| Scored { score, slot }).collect();
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

/// Joins the hits of several groups; `rank` gives what they are ordered by.
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
