//! Counting, and the figures in the form that is printed.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::SerializeMap;

use super::DEPTHS;
use crate::percent::percent;

/// The figures of some questions, in percent. Written as `{"questions": n, "r@5": …, "r@10": …,
/// "r@20": …, "budget": {"347": {"all": …, "any": …}, …}}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// How many questions were measured.
    pub questions: usize,
    /// The mean recall by depth.
    pub recall: BTreeMap<usize, f64>,
    /// What contexts hold, by size.
    pub budget: BTreeMap<usize, BudgetShare>,
}

/// The share of questions whose evidence a context holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BudgetShare {
    /// All of it.
    pub all: f64,
    /// At least one turn of it.
    pub any: f64,
}

impl Serialize for Scores {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("questions", &self.questions)?;
        for (depth, recall) in &self.recall {
            map.serialize_entry(&format!("r@{depth}"), recall)?;
        }
        map.serialize_entry("budget", &self.budget)?;
        map.end()
    }
}

/// Sums over questions.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    questions: usize,
    recall: BTreeMap<usize, f64>,
    budget: BTreeMap<usize, (usize, usize)>,
}

impl Tally {
    /// Counts a question.
    pub fn question(&mut self) {
        self.questions += 1;
    }

    /// Counts what was found of the evidence of a question.
    pub fn recall(&mut self, depth: usize, evidence: &[&str], found: &[&str]) {
        let hits = evidence.iter().filter(|turn| found.contains(turn)).count();
        *self.recall.entry(depth).or_default() += hits as f64 / evidence.len() as f64;
    }

    /// Counts what a context holds of the evidence of a question.
    pub fn budget(&mut self, size: usize, evidence: &[&str], inside: &[&str]) {
        let (all, any) = self.budget.entry(size).or_default();
        *all += usize::from(evidence.iter().all(|turn| inside.contains(turn)));
        *any += usize::from(evidence.iter().any(|turn| inside.contains(turn)));
    }

    /// Adds the sums of others.
    pub fn add(&mut self, other: &Self) {
        self.questions += other.questions;
        for (depth, sum) in &other.recall {
            *self.recall.entry(*depth).or_default() += sum;
        }
        for (size, (all, any)) in &other.budget {
            let sums = self.budget.entry(*size).or_default();
            sums.0 += all;
            sums.1 += any;
        }
    }

    /// The means.
    pub fn scores(&self) -> Scores {
        let recall = |depth: &usize| self.recall.get(depth).copied().unwrap_or_default();
        let share = |count: usize| percent(count as f64, self.questions);
        Scores {
            questions: self.questions,
            recall: DEPTHS
                .iter()
                .map(|depth| (*depth, percent(recall(depth), self.questions)))
                .collect(),
            budget: self
                .budget
                .iter()
                .map(|(size, (all, any))| {
                    let (all, any) = (share(*all), share(*any));
                    (*size, BudgetShare { all, any })
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_that_is_printed() {
        let mut tally = Tally::default();
        tally.question();
        for depth in DEPTHS {
            tally.recall(depth, &["a", "b", "c"], &["x", "a"]);
        }
        tally.budget(347, &["a", "b"], &["b"]);
        let mut sum = Tally::default();
        sum.add(&tally);
        let json = serde_json::to_value(sum.scores()).unwrap();
        let expected = serde_json::json!({
            "questions": 1, "r@5": 33.33, "r@10": 33.33, "r@20": 33.33,
            "budget": { "347": { "all": 0.0, "any": 100.0 } },
        });
        assert_eq!(json, expected);
    }
}
