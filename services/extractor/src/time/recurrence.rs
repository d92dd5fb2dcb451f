//! Times that come again: a weekday, a date without a year, an hour of the day. The library gives
//! the next ones; the one before is as far back as they lie apart, or as the words tell.

use chrono::{Datelike, Days, Months, NaiveDate, NaiveDateTime};
use mneme_model::Instant;

/// How far to go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Stay,
    Days(u64),
    Months(u32),
}

/// Words that name one time only, in the future.
const FUTURE: &[&str] = &["coming", "following", "next", "tomorrow", "upcoming"];
const WEEKDAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Each season with the month that it begins with.
const SEASONS: &[(&str, u32)] = &[
    ("spring", 3),
    ("summer", 6),
    ("autumn", 9),
    ("fall", 9),
    ("winter", 12),
];

/// The step from a time that lies in the future to the last such time that is past.
///
/// `occurrences` are the coming ones as far as the library tells.
pub(super) fn step_back(text: &str, occurrences: &[NaiveDateTime], reference: Instant) -> Step {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    if FUTURE.iter().any(|future| words.contains(future)) {
        return Step::Stay;
    }
    match occurrences {
        [first, ..] if first.and_utc().timestamp_micros() <= reference.as_micros() => Step::Stay,
        [first, second, ..] => match (*second - *first).num_days() {
            1 => Step::Days(1),
            7 => Step::Days(7),
            28..=31 => Step::Months(1),
            365 | 366 => Step::Months(12),
            1460 | 1461 => Step::Months(48),
            _ => Step::Stay,
        },
        _ => named_step(&words),
    }
}

/// The step by the words, where the library gives one time only.
fn named_step(words: &[&str]) -> Step {
    let has = |names: &[&str]| words.iter().any(|word| is_short_for(word, names));
    let has_year = words
        .iter()
        .any(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
    if has_year || words.first() == Some(&"in") && !has(MONTHS) {
        Step::Stay
    } else if has(MONTHS) || SEASONS.iter().any(|(season, _)| words.contains(season)) {
        Step::Months(12)
    } else if has(WEEKDAYS) {
        Step::Days(7)
    } else {
        Step::Stay
    }
}

/// Whether a month is named, words in small letters.
pub(super) fn names_month(words: &[String]) -> bool {
    words.iter().any(|word| is_short_for(word, MONTHS))
}

/// Whether a word is one of the names or an abbreviation of one, but not "ma" for "march".
fn is_short_for(word: &str, names: &[&str]) -> bool {
    word.len() > 2 && names.iter().any(|name| name.starts_with(word))
}

/// A time moved by a step; `None` outside of the calendar.
pub(super) fn shifted(time: NaiveDateTime, step: Step) -> Option<NaiveDateTime> {
    match step {
        Step::Stay => Some(time),
        Step::Days(days) => time.checked_sub_days(Days::new(days)),
        Step::Months(months) => time.checked_sub_months(Months::new(months)),
    }
}

/// The months of "last summer": those of the last summer that is over, in the north. The library
/// takes it for another season.
pub(super) fn last_season(text: &str, reference: Instant) -> Option<(NaiveDate, NaiveDate)> {
    let text = text.to_lowercase();
    let season = text.strip_prefix("last ")?.trim();
    let &(_, month) = SEASONS.iter().find(|(name, _)| *name == season)?;
    let today = chrono::DateTime::from_timestamp_micros(reference.as_micros())?.date_naive();
    (0..=2).find_map(|years| {
        let start = NaiveDate::from_ymd_opt(today.year() - years, month, 1)?;
        let end = start.checked_add_months(Months::new(3))?;
        (end <= today).then_some((start, end))
    })
}
