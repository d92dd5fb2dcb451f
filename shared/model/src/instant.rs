//! An [`Instant`] is one point of time whatever offset it was written with: 10:00+02:00 and 08:00Z
//! are equal, and order is that of time, never that of text.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::InvalidValue;

/// A point of time in microseconds since 1970-01-01T00:00:00Z.
///
/// Human-readable formats (JSON) hold it as RFC 3339 in UTC, binary ones (Avro, postcard) as an
/// `i64` of microseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

/// How exactly a time was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// A time of day was given.
    Instant,
    /// A day was given; the instant is its first.
    Day,
    /// A month was given; the instant is its first.
    Month,
    /// A year was given; the instant is its first.
    Year,
    /// Nothing was given: the instant is the reference time of the episode.
    Inferred,
}

impl Precision {
    /// The word that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Instant => "instant",
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
            Self::Inferred => "inferred",
        }
    }
}

/// A time as a statement gives it: the first instant of what was named, and how exact that was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimePoint {
    /// The first instant of the time named.
    pub at: Instant,
    /// How exactly it was named.
    pub precision: Precision,
}

impl Instant {
    /// The first instant that can be told, -9999-01-02 (one day inside what the calendar allows).
    pub const MIN: Self = Self(-377_705_030_400_000_000);
    /// The last instant that can be told.
    pub const MAX: Self = Self(253_402_207_200_000_000);

    /// From microseconds since the epoch; clamped into what the calendar can tell.
    pub fn from_micros(micros: i64) -> Self {
        Self(micros.clamp(Self::MIN.0, Self::MAX.0))
    }

    /// Microseconds since the epoch.
    pub fn as_micros(self) -> i64 {
        self.0
    }

    /// From a time stamp; what is finer than a microsecond is cut off.
    pub fn from_timestamp(timestamp: Timestamp) -> Self {
        Self::from_micros(timestamp.as_microsecond())
    }

    /// As a time stamp.
    pub fn timestamp(self) -> Timestamp {
        Timestamp::from_microsecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The date and time of day in UTC.
    pub fn civil(self) -> DateTime {
        TimeZone::UTC.to_datetime(self.timestamp())
    }

    /// From a date and time of day in UTC.
    pub fn from_civil(civil: DateTime) -> Result<Self, InvalidValue> {
        TimeZone::UTC
            .to_timestamp(civil)
            .map(Self::from_timestamp)
            .map_err(|_| InvalidValue::new("the date is outside of what can be told"))
    }

    /// Bytes whose order is the order of time, for keys.
    pub fn to_key(self) -> [u8; 8] {
        ((self.0 as u64) ^ (1 << 63)).to_be_bytes()
    }

    /// The inverse of [`Self::to_key`].
    pub fn from_key(key: [u8; 8]) -> Self {
        Self((u64::from_be_bytes(key) ^ (1 << 63)) as i64)
    }
}

impl TimePoint {
    /// A time given to the instant.
    pub fn instant(at: Instant) -> Self {
        Self {
            at,
            precision: Precision::Instant,
        }
    }

    /// Reads a time: RFC 3339 with or without offset (none is UTC), a day `2024-03-01`, a month
    /// `2024-03` or a year `2024`. The precision is what was written.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let refused = || {
            InvalidValue::new(format!(
                "'{}' is not a time: write RFC 3339 (2024-03-01T09:30:00Z), a day (2024-03-01), a \
                 month (2024-03) or a year (2024)",
                text.chars().take(40).collect::<String>()
            ))
        };
        let day = |year: &str, month: &str, precision| {
            let date = Date::new(
                year.parse().map_err(|_| refused())?,
                month.parse().map_err(|_| refused())?,
                1,
            )
            .map_err(|_| refused())?;
            Ok(Self {
                at: Instant::from_civil(date.at(0, 0, 0, 0))?,
                precision,
            })
        };
        let digits =
            |part: &str, count| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
        if digits(text, 4) {
            return day(text, "1", Precision::Year);
        }
        if let Some((year, month)) = text.split_once('-')
            && digits(year, 4)
            && digits(month, 2)
        {
            return day(year, month, Precision::Month);
        }
        if text.len() == 10 {
            let date = Date::from_str(text).map_err(|_| refused())?;
            let at = Instant::from_civil(date.at(0, 0, 0, 0)).unwrap_or(Instant::MAX);
            return Ok(Self {
                at,
                precision: Precision::Day,
            });
        }
        if let Ok(timestamp) = Timestamp::from_str(text) {
            return Ok(Self::instant(Instant::from_timestamp(timestamp)));
        }
        // The last day of the calendar, which other systems write for "no end", is further than
        // what an instant can tell in every zone: it is taken as the last instant.
        let unzoned = text.strip_suffix(['Z', 'z']).unwrap_or(text);
        if text.starts_with("9999-12-31") && DateTime::from_str(unzoned).is_ok() {
            return Ok(Self::instant(Instant::MAX));
        }
        let civil = DateTime::from_str(text).map_err(|_| refused())?;
        Ok(Self::instant(Instant::from_civil(civil)?))
    }
}

impl FromStr for Instant {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        TimePoint::parse(text).map(|point| point.at)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.timestamp(), f)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            text.parse().map_err(serde::de::Error::custom)
        } else {
            i64::deserialize(deserializer).map(Self::from_micros)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_one_instant_and_none_is_utc() {
        let at = |text: &str| text.parse::<Instant>().unwrap();
        assert_eq!(at("2024-03-01T10:00:00+02:00"), at("2024-03-01T08:00:00"));
        assert!(at("2024-03-01T01:00:00+05:30") < at("2024-02-29T20:00:00Z"));
        assert_eq!(
            at("2024-03-01T08:00:00Z").to_string(),
            "2024-03-01T08:00:00Z"
        );
    }

    #[test]
    fn precision_is_what_was_written() {
        let precision = |text: &str| TimePoint::parse(text).unwrap().precision;
        assert_eq!(precision("2024"), Precision::Year);
        assert_eq!(precision("2024-03"), Precision::Month);
        assert_eq!(precision("2024-03-01"), Precision::Day);
        assert_eq!(precision("2024-03-01T00:00:00Z"), Precision::Instant);
    }

    #[test]
    fn the_last_day_of_the_calendar_is_the_last_instant() {
        for text in ["9999-12-31", "9999-12-31T00:00:00Z", "9999-12-31T23:59:59"] {
            assert_eq!(TimePoint::parse(text).unwrap().at, Instant::MAX, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "yesterday",
            "2024-02-30T10:00:00Z",
            "2024-13-01T00:00:00Z",
            "later",
            "",
            "24",
        ] {
            assert!(TimePoint::parse(text).is_err(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn key_order_is_time_order(a in proptest::num::i64::ANY, b in proptest::num::i64::ANY) {
            let (a, b) = (Instant::from_micros(a), Instant::from_micros(b));
            assert_eq!(a.cmp(&b), a.to_key().cmp(&b.to_key()));
            assert_eq!(Instant::from_key(a.to_key()), a);
        }

        #[test]
        fn shown_and_read_again(micros in Instant::MIN.as_micros()..Instant::MAX.as_micros()) {
            let at = Instant::from_micros(micros);
            assert_eq!(at.to_string().parse::<Instant>().unwrap(), at);
        }
    }
}
