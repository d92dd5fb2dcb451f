//! When a clause says that something holds: "since 2021", "from May to June", "until Friday",
//! "for five years", "yesterday".

use std::ops::Range;

use mneme_model::{Instant, Precision, TimePoint};

use crate::time::{Language, Prefer, TimeExpression, has_time_expression, read_times};

/// The longest clause in which times are looked for: reading them costs more the longer it is.
const MAX_CLAUSE_BYTES: usize = 400;

/// The times of a clause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct When {
    /// "since 2021", the start of "from May to June", the start that "for five years" gives.
    pub since: Option<TimePoint>,
    /// "until Friday", the end of "from May to June".
    pub until: Option<TimePoint>,
    /// "in April", "yesterday": the single time that is named.
    pub at: Option<TimePoint>,
    /// Where relative times stand in the body ("yesterday"): they say nothing to a later reader.
    pub relative: Vec<Range<usize>>,
}

/// Reads the times of `body[span]`, those within `names` left out.
pub(super) fn when(
    body: &str,
    span: Range<usize>,
    names: &[Range<usize>],
    reference: Instant,
    prefer: Prefer,
) -> When {
    let mut when = When::default();
    let text = &body[span.clone()];
    if text.len() > MAX_CLAUSE_BYTES || !has_time_expression(text) {
        return when;
    }
    let mut singles = Vec::new();
    for expression in read_times(text, reference, Language::ENGLISH, prefer) {
        let place = span.start + expression.span.start..span.start + expression.span.end;
        let in_name = names
            .iter()
            .any(|name| name.start < place.end && place.start < name.end);
        if in_name || is_no_date(&body[place.clone()]) {
            continue;
        }
        sort(body, &place, &expression, &mut when, &mut singles);
        if !body[place.clone()].contains(|c: char| c.is_ascii_digit()) {
            when.relative
                .push(with_preposition(body, &place, span.start));
        }
    }
    if let Some(since) = duration(text, reference) {
        when.since.get_or_insert(since);
    }
    if let [single] = singles.as_slice() {
        when.at = Some(*single);
    }
    when
}

fn sort(
    body: &str,
    place: &Range<usize>,
    expression: &TimeExpression,
    when: &mut When,
    singles: &mut Vec<TimePoint>,
) {
    let text = body[place.clone()].to_lowercase();
    let before = body[..place.start].trim_end().to_lowercase();
    let led_by = |words: &[&str]| {
        words.iter().any(|word| {
            text.starts_with(&format!("{word} "))
                || before
                    .strip_suffix(word)
                    .is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
        })
    };
    if led_by(&["since"]) {
        when.since = expression.start;
    } else if led_by(&["until", "till"]) {
        when.until = expression.start.or(expression.end);
    } else if led_by(&["before", "after", "by"]) {
        // Neither a start nor an end.
    } else if expression.is_span {
        match (expression.start, expression.end) {
            (Some(start), Some(end)) => {
                // "last summer" is a span by itself; "from A to B" is one that was given.
                if led_by(&["from", "between"]) || text.contains(" to ") || text.contains('-') {
                    when.since = Some(start);
                    when.until = named_end(end);
                } else {
                    singles.push(start);
                }
            }
            (Some(start), None) => when.since = Some(start),
            (None, _) => {}
        }
    } else {
        singles.extend(expression.start);
    }
}

/// The end as it was named: of "from 2010 to 2015" the year 2015, as of "until 2015".
fn named_end(after: TimePoint) -> Option<TimePoint> {
    let civil = after.at.civil();
    let named = match after.precision {
        Precision::Year => civil.checked_sub(jiff::Span::new().years(1)),
        Precision::Month => civil.checked_sub(jiff::Span::new().months(1)),
        Precision::Day => civil.checked_sub(jiff::Span::new().days(1)),
        Precision::Instant | Precision::Inferred => Ok(civil),
    };
    let at = Instant::from_civil(named.ok()?).ok()?;
    Some(TimePoint { at, ..after })
}

