//! The reader that is measured.

use mneme_extractor::time::{Language, Prefer, read_times};
use mneme_model::Instant;

/// A time found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundTime {
    /// The time, or the start of a span.
    pub start: Option<Instant>,
    /// The end of a span.
    pub end: Option<Instant>,
}

/// Reads times; `None` for a language (ISO 639-1) that it can't read.
pub trait TimeReader {
    /// The times of a text that was said at the reference time.
    fn read(&self, text: &str, reference: Instant, language: &str) -> Option<Vec<FoundTime>>;
}

/// The reader of the extractor.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExtractorTimes;

impl TimeReader for ExtractorTimes {
    fn read(&self, text: &str, reference: Instant, language: &str) -> Option<Vec<FoundTime>> {
        let language = Language::from_code(language)?;
        let times = read_times(text, reference, language, Prefer::None).into_iter();
        let times = times.map(|time| FoundTime {
            start: time.start.map(|start| start.at),
            end: time.end.map(|end| end.at),
        });
        Some(times.collect())
    }
}
