//! The episodes of a group in the order of their threads: by thread, reference time, position in the
//! log. A late episode stands where it belongs, not where it arrived.
//!
//! - The window of an episode is itself and its neighbours in its thread, one on each side.
//! - A session is a part of a thread without a gap of [`SESSION_GAP_MICROS`] or more.
//! - An episode without a thread has no neighbours and is a session of its own.
//!
//! A rank is a place in this order.

use super::row::Attributes;
use super::shelf::Shelf;

/// Six hours: a conversation that goes on after a night is another one.
const SESSION_GAP_MICROS: i64 = 6 * 3600 * 1_000_000;

/// The order, and what scores need of windows and sessions.
#[derive(Debug, Default)]
pub(in crate::embedded) struct ThreadOrder {
    /// The rank of each slot; [`Self::NO_RANK`] where there is no episode.
    ranks: Vec<u32>,
    slots: Vec<u32>,
    /// Whether the episode before is its neighbour.
    follows: Vec<bool>,
    sessions: Vec<u32>,
    window_lengths: Vec<f32>,
    session_lengths: Vec<f32>,
}

impl ThreadOrder {
    const NO_RANK: u32 = u32::MAX;

    pub(super) fn of(shelf: &Shelf) -> Self {
        let mut episodes: Vec<_> = shelf
            .iter()
            .filter_map(|(slot, entry)| match &entry.attributes {
                Attributes::Episode(episode) => Some((
                    episode.thread_id.as_ref().map(|thread| thread.as_str()),
                    episode.reference_time,
                    episode.position,
                    slot,
                    entry.length,
                )),
                _ => None,
            })
            .collect();
        episodes.sort_unstable();
        let mut order = Self {
            ranks: vec![Self::NO_RANK; shelf.slots()],
            ..Self::default()
        };
        let mut former = None;
        for (rank, (thread, time, _, slot, length)) in (0u32..).zip(&episodes) {
            let gap = former
                .filter(|(former_thread, _)| thread.is_some() && former_thread == thread)
                .map(|(_, former_time)| time.as_micros().saturating_sub(former_time));
            if gap.is_none_or(|gap| gap >= SESSION_GAP_MICROS) {
                order.session_lengths.push(0.0);
            }
            let session = order.session_lengths.len().saturating_sub(1);
            if let Some(total) = order.session_lengths.last_mut() {
                *total += *length as f32;
            }
            order.sessions.push(session as u32);
            order.follows.push(gap.is_some());
            order.slots.push(*slot);
            if let Some(place) = order.ranks.get_mut(*slot as usize) {
                *place = rank;
            }
            former = Some((*thread, time.as_micros()));
        }
        order.window_lengths = (0..episodes.len() as u32)
            .map(|rank| {
                let lengths = order.window(rank).map(|rank| episodes[rank as usize].4);
                lengths.map(|length| length as f32).sum()
            })
            .collect();
        order
    }

    /// How many episodes there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The rank of the episode in a slot.
    #[inline]
    pub fn rank(&self, slot: u32) -> Option<u32> {
        let rank = self.ranks.get(slot as usize).copied();
        rank.filter(|&rank| rank != Self::NO_RANK)
    }

    /// The slot of the episode at a rank.
    pub fn slot(&self, rank: u32) -> Option<u32> {
        self.slots.get(rank as usize).copied()
    }

    /// The slots of the episodes, by rank.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The ranks of the window of an episode; each of them has that episode in its own window.
    #[inline]
    pub fn window(&self, rank: u32) -> std::ops::RangeInclusive<u32> {
        let follows = |rank: u32| self.follows.get(rank as usize).copied().unwrap_or(false);
        let first = if follows(rank) { rank - 1 } else { rank };
        let last = if follows(rank + 1) { rank + 1 } else { rank };
        first..=last
    }