/// The present, times of day without a day, and what comes again and again.
fn is_no_date(text: &str) -> bool {
    const PRESENT: &[&str] = &[
        "now",
        "right now",
        "just now",
        "currently",
        "at the moment",
        "this time",
        "at this time",
        "these days",
    ];
    let text = text.trim().to_lowercase();
    let last = text.rsplit(' ').next().unwrap_or_default();
    PRESENT.contains(&text.as_str())
        || (last.ends_with("days") && last.len() > 5)
        || text.starts_with("every ")
}

/// A relative expression with the words that lead it.
fn with_preposition(body: &str, place: &Range<usize>, from: usize) -> Range<usize> {
    let before = &body[from..place.start];
    let trimmed = before.trim_end();
    for word in ["on", "in", "at", "since", "until", "during"] {
        if let Some(rest) = trimmed.strip_suffix(word)
            && rest.ends_with(char::is_whitespace)
        {
            return from + rest.len()..place.end;
        }
    }
    place.clone()
}

/// The start that "for five years" gives: as much before the reference, as exact as the unit.
fn duration(text: &str, reference: Instant) -> Option<TimePoint> {
    const NUMBERS: &[&str] = &[
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut at = words.iter().position(|word| word == "for")? + 1;
    while words.get(at).is_some_and(|word| {
        matches!(
            word.as_str(),
            "the" | "last" | "past" | "over" | "about" | "almost" | "nearly" | "around"
        )
    }) {
        at += 1;
    }
    let word = words.get(at)?;
    let count = match NUMBERS.iter().position(|number| number == word) {
        Some(index) => index as i64 + 1,
        None if matches!(word.as_str(), "a" | "an") => 1,
        None => word
            .parse()
            .ok()
            .filter(|count| (1..=100).contains(count))?,
    };
    let unit = words.get(at + 1)?.trim_end_matches('s').to_owned();
    let (span, precision) = match unit.as_str() {
        "year" => (jiff::Span::new().years(count), Precision::Year),
        "decade" => (jiff::Span::new().years(count * 10), Precision::Year),
        "month" => (jiff::Span::new().months(count), Precision::Month),
        "week" => (jiff::Span::new().weeks(count), Precision::Day),
        "day" => (jiff::Span::new().days(count), Precision::Day),
        _ => return None,
    };
    let civil = reference.civil().checked_sub(span).ok()?.date();
    let civil = match precision {
        Precision::Year => civil.first_of_year(),
        Precision::Month => civil.first_of_month(),
        _ => civil,
    };
    let at = Instant::from_civil(civil.at(0, 0, 0, 0)).ok()?;
    Some(TimePoint { at, precision })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let reference = "2026-05-12T08:31:00Z".parse().unwrap();
        let when = when(text, 0..text.len(), &[], reference, Prefer::Past);
        let show = |name: &str, point: Option<TimePoint>| {
            point.map(|p| {
                format!(
                    "{name} {} {}",
                    &p.at.to_string()[..10],
                    p.precision.as_str()
                )
            })
        };
        let parts = [
            show("since", when.since),
            show("until", when.until),
            show("at", when.at),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn times_of_clauses() {
        for (text, expected) in [
            ("I work there since 2021", "since 2021-01-01 year"),
            ("I have lived here since May 2020", "since 2020-05-01 month"),
            ("He joined us yesterday", "at 2026-05-11 day"),
            ("I moved in April 2026", "at 2026-04-01 month"),
            ("I joined on 23 February 2026", "at 2026-02-23 day"),
            ("I met her on Monday", "at 2026-05-11 day"),
            ("I met her in March", "at 2026-03-01 month"),
            ("I worked there until 2019", "until 2019-01-01 year"),
            (
                "I worked there from 2010 to 2015",
                "since 2010-01-01 year, until 2015-01-01 year",
            ),
            ("I have been here for five years", "since 2021-01-01 year"),
            ("I moved two years ago", "at 2024-05-01 month"),
            ("I moved last month", "at 2026-04-01 month"),
            ("I use it now", ""),
            ("I work from home on Fridays", ""),
            ("I moved in 2020 and again in 2021", ""),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
