//! Time expressions in text: "yesterday", "since May 2021", "on 3 March at 9". The same text with
//! the same reference gives the same times; a time is the first instant of what was named, in UTC,
//! and its precision is what was named.
//!
//! The reading is the `duckling` crate's; what is added is the direction: a weekday or a date
//! without a year lies in the future for that crate, but in the past of "I met her on Monday"; and
//! what is read in part only is no time.

mod cheap;
mod language;
mod recurrence;
mod whole;

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

/// The time expressions of a text, in order. Words that can be read in two ways may be there twice.
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
    whole::whole_only(text, language, expressions)
}

/// Reads a text that is one time: RFC 3339, a day, month or year, or an expression in a language.
/// `None` where anything else stands in it. Of a span of time it is the start, of "until May" the end.
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
    let beside = [&text[..expression.span.start], &text[expression.span.end..]];
    let is_whole = expression.span.len() + "the ".len() >= text.len();
    let is_number_left = beside.iter().any(|text| text.contains(char::is_numeric));
    (is_whole && !is_number_left)
        .then_some(expression.start.or(expression.end))
        .flatten()
}

fn expression(entity: Entity, reference: Instant, prefer: Prefer) -> Option<TimeExpression> {
    let span = entity.start..entity.end;
    let text = entity.body;
    if let Some((start, end)) = recurrence::last_season(&text, reference) {
        return Some(TimeExpression {
            span,
            start: month_point(start),
            end: month_point(end),
            is_span: true,
        });
    }
    let DimensionValue::Time(value) = entity.value else {
        return None;
    };
    let step = |occurrences: &[NaiveDateTime], prefer: Prefer| match prefer {
        Prefer::Past => recurrence::step_back(&text, occurrences, reference),
        Prefer::Future | Prefer::None => recurrence::Step::Stay,
    };
    match value {
        TimeValue::Single { value, values, .. } => {
            let occurrences: Vec<_> = values.iter().map(naive).collect();
            Some(TimeExpression {
                span,
                start: Some(point(&value, step(&occurrences, prefer))?),
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
            // Nothing holds since a time to come.
            let prefer = if to.is_none() { Prefer::Past } else { prefer };
            let back = step(&occurrences, prefer);
            let read = |end: &Option<duckling::TimePoint>| match end {
                Some(end) => point(end, back).map(Some),
                None => Some(None),
            };
            let (start, end) = (read(&from)?, read(&to)?);
            let is_reversed =
                matches!((start, end), (Some(start), Some(end)) if end.at <= start.at);
            (!is_reversed).then_some(TimeExpression {
                span,
                start,
                end,
                is_span: true,
            })
        }
    }
}

fn month_point(day: chrono::NaiveDate) -> Option<TimePoint> {
    let at = day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_micros();
    Some(TimePoint {
        at: Instant::from_micros(at),
        precision: Precision::Month,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reference() -> Instant {
        Instant::from_civil(jiff::civil::date(2026, 5, 12).at(8, 31, 0, 0)).unwrap()
    }

    /// The expressions of a text as `text: start precision .. end`.
    fn read(text: &str, language: Language, prefer: Prefer) -> Vec<String> {
        let time = |point: Option<TimePoint>| {
            point.map_or("…".to_owned(), |point| {
                format!("{} {}", point.at, point.precision.as_str())
            })
        };
        let show = |found: TimeExpression| {
            let end = if found.is_span {
                format!(" .. {}", time(found.end))
            } else {
                String::new()
            };
            format!("{}: {}{end}", &text[found.span], time(found.start))
        };
        let found = read_times(text, reference(), language, prefer);
        found.into_iter().map(show).collect()
    }

    #[test]
    fn what_comes_again_is_looked_for_in_the_direction_asked() {
        for (text, past, future) in [
            ("on Monday", "2026-05-11", "2026-05-18"),
            ("in June", "2025-06-01", "2026-06-01"),
            ("on 20 May", "2025-05-20", "2026-05-20"),
            ("on Friday at 5pm", "2026-05-08", "2026-05-15"),
            ("since Monday", "2026-05-11", "2026-05-11"),
            ("last summer", "2025-06-01", "2025-06-01"),
            ("next Friday", "2026-05-22", "2026-05-22"),
            ("on 20 May 2026", "2026-05-20", "2026-05-20"),
            ("yesterday", "2026-05-11", "2026-05-11"),
            ("in March 2027", "2027-03-01", "2027-03-01"),
        ] {
            let start = |prefer| {
                let found = read_times(text, reference(), Language::ENGLISH, prefer);
                found[0].start.unwrap().at.to_string()[..10].to_owned()
            };
            assert_eq!(start(Prefer::Past), past, "{text}");
            assert_eq!(start(Prefer::Future), future, "{text}");
            assert_eq!(start(Prefer::None), future, "{text}");
        }
    }

    #[test]
    fn precision_is_what_was_named() {
        let english = |text| read(text, Language::ENGLISH, Prefer::None);
        assert_eq!(
            english("I met her on 3 March 2024 at 9:30, then again in 2025."),
            [
                "on 3 March 2024 at 9:30: 2024-03-03T09:30:00Z instant",
                "in 2025: 2025-01-01T00:00:00Z year"
            ]
        );
        assert_eq!(english("nothing here"), Vec::<String>::new());
    }

    #[test]
    fn other_languages() {
        for (code, text, start) in [
            ("de", "morgen", "2026-05-13"),
            ("fr", "demain", "2026-05-13"),
            ("es", "mañana", "2026-05-13"),
        ] {
            let language = Language::from_code(code).unwrap();
            let found = read_times(text, reference(), language, Prefer::None);
            assert_eq!(
                &found[0].start.unwrap().at.to_string()[..10],
                start,
                "{text}"
            );
        }
    }

    #[test]
    fn one_time_and_nothing_else() {
        let read = |text| {
            let point = read_time(text, reference(), Language::ENGLISH, Prefer::Past)?;
            Some(format!(
                "{} {}",
                &point.at.to_string()[..10],
                point.precision.as_str()
            ))
        };
        assert_eq!(read("2024-03").as_deref(), Some("2024-03-01 month"));
        assert_eq!(read("March 2018").as_deref(), Some("2018-03-01 month"));
        assert_eq!(
            read("the 3rd of May 2020").as_deref(),
            Some("2020-05-03 day")
        );
        assert_eq!(read("yesterday").as_deref(), Some("2026-05-11 day"));
        assert_eq!(read("when pigs fly"), None);
        assert_eq!(read("until May 2020").as_deref(), Some("2020-05-01 month"));
        assert_eq!(read(""), None);
    }
}
