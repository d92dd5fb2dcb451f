//! Times of records: RFC 3339, a date (its midnight in UTC), or a number since 1970: seconds, or
//! milliseconds from 100,000,000,000 on.

use mneme_model::{Instant, TimePoint};
use serde_json::Value;

use super::error::IntakeError;
use super::path::Scene;
use super::template::Template;

/// From here on a number is milliseconds: as seconds it would be the year 5138.
const MILLISECONDS_FROM: f64 = 100_000_000_000.0;

/// The time of a key; none where it is missing.
pub fn time_of(
    template: &Template,
    key: &str,
    scene: Scene<'_>,
) -> Result<Option<Instant>, IntakeError> {
    let Some(value) = template.value(scene) else {
        return Ok(None);
    };
    match &*value {
        Value::String(text) => TimePoint::parse(text)
            .map(|point| Some(point.at))
            .map_err(|_| unreadable(key)),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) if (number as f64).abs() >= MILLISECONDS_FROM => {
                Ok(Some(Instant::from_micros(number.saturating_mul(1_000))))
            }
            (Some(number), _) => Ok(Some(Instant::from_micros(number.saturating_mul(1_000_000)))),
            (None, Some(number)) => {
                let unit = if number.abs() >= MILLISECONDS_FROM {
                    1e3
                } else {
                    1e6
                };
                Ok(Some(Instant::from_micros((number * unit).round() as i64)))
            }
            (None, None) => Err(unreadable(key)),
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(unreadable(key)),
    }
}

fn unreadable(key: &str) -> IntakeError {
    IntakeError::unfit(
        key,
        "is no time: it must be RFC 3339 (2024-03-01T09:30:00Z), a date (2024-03-01), or seconds or \
         milliseconds since 1970",
    )
}
