//! Reads the data: four sources in four shapes, as texts with the times that they hold. Clock times
//! of the data have no zone that matters: they are all taken as UTC.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::{Span, civil::DateTime};
use mneme_model::Instant;
use serde_json::Value;

use crate::EvaluationError;

/// A text and the times in it.
#[derive(Debug)]
pub(super) struct Case {
    pub source: &'static str,
    pub language: String,
    pub input: String,
    pub reference: Instant,
    /// For each time, the values that are right.
    pub expected: Vec<Vec<Choice>>,
}

/// A right value: the beginning of RFC 3339, as long as the data are exact.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub start: Option<String>,
    pub end: Option<String>,
}

/// The languages of the names of files.
const LANGUAGES: [(&str, &str); 14] = [
    ("arabic", "ar"),
    ("chinese", "zh"),
    ("dutch", "nl"),
    ("english", "en"),
    ("englishothers", "en"),
    ("french", "fr"),
    ("german", "de"),
    ("hindi", "hi"),
    ("italian", "it"),
    ("japanese", "ja"),
    ("korean", "ko"),
    ("portuguese", "pt"),
    ("spanish", "es"),
    ("turkish", "tr"),
];

/// All texts of the files of a folder whose names are known.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Case>, EvaluationError> {
    let entries = fs::read_dir(folder).map_err(EvaluationError::in_file(folder))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let name = file
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let language = stem.strip_prefix("recognizers_");
        let language = language.and_then(|name| LANGUAGES.iter().find(|(known, _)| *known == name));
        let read: &dyn Fn(&Value) -> Option<Case> = match (stem, language) {
            (_, Some((_, code))) => &|line| recognizers(line, code),
            ("duckling_time_all", _) => &duckling,
            ("chrono_cases", _) => &chrono,
            ("dateparser_relative", _) => &dateparser,
            _ => continue,
        };
        let text = fs::read_to_string(&file).map_err(EvaluationError::in_file(&file))?;
        for line in text.lines() {
            let line = serde_json::from_str(line).map_err(EvaluationError::in_file(&file))?;
            cases.extend(read(&line));
        }
    }
    Ok(cases)
}

fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field)?.as_str()
}

/// The clock time of a reference, without its zone, as UTC.
fn reference(line: &Value) -> Option<Instant> {
    let clock = text(line, "ref")?.get(..19)?;
    clock.parse().ok()
}

/// Dates and times with dates; what can't be told without more is passed over.
fn recognizers(line: &Value, language: &str) -> Option<Case> {
    let results = line.get("results")?.as_array()?;
    let is_asked = |result: &&Value| {
        let kinds = ["date", "daterange", "datetime", "datetimerange"];
        let kind = text(result, "type").and_then(|kind| kind.strip_prefix("datetimeV2."));
        kind.is_some_and(|kind| kinds.contains(&kind))
    };
    let asked: Vec<&Value> = results.iter().filter(is_asked).collect();
    if asked.is_empty() && !results.is_empty() {
        return None;
    }
    let moment = |value: &Value, field| {
        let written = text(value, field)?.replace(' ', "T");
        written
            .starts_with(|c: char| c.is_ascii_digit())
            .then_some(written)
    };
    let choice = |value: &Value| {
        let start = moment(value, "value").or_else(|| moment(value, "start"));
        let end = moment(value, "end");
        (start.is_some() || end.is_some()).then_some(Choice { start, end })
    };
    let expected = asked.iter().map(|result| {
        let values = result.get("values")?.as_array()?;
        let choices: Vec<Choice> = values.iter().filter_map(choice).collect();
        (!choices.is_empty()).then_some(choices)
    });
    Some(Case {
        source: "recognizers",
        language: language.to_owned(),
        input: text(line, "input")?.to_owned(),
        reference: reference(line)?,
        expected: expected.collect::<Option<_>>()?,
    })
}

/// A whole expression with its value at a grain.
fn duckling(line: &Value) -> Option<Case> {
    let length = match text(line, "grain")? {
        "Second" => 19,
        "Minute" => 16,
        "Hour" => 13,
        "Day" | "Week" => 10,
        "Month" | "Quarter" => 7,
        _ => 4,
    };
    let values = line.get("values")?.as_array()?;
    let value = |index: usize| Some(values.get(index)?.as_str()?.get(..length)?.to_owned());
    let choice = match text(line, "open") {
        Some("Before") => Choice {
            start: None,
            end: value(0),
        },
        _ => Choice {
            start: value(0),
            end: value(1),
        },
    };
    let is_holiday = line.get("holiday").is_some_and(Value::is_string);
    Some(Case {
        source: if is_holiday {
            "duckling-holidays"
        } else {
            "duckling"
        },
        language: text(line, "lang")?.get(..2)?.to_ascii_lowercase(),
        input: text(line, "input")?.to_owned(),
        reference: reference(line)?,
        expected: vec![vec![choice]],
    })
}

/// A text with the parts of a date; compared by what is given of year, month and day, since the hour
/// is that parser's own guess.
fn chrono(line: &Value) -> Option<Case> {
    let components = line.get("components");
    let part = |name| components?.get(name)?.as_i64();
    let day = match text(line, "start") {
        Some(start) => start.get(..10)?.to_owned(),
        None => {
            let mut day = format!("{:04}", part("year")?);
            if let Some(month) = part("month") {
                day.push_str(&format!("-{month:02}"));
                if let Some(number) = part("day") {
                    day.push_str(&format!("-{number:02}"));
                }
            }
            day
        }
    };
    Some(Case {
        source: "chrono",
        language: text(line, "lang")?.to_owned(),
        input: text(line, "input")?.to_owned(),
        reference: reference(line)?,
        expected: vec![vec![Choice {
            start: Some(day),
            end: None,
        }]],
    })
}

/// A distance from the reference, in English; as exact as its smallest unit.
fn dateparser(line: &Value) -> Option<Case> {
    let delta = line.get("delta")?.as_object()?;
    let mut span = Span::new();
    let mut length = 4;
    for (unit, count) in delta {
        let count = count.as_f64().filter(|count| count.fract() == 0.0)? as i64;
        let (added, exact) = match unit.as_str() {
            "years" => (span.try_years(count), 4),
            "months" => (span.try_months(count), 7),
            "weeks" => (span.try_weeks(count), 10),
            "days" => (span.try_days(count), 10),
            "hours" => (span.try_hours(count), 13),
            "minutes" => (span.try_minutes(count), 16),
            "seconds" => (span.try_seconds(count), 19),
            _ => return None,
        };
        span = added.ok()?;
        length = length.max(exact);
    }
    let reference = reference(line)?;
    let start: DateTime = reference.civil();
    let at = match text(line, "dir")? {
        "ago" => start.checked_sub(span),
        _ => start.checked_add(span),
    };
    let written = Instant::from_civil(at.ok()?).ok()?.to_string();
    Some(Case {
        source: "dateparser",
        language: "en".to_owned(),
        input: text(line, "input")?.to_owned(),
        reference,
        expected: vec![vec![Choice {
            start: Some(written.get(..length)?.to_owned()),
            end: None,
        }]],
    })
}
