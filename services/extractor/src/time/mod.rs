//! Time expressions in text: "yesterday", "since May 2021", "on 3 March at 9". The same text with
//! the same reference gives the same times; a time is the first instant of what was named, in UTC,
//! and its precision is what was named.
//!
//! The reading is the `duckling` crate's; what is added is the direction: a weekday or a date
//! without a year lies in the future for that crate, but in the past of "I met her on Monday".

mod cheap;
mod language;
mod recurrence;

use std::ops::Range;

use chrono::{DateTime, NaiveDateTime};
use duckling::{Context, DimensionKind, DimensionValue, Entity, Grain, Locale, Options, TimeValue};
use mneme_model::{Instant, Precision, TimePoint};

pub use cheap::has_time_expression;
pub use language::Language;

/// Which of the times that an expression may mean is taken: "on Monday" is the last one or the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Prefer {
    /// The last one before the reference.
    Past,
    /// The next one after the reference.
    Future,
    /// What the expression itself suggests; the next one where it suggests nothing.
    #[default]
    None,
}

/// A time expression in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeExpression {
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// The time named, or the first of a span of time; `None` for "until May".
    pub start: Option<TimePoint>,
    /// The end of a span of time, the first instant that is not of it; `None` for a single time and
    /// for "since May".
    pub end: Option<TimePoint>,
    /// Whether a span of time was named ("from May to June", "until May", "since May"), or a single
    /// time ("in May").
    pub is_span: bool,
}

/// The time expressions of a text, in order, none overlapping another.
pub fn read_times(
    text: &str,
    reference: Instant,
    language: Language,
    prefer: Prefer,
) -> Vec<TimeExpression> {
    let Some(moment) = DateTime::from_timestamp_micros(reference.as_micros()) else {
        return Vec::new();
    };
    let locale = Locale::new(language.lang(), None);
    let context = Context::new(moment.fixed_offset(), locale);
    let options = Options { with_latent: false };
    let found = duckling::parse(text, &locale, &[DimensionKind::Time], &context, &options);
    let mut expressions: Vec<_> = found
        .into_iter()
        .filter_map(|entity| expression(entity, reference, prefer))
        .collect();
    expressions.sort_by_key(|expression| expression.span.start);
    expressions
}

/// Reads a text that is one time: RFC 3339, a day, month or year, or an expression in a language.
/// `None` where anything else stands in it.
pub fn read_time(
    text: &str,
    reference: Instant,
    language: Language,
    prefer: Prefer,
) -> Option<TimePoint> {
    let text = text.trim();
    if let Ok(point) = TimePoint::parse(text) {
        return Some(point);
    }
    let expressions = read_times(text, reference, language, prefer);
    let [expression] = expressions.as_slice() else {
        return None;
    };
    let is_whole = expression.span.len() + "the ".len() >= text.len();
    is_whole.then_some(expression.start).flatten()
}

fn expression(entity: Entity, reference: Instant, prefer: Prefer) -> Option<TimeExpression> {
    let span = entity.start..entity.end;
    let DimensionValue::Time(value) = entity.value else {
        return None;
    };
    match value {
        TimeValue::Single { value, values, .. } => {
            let occurrences: Vec<_> = values.iter().map(naive).collect();
            let back = recurrence::step_back(&occurrences, reference, prefer);
            Some(TimeExpression {
                span,
                start: Some(point(&value, back)?),
                end: None,
                is_span: false,
            })
        }
        TimeValue::Interval {
            from, to, values, ..
        } => {
            let occurrences: Vec<_> = values
                .iter()
                .filter_map(|ends| ends.from.as_ref().or(ends.to.as_ref()).map(naive))
                .collect();
            let back = recurrence::step_back(&occurrences, reference, prefer);
            let read = |end: &Option<duckling::TimePoint>| match end {
                Some(end) => point(end, back).map(Some),
                None => Some(None),
            };
            Some(TimeExpression {
                span,
                start: read(&from)?,
                end: read(&to)?,
                is_span: true,
            })
        }
    }
}

fn point(time: &duckling::TimePoint, back: recurrence::Step) -> Option<TimePoint> {
    let at = recurrence::shifted(naive(time), back)?;
    Some(TimePoint {
        at: Instant::from_micros(at.and_utc().timestamp_micros()),
        precision: precision(time.grain()),
    })
}

/// Wall-clock times carry no zone and are read as UTC.
fn naive(time: &duckling::TimePoint) -> NaiveDateTime {
    match time {
        duckling::TimePoint::Instant { value, .. } => value.naive_utc(),
        duckling::TimePoint::Naive { value, .. } => *value,
    }
}

fn precision(grain: Grain) -> Precision {
    match grain {
        Grain::NoGrain | Grain::Second | Grain::Minute | Grain::Hour => Precision::Instant,
        Grain::Day | Grain::Week => Precision::Day,
        Grain::Month | Grain::Quarter => Precision::Month,
        Grain::Year => Precision::Year,
    }
}
