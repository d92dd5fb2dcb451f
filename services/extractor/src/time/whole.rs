//! A date is read whole or not at all: "30 February 2025" is not February, "3 May 3026" is not the
//! next third of May. A reading is refused when a number of the same date is left over beside it,
//! or when a number in it is no part of the time that came out.

use std::ops::Range;

use mneme_model::{Instant, Precision, TimePoint};

use super::recurrence::names_month;
use super::{Language, TimeExpression};

/// Words that may stand between the numbers and names of one date.
const LINKS: &[&str] = &["of", "the", "de", "del"];
/// Units that are counted: a number before one is an amount, not a part of a date.
const UNITS: &[&str] = &[
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "fortnight",
    "month",
    "quarter",
    "year",
    "decade",
    "hr",
    "min",
    "mth",
    "qtr",
    "sec",
    "wk",
    "yr",
];
/// Other words of an amount: "2 Thursdays ago".
const COUNTED: &[&str] = &["ago", "closest", "h"];
/// Longer gaps are not looked at.
const MAX_GAP_BYTES: usize = 12;

/// A number in a text; its span has the ordinal ending too.
struct Number<'t> {
    digits: &'t str,
    span: Range<usize>,
}

/// The expressions that were read whole.
pub(super) fn whole_only(
    text: &str,
    language: Language,
    expressions: Vec<TimeExpression>,
) -> Vec<TimeExpression> {
    let numbers = numbers(text);
    let mut kept = expressions;
    let mut refused: Vec<Range<usize>> = Vec::new();
    kept.retain(|expression| {
        let broken = left_over(text, language, expression, &numbers).or_else(|| {
            has_foreign_number(text, language, expression, &numbers)
                .then(|| expression.span.clone())
        });
        let is_whole = broken.is_none();
        refused.extend(broken);
        is_whole
    });
    // What belongs to a date that was refused falls with it: the Monday of "Monday, 30 February".
    while let Some(index) = kept.iter().position(|expression| {
        let is_part = |date: &Range<usize>| is_one_date(text, date, &expression.span);
        !has_year(&expression.span, &numbers) && refused.iter().any(is_part)
    }) {
        refused.push(kept.remove(index).span);
    }
    kept
}

