//! Whether a text holds an expression of time: by its words alone, in some microseconds.
//!
//! It is asked of every candidate of a search, so it only looks for words that tell times and never
//! reads them; what a time *is* was read once, when the episode was extracted. English, and years
//! and dates in digits in any language.

/// Words that tell a time by themselves. "may" and "march" do so only as names, with a capital.
const ALONE: &[&str] = &[
    "january",
    "february",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "apr",
    "jun",
    "jul",
    "aug",
    "sept",
    "oct",
    "nov",
    "dec",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
    "sundays",
    "yesterday",
    "today",
    "tonight",
    "tomorrow",
    "ago",
    "since",
    "recently",
    "soon",
    "weekend",
    "weekends",
    "birthday",
    "anniversary",
    "christmas",
    "easter",
    "thanksgiving",
    "halloween",
];

/// Units and parts of time, which tell one after a word of [`BEFORE_UNIT`] or a number.
const UNITS: &[&str] = &[
    "second",
    "minute",
    "hour",
    "day",
    "night",
    "morning",
    "afternoon",
    "evening",
    "week",
    "month",
    "quarter",
    "year",
    "decade",
    "spring",
    "summer",
    "autumn",
    "fall",
    "winter",
    "time",
    "term",
    "semester",
    "season",
];

/// Words that make a time of a unit.
const BEFORE_UNIT: &[&str] = &[
    "last",
    "next",
    "this",
    "past",
    "previous",
    "coming",
    "following",
    "other",
    "few",
    "couple",
    "several",
    "every",
    "each",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "a",
    "an",
    "of",
    "for",
    "in",
];

/// Whether the text tells a time.
pub fn has_time_expression(text: &str) -> bool {
    let mut last: Option<String> = None;
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        if matches!(
            word,
            "May" | "March" | "Mar" | "Fri" | "Sat" | "Sun" | "Mon" | "Tue" | "Wed" | "Thu"
        ) || is_year_or_date(word)
        {
            return true;
        }
        let word = word.to_lowercase();
        if ALONE.contains(&word.as_str()) {
            return true;
        }
        let singular = word.strip_suffix('s').unwrap_or(&word);
        if UNITS.contains(&singular)
            && last.as_deref().is_some_and(|last| {
                BEFORE_UNIT.contains(&last) || last.chars().all(|c| c.is_ascii_digit())
            })
        {
            return true;
        }
        last = Some(word);
    }
    false
}

/// A year from 1000 to 2999, an ordinal day ("7th"), or a number with the sign of a year, month or
/// day in Chinese, Japanese or Korean.
fn is_year_or_date(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &word[digits..];
    match (digits, rest) {
        (4, "") => word.starts_with(['1', '2']),
        (4, "s") => word.ends_with("0s"),
        (1 | 2, "st" | "nd" | "rd" | "th") => true,
        (1.., _) => rest.starts_with(['年', '月', '日', '년', '월', '일']),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_time() {
        for text in [
            "I went there yesterday!",
            "We moved in two weeks ago.",
            "It was in May, I think",
            "back in 2019 we met",
            "on the 7th we leave",
            "the other day I saw her",
            "last summer was hot",
            "for 3 months now",
            "2023年5月に会いました",
            "Since Monday",
        ] {
            assert!(has_time_expression(text), "{text}");
        }
    }

    #[test]
    fn words_that_tell_none() {
        for text in [
            "",
            "I may come",
            "they march on",
            "room 12345 is free",
            "It was great, thanks",
            "my second cat",
            "日本語",
        ] {
            assert!(!has_time_expression(text), "{text}");
        }
    }
}
