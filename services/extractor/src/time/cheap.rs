//! Whether a text may hold a time expression, at the cost of one look at each word. It errs towards
//! yes: who wants to be sure reads the times.

/// Words that are times or parts of one wherever they stand.
const TIME_WORDS: &[&str] = &[
    "ago",
    "april",
    "august",
    "christmas",
    "december",
    "decade",
    "decades",
    "easter",
    "february",
    "friday",
    "fridays",
    "january",
    "july",
    "june",
    "lately",
    "midnight",
    "monday",
    "mondays",
    "month",
    "months",
    "november",
    "now",
    "october",
    "recently",
    "saturday",
    "saturdays",
    "september",
    "since",
    "sunday",
    "sundays",
    "thursday",
    "thursdays",
    "today",
    "tomorrow",
    "tonight",
    "tuesday",
    "tuesdays",
    "until",
    "wednesday",
    "wednesdays",
    "week",
    "weekend",
    "weeks",
    "year",
    "years",
    "yesterday",
    "fortnight",
    "halloween",
];
/// Words that are part of a time only beside a number or a word such as "last".
const MAYBE_WORDS: &[&str] = &[
    "am", "apr", "aug", "autumn", "day", "days", "dec", "evening", "fall", "feb", "fri", "hour",
    "hours", "jan", "jul", "jun", "mar", "march", "may", "minutes", "mon", "morning", "night",
    "nov", "oct", "pm", "quarter", "sat", "sep", "spring", "summer", "thu", "tue", "winter",
];
/// Words that make such a word a time when they stand before it.
const LEADING_WORDS: &[&str] = &[
    "by", "early", "every", "in", "last", "late", "mid", "next", "of", "on", "past", "this",
    "that", "during",
];

/// Whether a text (English, or with dates in digits) may hold a time expression.
pub fn has_time_expression(text: &str) -> bool {
    let mut before: Option<&str> = None;
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | '-'))) {
        if word.is_empty() {
            continue;
        }
        if word.as_bytes()[0].is_ascii_digit() {
            if is_date_or_clock(word) || before.is_some_and(|before| is_any(MAYBE_WORDS, before)) {
                return true;
            }
        } else {
            let is_led = before.is_some_and(|before| {
                before.as_bytes()[0].is_ascii_digit() || is_any(LEADING_WORDS, before)
            });
            if is_any(TIME_WORDS, word) || (is_led && is_any(MAYBE_WORDS, word)) {
                return true;
            }
        }
        before = Some(word);
    }
    false
}

fn is_any(words: &[&str], word: &str) -> bool {
    word.len() <= 10 && words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// "2021", "2021-03-04", "3/4/2021", "9:30", "5pm", "3rd", "90s".
fn is_date_or_clock(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &word[digits..];
    match rest.as_bytes().first() {
        None => digits == 4 && (word.starts_with("19") || word.starts_with("20")),
        Some(b':' | b'/') => rest.len() >= 2 && rest.as_bytes()[1].is_ascii_digit(),
        Some(b'-') => digits == 4 && rest.len() >= 3 && rest.as_bytes()[1].is_ascii_digit(),
        Some(_) => ["am", "pm", "st", "nd", "rd", "th", "s", "h"]
            .iter()
            .any(|suffix| rest.eq_ignore_ascii_case(suffix)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_times() {
        for text in [
            "I met her yesterday",
            "It is from March 2019",
            "in May we go",
            "At 9:30 it rang",
            "born 1984",
            "2 days ago",
            "call me at 5pm",
            "2024-02-03",
            "on the 3rd",
            "last summer was hot",
            "5 Mar",
        ] {
            assert!(has_time_expression(text), "{text}");
        }
    }

    #[test]
    fn texts_without() {
        for text in [
            "",
            "I may come",
            "The band will march",
            "serial number 88-0412",
            "pier 3 flickers",
            "I am well",
            "We have 20 seats",
            "Spring is my cat's name",
        ] {
            assert!(!has_time_expression(text), "{text}");
        }
    }
}
