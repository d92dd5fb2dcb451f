//! Who holds when. In a slot, evidence covers from its start to the first of: its stated end; an end
//! said of its fact; the start of the next open evidence for another fact (the world moved on, and
//! doesn't go back when that one ends). Where several cover an instant the greatest start wins, and
//! among equal starts the later in the log.
//!
//! In a slot of a `many` relation there is one fact only, so this is the union of what covers.

use std::cell::RefCell;
use std::collections::BinaryHeap;
use std::rc::Rc;

use mneme_model::{FactId, Instant, Interval, Precision, TimePoint};
use mneme_stage::{GroupRows, StageError, decode_row, read_row};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::evidence::Evidence;
use crate::keys;

/// A part of a window in which one fact holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// When.
    pub interval: Interval,
    /// The evidence that wins at its start.
    pub evidence: Evidence,
}

/// The evidence that decides about a window of a slot.
#[derive(Debug, Default)]
pub struct Neighbourhood {
    /// What may hold, each with the instant at which it stops to cover.
    covering: Vec<(Evidence, Option<Instant>)>,
    /// The instants that something begins or ends at, and how exactly they were told.
    boundaries: Vec<TimePoint>,
}

/// Reads the rows of a key range as values.
fn values<'r, T: DeserializeOwned + 'r>(
    rows: &'r dyn GroupRows,
    from: &[u8],
    until: &[u8],
) -> impl Iterator<Item = Result<T, StageError>> + 'r {
    let found = rows.range(from, until);
    found.map(|(_, value)| decode_row(&value))
}

/// The first open evidence of a slot after a rank.
pub fn next_open(
    rows: &dyn GroupRows,
    slot: Uuid,
    rank: (Instant, i64),
) -> Result<Option<Evidence>, StageError> {
    let from = keys::open(slot, rank.0, rank.1.saturating_add(1), Uuid::nil());
    let until = mneme_stage::prefix_end(&keys::key(b'o', &[slot.as_bytes()]));
    values(rows, &from, &until).next().transpose()
}

/// The last open evidence of a slot that starts at or before an instant.
fn open_at(rows: &dyn GroupRows, slot: Uuid, at: Instant) -> Result<Option<Evidence>, StageError> {
    let from = keys::key(b'o', &[slot.as_bytes()]);
    let until = keys::open(slot, at, i64::MAX, Uuid::max());
    let last = rows.range_back(&from, &until).next();
    last.map(|(_, value)| decode_row(&value)).transpose()
}

/// The first end that closes the evidence.
fn first_end(
    rows: &dyn GroupRows,
    slot: Uuid,
    evidence: &Evidence,
) -> Result<Option<Evidence>, StageError> {
    let (start, order) = evidence.rank();
    let from = keys::end(
        slot,
        evidence.fact_id,
        start,
        order.saturating_add(1),
        Uuid::nil(),
    );
    let until = mneme_stage::prefix_end(&keys::key(
        b'm',
        &[slot.as_bytes(), evidence.fact_id.as_bytes()],
    ));
    values(rows, &from, &until).next().transpose()
}

impl Neighbourhood {
    /// Gathers the evidence that decides about a window.
    ///
    /// Of the open evidence that starts before the window only the last counts: it has cut what
    /// conflicts with it, and outranks what does not. Closed evidence before that one is cut or
    /// outranked the same way; what is older than the longest closed period is over.
    fn gather(rows: &dyn GroupRows, slot: Uuid, window: &Interval) -> Result<Self, StageError> {
        let base = open_at(rows, slot, window.start)?;
        // None where the slot has never seen a closed period.
        let longest: Option<i64> = read_row(rows, &keys::longest_closed(slot))?;
        let back = longest.unwrap_or(0);
        let reach = Instant::from_micros(window.start.as_micros().saturating_sub(back));
        let slot_end = |first| mneme_stage::prefix_end(&keys::key(first, &[slot.as_bytes()]));
        let until = |first: fn(Uuid, Instant, i64, Uuid) -> Vec<u8>, last: u8| match window.end {
            Some(end) => first(slot, end, i64::MIN, Uuid::nil()),
            None => slot_end(last),
        };
        let closed_from = match &base {
            Some(base) if reach < base.start.at => {
                keys::closed(slot, base.start.at, base.order, Uuid::nil())
            }
            _ => keys::closed(slot, reach, i64::MIN, Uuid::nil()),
        };
        let opens_from = keys::open(slot, window.start, i64::MAX, Uuid::max());

        let mut evidence: Vec<Evidence> = base.into_iter().collect();
        for found in values(rows, &opens_from, &until(keys::open, b'o')) {
            evidence.push(found?);
        }
        let opens = evidence.clone();
        if longest.is_some() {
            for found in values(rows, &closed_from, &until(keys::closed, b'k')) {
                evidence.push(found?);
            }
        }
        evidence.sort_by_key(Evidence::rank);
        // What follows the window cuts nothing inside it, but says how exact its end is.
        let after = window
            .end
            .map(|end| open_at(rows, slot, end))
            .transpose()?
            .flatten();
        let mut gathered = Self::default();
        gathered.boundaries.extend(after.map(|after| after.start));
        for evidence in evidence {
            gathered.add(rows, slot, &opens, evidence)?;
        }
        Ok(gathered)
    }

