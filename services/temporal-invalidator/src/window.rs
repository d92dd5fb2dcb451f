//! The part of time that a change of evidence can touch.
//!
//! - Open evidence, come or gone: from its start to that of the next open evidence. From there on the
//!   next one covers or has cut all that this one covered or cut.
//! - Closed evidence: its own period.
//! - An end: from its instant to the start of the next open evidence, which covers again or has cut.

use mneme_model::{Instant, Interval};
use mneme_stage::{GroupRows, StageError};
use uuid::Uuid;

use crate::evidence::{Change, Form};
use crate::timeline::next_open;

/// The window of a change in one of its slots; `None` when it can touch nothing.
pub fn window_of(
    rows: &dyn GroupRows,
    slot: Uuid,
    change: &Change,
) -> Result<Option<Interval>, StageError> {
    let evidence = &change.evidence;
    let end: Option<Instant> = match (change.form, evidence.end) {
        (Form::Closed, Some(end)) => Some(end.at),
        _ => next_open(rows, slot, evidence.rank())?.map(|next| next.start.at),
    };
    let window = Interval::new(evidence.start.at, end);
    Ok((!window.is_empty()).then_some(window))
}

/// The same instants as disjoint windows in order.
pub fn disjoint(mut windows: Vec<Interval>) -> Vec<Interval> {
    windows.sort_by_key(|window| window.start);
    let mut joined: Vec<Interval> = Vec::with_capacity(windows.len());
    for window in windows {
        match joined.last_mut() {
            Some(last) if last.touches(&window) => {
                last.end = match (last.end, window.end) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    _ => None,
                };
            }
            _ => joined.push(window),
        }
    }
    joined
}
