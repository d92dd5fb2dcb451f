//! A time as a request gives it, which keeps how exactly it was written.

use std::str::FromStr;

use mneme_model::{InvalidValue, Precision, TimePoint};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// RFC 3339 (`2024-03-01T09:30:00Z`; no offset is UTC), a day (`2024-03-01`), a month (`2024-03`) or
/// a year (`2024`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, examples("2024-03-01T09:30:00Z", "2024-03-01", "2024-03", "2024"))]
pub struct TimeText(pub TimePoint);

impl From<TimePoint> for TimeText {
    fn from(point: TimePoint) -> Self {
        Self(point)
    }
}

impl FromStr for TimeText {
    type Err = InvalidValue;

    /// A `+` of an offset that a query string turned into a space is read as what it was.
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let plus = text
            .rfind(' ')
            .filter(|&space| text.contains('T') && space > 10);
        match plus {
            Some(space) => {
                TimePoint::parse(&format!("{}+{}", &text[..space], &text[space + 1..])).map(Self)
            }
            None => TimePoint::parse(text).map(Self),
        }
    }
}

impl Serialize for TimeText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let civil = self.0.at.civil();
        match self.0.precision {
            Precision::Year => serializer.collect_str(&civil.strftime("%Y")),
            Precision::Month => serializer.collect_str(&civil.strftime("%Y-%m")),
            Precision::Day => serializer.collect_str(&civil.strftime("%Y-%m-%d")),
            Precision::Instant | Precision::Inferred => serializer.collect_str(&self.0.at),
        }
    }
}

impl<'de> Deserialize<'de> for TimeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_it_was_read() {
        for text in ["2024", "2024-03", "2024-03-01", "2024-03-01T09:30:00Z"] {
            let read: TimeText = text.parse().unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), text);
        }
    }

    #[test]
    fn a_plus_that_became_a_space() {
        let read: TimeText = "2024-03-01T10:00:00 02:00".parse().unwrap();
        assert_eq!(read, "2024-03-01T08:00:00Z".parse().unwrap());
    }
}
