//! Times that come again: a weekday, a date without a year, an hour of the day. The library gives
//! the next ones; the one before is as far back as they lie apart.

use chrono::{Days, Months, NaiveDateTime};
use mneme_model::Instant;

use super::Prefer;

/// How far to go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Stay,
    Days(u64),
    Months(u32),
}

/// The step from the first of the coming occurrences to the last that is past, where that is wanted
/// and they come at regular distances.
pub(super) fn step_back(occurrences: &[NaiveDateTime], reference: Instant, prefer: Prefer) -> Step {
    let [first, second, ..] = occurrences else {
        return Step::Stay;
    };
    let reference = reference.as_micros();
    if prefer != Prefer::Past || first.and_utc().timestamp_micros() <= reference {
        return Step::Stay;
    }
    match (*second - *first).num_days() {
        1 => Step::Days(1),
        7 => Step::Days(7),
        28..=31 => Step::Months(1),
        365 | 366 => Step::Months(12),
        1460 | 1461 => Step::Months(48),
        _ => Step::Stay,
    }
}

/// A time moved by a step; `None` outside of the calendar.
pub(super) fn shifted(time: NaiveDateTime, step: Step) -> Option<NaiveDateTime> {
    match step {
        Step::Stay => Some(time),
        Step::Days(days) => time.checked_sub_days(Days::new(days)),
        Step::Months(months) => time.checked_sub_months(Months::new(months)),
    }
}
