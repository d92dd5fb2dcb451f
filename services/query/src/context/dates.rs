//! Times as people read them, no finer than they were given.

use mneme_model::{Instant, Precision};

/// A day: `8 May 2023`.
pub(super) fn day(at: Instant) -> String {
    at.civil().strftime("%-d %B %Y").to_string()
}

/// A time as exact as it was given; to the day where it was inferred.
pub(super) fn point(at: Instant, precision: Precision) -> String {
    match precision {
        Precision::Year => at.civil().strftime("%Y").to_string(),
        Precision::Month => at.civil().strftime("%B %Y").to_string(),
        Precision::Day | Precision::Inferred => day(at),
        Precision::Instant if is_midnight(at) => day(at),
        Precision::Instant => at.civil().strftime("%-d %B %Y %H:%M").to_string(),
    }
}

fn is_midnight(at: Instant) -> bool {
    at.as_micros().rem_euclid(24 * 60 * 60 * 1_000_000) == 0
}

/// The span of a fact: `since 8 May 2023`, or `May 2021 to 8 May 2023`.
pub(super) fn span(start: (Instant, Precision), end: Option<(Instant, Precision)>) -> String {
    let start = point(start.0, start.1);
    match end {
        None => format!("since {start}"),
        Some((end, precision)) => format!("{start} to {}", point(end, precision)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_finer_than_given() {
        let at = |text: &str| text.parse::<Instant>().unwrap();
        let may = at("2021-05-01T00:00:00Z");
        let end = (at("2023-05-08T13:56:00Z"), Precision::Instant);
        assert_eq!(
            span((may, Precision::Month), Some(end)),
            "May 2021 to 8 May 2023 13:56"
        );
        assert_eq!(span((may, Precision::Year), None), "since 2021");
        assert_eq!(span((may, Precision::Instant), None), "since 1 May 2021");
        assert_eq!(span((end.0, Precision::Inferred), None), "since 8 May 2023");
    }
}
