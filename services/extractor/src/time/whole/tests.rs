use super::super::{Prefer, read_time, read_times};
use super::*;

fn reference() -> Instant {
    "2026-05-12T08:31:00Z".parse().unwrap()
}

fn read(text: &str, language: Language) -> Vec<String> {
    read_times(text, reference(), language, Prefer::Past)
        .into_iter()
        .map(|found| found.start.unwrap().at.to_string()[..10].to_owned())
        .collect()
}

#[test]
fn impossible_and_far_dates_are_no_times() {
    for text in [
        "30 February 2025",
        "I moved on 30 February 2025 to Rome",
        "the 30th of February 2025",
        "30th February 2025",
        "February 30, 2025",
        "February 30th 2025",
        "Feb. 30 2025",
        "29 February 2025",
        "0 May 2024",
        "99 May 2024",
        "31 June",
        "on the 31st of June",
        "Monday, 30 February 2025",
        "since 30 February 2025",
        "from 30 February 2025 to 3 May 2026",
        "from 3 May 2025 to 31 June 2026",
        "2025-02-30",
        "2025-02-30 10:00",
        "2025-02-29T10:00:00Z",
        "2025-13-01",
        "2025/02/30",
        "30/02/2025",
        "31 December 9999",
        "9999-12-31",
        "3 May 3026",
        "May 3, 3026",
        "in May 3026",
        "3 May 12345",
        "3 May 2124",
        "3 May 500",
        "1 January 0001",
        "3 May '24",
        "3-5 May 2024",
    ] {
        assert_eq!(read(text, Language::ENGLISH), [""; 0], "{text}");
        let one = read_time(text, reference(), Language::ENGLISH, Prefer::Past);
        let is_iso = text.starts_with("9999");
        assert_eq!(one.is_some(), is_iso, "{text}");
    }
    for (code, text) in [
        ("de", "30. Februar 2025"),
        ("de", "am 31. Juni 2024"),
        ("fr", "30 février 2025"),
        ("fr", "le 3 mai 3026"),
        ("es", "30 de febrero de 2025"),
        ("ru", "30 февраля 2025"),
        ("zh", "2025年2月30日"),
        ("ja", "2025年2月30日"),
        ("hu", "2025. február 30."),
    ] {
        let language = Language::from_code(code).unwrap();
        assert_eq!(read(text, language), [""; 0], "{text}");
    }
}

#[test]
fn whole_dates_and_numbers_beside_them_stay() {
    for (text, starts) in [
        ("3 May 2024", vec!["2024-05-03"]),
        ("May 3rd, 2024", vec!["2024-05-03"]),
        ("Monday 3 March 2025", vec!["2025-03-03"]),
        ("29 February 2024", vec!["2024-02-29"]),
        ("2024-05-03 10:00", vec!["2024-05-03"]),
        ("3 May 2024 at 9:30 pm", vec!["2024-05-03"]),
        ("3 May 2024-5 May 2024", vec!["2024-05-03"]),
        ("from 2010 to 2015", vec!["2010-01-01"]),
        ("In May 2024, 30 people came", vec!["2024-05-01"]),
        ("I sold 300 yesterday", vec!["2026-05-11"]),
        ("On Friday we met 12 people", vec!["2026-05-08"]),
        ("12 years ago, 3 of us met", vec!["2014-05-01"]),
        ("in 2hours", vec!["2026-05-12"]),
        ("2 Thursdays ago", vec!["2026-04-30"]),
        ("5 people met in May", vec!["2026-05-01"]),
        ("2019-03-04 (ticket 5)", vec!["2019-03-04"]),
        ("5 May 2024 and 30 February 2025", vec!["2024-05-05"]),
        ("3 May 3026. Yesterday it rained", vec!["2026-05-11"]),
    ] {
        assert_eq!(read(text, Language::ENGLISH), starts, "{text}");
    }
    let german = Language::from_code("de").unwrap();
    assert_eq!(read("3. Mai 2024", german), ["2024-05-03"]);
    let french = Language::from_code("fr").unwrap();
    assert_eq!(read("le 3 mai 2024", french)[0], "2024-05-03");
}
