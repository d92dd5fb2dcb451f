//! Figures as they are printed.

/// A mean of parts of one, in percent with two decimals; 0 of nothing.
pub(crate) fn percent(sum: f64, count: usize) -> f64 {
    if count == 0 {
        return 0.0;
    }
    (10_000.0 * sum / count as f64).round() / 100.0
}