/// The expression with the number of the same date that it left out.
fn left_over(
    text: &str,
    language: Language,
    expression: &TimeExpression,
    numbers: &[Number<'_>],
) -> Option<Range<usize>> {
    let span = &expression.span;
    let own = &text[span.clone()];
    let words = words(own);
    let is_english = language == Language::ENGLISH;
    let has_number = own.contains(char::is_numeric);
    // "yesterday" is not part of a date with numbers.
    if is_english && !has_number && !names_month(&words) {
        return None;
    }
    let ends_with_year = numbers
        .iter()
        .any(|number| number.span.end == span.end && number.digits.len() == 4);
    let is_count = is_english && has_unit(&words);
    let number = numbers.iter().find(|number| {
        let is_cut = number.span.start < span.start && span.start < number.span.end
            || number.span.start < span.end && span.end < number.span.end;
        if number.span.end <= span.start {
            is_gap_of_date(&text[number.span.end..span.start])
        } else if number.span.start >= span.end {
            let gap = &text[span.end..number.span.start];
            // After a whole date a sentence may go on with a number.
            let is_over = (ends_with_year || is_count) && gap.contains(char::is_whitespace);
            is_gap_of_date(gap) && !is_over
        } else {
            is_cut
        }
    })?;
    Some(span.start.min(number.span.start)..span.end.max(number.span.end))
}

/// Whether a number in the expression is no part of the time that was read.
fn has_foreign_number(
    text: &str,
    language: Language,
    expression: &TimeExpression,
    numbers: &[Number<'_>],
) -> bool {
    let span = &expression.span;
    let is_english = language == Language::ENGLISH;
    if is_english && has_unit(&words(&text[span.clone()])) {
        return false;
    }
    let last = expression.end.and_then(|end| {
        // The end is the first instant after the time named.
        let at = Instant::from_micros(end.at.as_micros().checked_sub(1)?);
        Some(TimePoint { at, ..end })
    });
    let points = [expression.start, expression.end, last];
    numbers
        .iter()
        .filter(|number| span.start <= number.span.start && number.span.end <= span.end)
        .filter(|number| is_english || number.digits.len() == 4)
        .any(|number| {
            let before = &text[span.start..number.span.start];
            let may_be_clock = before.ends_with("at ") || number.digits < "1900";
            let is_part = |point: &TimePoint| is_part(number.digits, point, may_be_clock);
            !before.ends_with('+') && !points.iter().flatten().any(is_part)
        })
}

/// Whether digits are a part of a time, as exact as it is. Numbers that can be no part are passed.
fn is_part(digits: &str, point: &TimePoint, may_be_clock: bool) -> bool {
    let Ok(value) = digits.parse::<i32>() else {
        return true;
    };
    let civil = point.at.civil();
    let (year, month, day) = (
        i32::from(civil.year()),
        i32::from(civil.month()),
        i32::from(civil.day()),
    );
    let (hour, minute) = (i32::from(civil.hour()), i32::from(civil.minute()));
    let is_instant = matches!(point.precision, Precision::Instant | Precision::Inferred);
    let has_day = is_instant || point.precision == Precision::Day;
    let has_month = has_day || point.precision == Precision::Month;
    match digits.len() {
        1 | 2 => {
            value == year.rem_euclid(100)
                || has_month && value == month
                || has_day && value == day
                || is_instant
                    && (value == hour
                        || value % 12 == hour % 12 && value <= 12
                        || value == minute
                        || value == i32::from(civil.second()))
        }
        4 => value == year || is_instant && may_be_clock && value == hour * 100 + minute,
        _ => true,
    }
}

/// The numbers of a text, those of names such as "A4" and "Q2" left out.
fn numbers(text: &str) -> Vec<Number<'_>> {
    let mut numbers = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(char::is_numeric) {
        let start = from + at;
        let rest = &text[start..];
        let length = rest.find(|c: char| !c.is_numeric()).unwrap_or(rest.len());
        let digits = &rest[..length];
        let letters: String = rest[length..]
            .chars()
            .take_while(char::is_ascii_alphabetic)
            .collect();
        let is_ordinal = ["st", "nd", "rd", "th"]
            .iter()
            .any(|ending| letters.eq_ignore_ascii_case(ending));
        let end = start + length + if is_ordinal { letters.len() } else { 0 };
        if !text[..start].ends_with(|c: char| c.is_ascii_alphabetic()) {
            numbers.push(Number {
                digits,
                span: start..end,
            });
        }
        from = start + length;
    }
    numbers
}

/// Whether what stands between two parts may stand within one date.
fn is_gap_of_date(gap: &str) -> bool {
    const MARKS: &str = " \t\u{a0},./-–'’年月日년월일";
    gap.len() <= MAX_GAP_BYTES
        && gap
            .split(|c: char| MARKS.contains(c))
            .all(|word| word.is_empty() || LINKS.iter().any(|link| link.eq_ignore_ascii_case(word)))
}

/// Whether an expression is part of a refused date or stands beside it in the same sentence. One that
/// holds all of it, and more perhaps, is another reading of the same words.
fn is_one_date(text: &str, date: &Range<usize>, span: &Range<usize>) -> bool {
    let gap = if span.start <= date.start && date.end <= span.end {
        return false;
    } else if span.end <= date.start {
        &text[span.end..date.start]
    } else if date.end <= span.start {
        &text[date.end..span.start]
    } else {
        return true;
    };
    !gap.contains('.') && is_gap_of_date(gap)
}

/// Whether a year stands in an expression beside another number: it is a date by itself.
fn has_year(span: &Range<usize>, numbers: &[Number<'_>]) -> bool {
    let own = || {
        numbers
            .iter()
            .filter(|number| span.start <= number.span.start && number.span.end <= span.end)
    };
    own().count() > 1 && own().any(|number| number.digits.len() == 4)
}

fn has_unit(words: &[String]) -> bool {
    words.iter().any(|word| {
        COUNTED.contains(&word.as_str()) || UNITS.iter().any(|unit| word.starts_with(unit))
    })
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphabetic())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests;