    /// The session of the episode at a rank.
    #[inline]
    pub fn session(&self, rank: u32) -> u32 {
        self.sessions.get(rank as usize).copied().unwrap_or(0)
    }

    /// Whether the episode at each rank has the one before as its neighbour.
    pub fn follows(&self) -> &[bool] {
        &self.follows
    }

    /// The words of each window, by rank.
    pub fn window_lengths(&self) -> &[f32] {
        &self.window_lengths
    }

    /// The words of each session.
    pub fn session_lengths(&self) -> &[f32] {
        &self.session_lengths
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mneme_model::{EpisodeId, Instant, Source, ThreadId};

    use super::*;
    use crate::embedded::documents::row::{DocumentId, EpisodeAttributes};

    fn shelf(episodes: &[(Option<&str>, i64, u64, u32)]) -> Shelf {
        let mut shelf = Shelf::default();
        for (slot, (thread, hours, position, length)) in (0u32..).zip(episodes) {
            let attributes = Attributes::Episode(EpisodeAttributes {
                thread_id: thread.map(|thread| ThreadId::new(thread).unwrap()),
                reference_time: Instant::from_micros(hours * 3_600_000_000),
                position: *position,
                source: Source::Message,
                metadata: BTreeMap::new(),
            });
            let id = DocumentId::Episode(EpisodeId::new(format!("e{slot}")).unwrap());
            shelf.put(slot, id, *length, attributes);
        }
        shelf
    }

    fn window(order: &ThreadOrder, slot: u32) -> Vec<u32> {
        let rank = order.rank(slot).unwrap();
        order
            .window(rank)
            .map(|rank| order.slot(rank).unwrap())
            .collect()
    }

    #[test]
    fn a_late_episode_stands_where_it_belongs() {
        let order = ThreadOrder::of(&shelf(&[
            (Some("t"), 1, 1, 10),
            (Some("t"), 3, 2, 20),
            (Some("t"), 2, 3, 40),
            (Some("t"), 3, 4, 80),
        ]));
        assert_eq!(window(&order, 0), [0, 2]);
        assert_eq!(window(&order, 2), [0, 2, 1]);
        assert_eq!(window(&order, 1), [2, 1, 3]);
        assert_eq!(order.window_lengths(), [50.0, 70.0, 140.0, 100.0]);
    }

    #[test]
    fn a_session_ends_with_a_gap_of_six_hours() {
        let order = ThreadOrder::of(&shelf(&[
            (Some("t"), 0, 1, 1),
            (Some("t"), 5, 2, 2),
            (Some("t"), 11, 3, 4),
            (Some("u"), 12, 4, 8),
            (None, 12, 5, 16),
            (None, 12, 6, 32),
        ]));
        let session = |slot| order.session(order.rank(slot).unwrap());
        assert_eq!(session(0), session(1));
        let distinct: std::collections::BTreeSet<_> = (1..6).map(session).collect();
        assert_eq!(distinct.len(), 5);
        assert_eq!(order.session_lengths()[session(0) as usize], 3.0);
        // A gap ends a session, and neighbours stay neighbours.
        assert_eq!(window(&order, 2), [1, 2]);
        assert_eq!(window(&order, 4), [4]);
    }

    #[test]
    fn a_shelf_follows_what_is_put_and_removed() {
        let mut shelf = shelf(&[(Some("t"), 0, 1, 5), (Some("t"), 1, 2, 7)]);
        let bytes = shelf.bytes();
        assert_eq!((shelf.count(), shelf.total_length()), (2, 12));
        assert_eq!(shelf.order().len(), 2);
        let entry = shelf.get(1).unwrap().clone();
        shelf.remove(1);
        assert_eq!((shelf.count(), shelf.total_length()), (1, 5));
        assert_eq!(shelf.order().window_lengths(), [5.0]);
        shelf.put(1, entry.id, entry.length, entry.attributes);
        assert_eq!((shelf.count(), shelf.bytes()), (2, bytes));
    }
}
