//! An [`Interval`] is half-open: it holds at the instant it begins and no longer at the one it ends.

use serde::{Deserialize, Serialize};

use crate::Instant;

/// A span of time `[start, end)`; `end` is `None` while it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Interval {
    /// The first instant that it holds.
    pub start: Instant,
    /// The first instant that it holds no longer.
    pub end: Option<Instant>,
}

impl Interval {
    /// Builds `[start, end)`.
    pub fn new(start: Instant, end: Option<Instant>) -> Self {
        Self { start, end }
    }

    /// Whether it holds at no instant (it ends when it begins, or before).
    pub fn is_empty(&self) -> bool {
        self.end.is_some_and(|end| end <= self.start)
    }

    /// Whether it holds at the instant.
    pub fn contains(&self, at: Instant) -> bool {
        self.start <= at && self.end.is_none_or(|end| at < end)
    }

    /// What both hold; `None` when that is nothing.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let end = match (self.end, other.end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let both = Self::new(self.start.max(other.start), end);
        (!both.is_empty()).then_some(both)
    }

    /// Whether the two overlap or one begins where the other ends.
    pub fn touches(&self, other: &Self) -> bool {
        self.end.is_none_or(|end| other.start <= end)
            && other.end.is_none_or(|end| self.start <= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(start: i64, end: Option<i64>) -> Interval {
        Interval::new(Instant::from_micros(start), end.map(Instant::from_micros))
    }

    #[test]
    fn half_open() {
        let both = interval(2, Some(5));
        assert!(both.contains(Instant::from_micros(2)));
        assert!(!both.contains(Instant::from_micros(5)));
        assert!(interval(3, Some(3)).is_empty());
        assert!(interval(3, None).contains(Instant::MAX));
    }

    #[test]
    fn overlap_and_touch() {
        assert_eq!(
            interval(0, None).intersection(&interval(3, Some(9))),
            Some(interval(3, Some(9)))
        );
        assert_eq!(interval(0, Some(3)).intersection(&interval(3, None)), None);
        assert!(interval(0, Some(3)).touches(&interval(3, None)));
        assert!(!interval(0, Some(3)).touches(&interval(4, None)));
    }
}
