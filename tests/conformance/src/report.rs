//! What came of a run: a line for each case that failed or was not run, and the counts alone on the
//! last line.

use std::fmt;
use std::time::Duration;

/// What came of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// All that was expected came.
    Passed,
    /// What was expected and what came, at each place where they differ.
    Failed(Vec<String>),
    /// The reason why it was not run.
    NotRun(String),
}

/// One case of a run.
#[derive(Debug, Clone)]
pub struct CaseResult {
    /// File and id.
    pub name: String,
    /// What came of it.
    pub verdict: Verdict,
    /// What of it was left out, if anything was.
    pub left_out: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// All cases of a run, in the order of their files.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The cases.
    pub results: Vec<CaseResult>,
}

impl Report {
    /// Whether no case failed.
    pub fn is_clean(&self) -> bool {
        self.count(|verdict| matches!(verdict, Verdict::Failed(_))) == 0
    }

    fn count(&self, counts: impl Fn(&Verdict) -> bool) -> usize {
        self.results
            .iter()
            .filter(|result| counts(&result.verdict))
            .count()
    }
}

impl fmt::Display for CaseResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Passed => write!(f, "passed {} ({:.1?})", self.name, self.took),
            Verdict::Failed(reasons) => write!(f, "FAILED {}: {}", self.name, reasons.join(" | ")),
            Verdict::NotRun(reason) => write!(f, "not run {}: {reason}", self.name),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for result in &self.results {
            if let Some(left_out) = &result.left_out {
                writeln!(f, "not run {}: {left_out}", result.name)?;
            }
            if result.verdict != Verdict::Passed {
                writeln!(f, "{result}")?;
            }
        }
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.count(|verdict| *verdict == Verdict::Passed),
            self.count(|verdict| matches!(verdict, Verdict::Failed(_))),
            self.count(|verdict| matches!(verdict, Verdict::NotRun(_))),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_what_needs_one_and_the_counts_last() {
        let result = |name: &str, verdict| CaseResult {
            name: name.to_owned(),
            verdict,
            left_out: None,
            took: Duration::ZERO,
        };
        let mut report = Report {
            results: vec![
                result("a/1", Verdict::Passed),
                result("a/2", Verdict::NotRun("needs a model".to_owned())),
            ],
        };
        assert!(report.is_clean());
        report.results.push(result(
            "a/3",
            Verdict::Failed(vec!["x".to_owned(), "y".to_owned()]),
        ));
        assert!(!report.is_clean());
        assert_eq!(
            report.to_string(),
            "not run a/2: needs a model\nFAILED a/3: x | y\n1 passed, 1 failed, 1 skipped"
        );
    }
}