    fn add(
        &mut self,
        rows: &dyn GroupRows,
        slot: Uuid,
        opens: &[Evidence],
        evidence: Evidence,
    ) -> Result<(), StageError> {
        let said = first_end(rows, slot, &evidence)?.map(|end| end.start);
        let next = opens
            .iter()
            .filter(|open| open.rank() > evidence.rank() && open.fact_id != evidence.fact_id)
            .map(|open| open.start)
            .min_by_key(|start| start.at);
        let ends = [evidence.end, said, next].into_iter().flatten();
        let end = ends.clone().map(|end| end.at).min();
        self.boundaries.push(evidence.start);
        self.boundaries.extend(ends);
        self.covering.push((evidence, end));
        Ok(())
    }

    /// The pieces of the window in order; between them nothing holds.
    pub fn pieces(&self, window: &Interval) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut waiting = self.covering.iter().peekable();
        let mut active: BinaryHeap<Active> = BinaryHeap::new();
        let mut now = window.start;
        loop {
            while let Some((evidence, end)) =
                waiting.next_if(|(evidence, _)| evidence.start.at <= now)
            {
                active.push(Active {
                    evidence: *evidence,
                    end: *end,
                });
            }
            while active
                .peek()
                .is_some_and(|top| top.end.is_some_and(|end| end <= now))
            {
                active.pop();
            }
            let next_start = waiting.peek().map(|(evidence, _)| evidence.start.at);
            let Some(winner) = active.peek() else {
                match next_start {
                    Some(next) if window.end.is_none_or(|end| next < end) => now = next,
                    _ => return pieces,
                }
                continue;
            };
            let end = [winner.end, next_start, window.end]
                .into_iter()
                .flatten()
                .min();
            match pieces.last_mut() {
                Some(last)
                    if last.evidence.fact_id == winner.evidence.fact_id
                        && last.interval.end == Some(now) =>
                {
                    last.interval.end = end;
                }
                _ => pieces.push(Piece {
                    interval: Interval::new(now, end),
                    evidence: winner.evidence,
                }),
            }
            match end {
                Some(end) if window.end.is_none_or(|window_end| end < window_end) => now = end,
                _ => return pieces,
            }
        }
    }

    /// How exactly an instant at which something begins or ends was told.
    pub fn precision_at(&self, at: Instant) -> Option<Precision> {
        self.boundaries
            .iter()
            .find(|point| point.at == at)
            .map(|point| point.precision)
    }

    /// The facts that have a piece.
    pub fn facts(pieces: &[Piece]) -> impl Iterator<Item = FactId> + '_ {
        pieces.iter().map(|piece| piece.evidence.fact_id)
    }
}

/// The neighbourhoods that a settlement has gathered: those of a slot serve each fact that has a
/// piece in it.
pub struct Neighbourhoods<'r> {
    rows: &'r dyn GroupRows,
    gathered: RefCell<Vec<(Uuid, Interval, Rc<Neighbourhood>)>>,
}

impl<'r> Neighbourhoods<'r> {
    /// None is gathered yet. The rows stay as they are meanwhile.
    pub fn new(rows: &'r dyn GroupRows) -> Self {
        Self {
            rows,
            gathered: RefCell::default(),
        }
    }

    /// The evidence that decides about a window of a slot.
    pub fn get(&self, slot: Uuid, window: &Interval) -> Result<Rc<Neighbourhood>, StageError> {
        let mut gathered = self.gathered.borrow_mut();
        let known = gathered
            .iter()
            .find(|known| known.0 == slot && known.1 == *window);
        if let Some((_, _, neighbourhood)) = known {
            return Ok(Rc::clone(neighbourhood));
        }
        let neighbourhood = Rc::new(Neighbourhood::gather(self.rows, slot, window)?);
        gathered.push((slot, *window, Rc::clone(&neighbourhood)));
        Ok(neighbourhood)
    }
}

/// Evidence that covers the instant of a sweep; the greatest rank is on top.
struct Active {
    evidence: Evidence,
    end: Option<Instant>,
}

impl PartialEq for Active {
    fn eq(&self, other: &Self) -> bool {
        self.evidence.rank() == other.evidence.rank()
    }
}

impl Eq for Active {}

impl PartialOrd for Active {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Active {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.evidence.rank().cmp(&other.evidence.rank())
    }
}
