//! Reading time expressions: how many of the times in a text are read as people said they are, by
//! language and by source of the data.
//!
//! A text counts as right when every time that the data give is found with an equal value at the
//! data's grain (a day is compared as a day), and, where they give none, none is found. An
//! expression that may mean several times ("on Monday") is right with any of them. Times without a
//! date, durations and repetitions are not asked for.

mod data;
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mneme_model::Instant;
use serde::Serialize;

use crate::EvaluationError;
use crate::percent::percent;
use data::{Case, Choice};
pub use reader::{ExtractorTimes, FoundTime, TimeReader};

/// How many texts are right.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Accuracy {
    /// How many texts were read.
    pub cases: usize,
    /// How many were right.
    pub right: usize,
    /// The share in percent.
    pub percent: f64,
}

impl Accuracy {
    fn count(&mut self, is_right: bool) {
        self.cases += 1;
        self.right += usize::from(is_right);
        self.percent = percent(self.right as f64, self.cases);
    }
}

/// What was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TemporalReport {
    /// Over all texts in languages that can be read.
    pub overall: Accuracy,
    /// By language (ISO 639-1).
    pub languages: BTreeMap<String, Accuracy>,
    /// By source of the data and language.
    pub sources: BTreeMap<String, BTreeMap<String, Accuracy>>,
    /// The languages of the data that can't be read; their texts count nowhere.
    pub unsupported: BTreeSet<String>,
}

/// Measures a reader on all files of a folder.
pub fn evaluate(reader: &dyn TimeReader, folder: &Path) -> Result<TemporalReport, EvaluationError> {
    let mut report = TemporalReport::default();
    for case in data::read_all(folder)? {
        let Some(found) = reader.read(&case.input, case.reference, &case.language) else {
            report.unsupported.insert(case.language);
            continue;
        };
        let is_right = is_right(&case, &found);
        report.overall.count(is_right);
        report
            .languages
            .entry(case.language.clone())
            .or_default()
            .count(is_right);
        let source = report.sources.entry(case.source.to_owned()).or_default();
        source.entry(case.language).or_default().count(is_right);
    }
    Ok(report)
}

fn is_right(case: &Case, found: &[FoundTime]) -> bool {
    if case.expected.is_empty() {
        return found.is_empty();
    }
    case.expected.iter().all(|choices| {
        let fits = |found: &FoundTime| choices.iter().any(|choice| is_equal(choice, found));
        found.iter().any(fits)
    })
}

/// Whether what was found is one of the choices: the start, or the end where that is all there is;
/// both ends where both sides give both.
fn is_equal(choice: &Choice, found: &FoundTime) -> bool {
    let same = |expected: &str, at: Instant| at.to_string().starts_with(expected);
    match (&choice.start, &choice.end, found.start, found.end) {
        (Some(start), Some(end), Some(at), Some(until)) => same(start, at) && same(end, until),
        (Some(start), _, Some(at), _) => same(start, at),
        (None, Some(end), _, Some(until)) => same(end, until),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(start: Option<&str>, end: Option<&str>) -> FoundTime {
        let at = |text: &str| text.parse().unwrap();
        FoundTime {
            start: start.map(at),
            end: end.map(at),
        }
    }

    fn choice(start: Option<&str>, end: Option<&str>) -> Choice {
        Choice {
            start: start.map(str::to_owned),
            end: end.map(str::to_owned),
        }
    }

    #[test]
    fn equal_at_the_grain_of_the_data() {
        let day = choice(Some("2024-03-01"), None);
        assert!(is_equal(&day, &found(Some("2024-03-01T00:00:00Z"), None)));
        assert!(!is_equal(&day, &found(Some("2024-03-02T00:00:00Z"), None)));
        let until = choice(None, Some("2024-03"));
        assert!(is_equal(&until, &found(None, Some("2024-03-01T00:00:00Z"))));
        assert!(!is_equal(
            &until,
            &found(Some("2024-03-01T00:00:00Z"), None)
        ));
        let span = choice(Some("2024-03-01"), Some("2024-04-01"));
        assert!(is_equal(&span, &found(Some("2024-03-01"), None)));
        assert!(!is_equal(
            &span,
            &found(Some("2024-03-01"), Some("2024-05-01"))
        ));
    }
}
