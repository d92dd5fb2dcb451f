//! Rule 7: without a model only names that are alike beyond doubt, of the same type, are one
//! entity. All other likeness is recorded for review and decides nothing, since one letter, one
//! word or another order of words often makes another person or place.

use crate::identity::skeleton_tokens;
use crate::types;

/// How alike two names are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Likeness {
    /// Beyond doubt, with the share of the text that is equal.
    Beyond(f64),
    /// Worth a look, with the share of the words that match.
    Near(f64),
    /// Neither.
    Far,
}

/// A single edit is a slip of the pen only in a long word of a long name.
const LONG_NAME: usize = 4;
const LONG_WORD: usize = 8;
/// The share of matching words from which a pair is worth a look.
const NEAR: f64 = 0.75;

/// How alike two different name keys are, with the types of what they name.
pub fn compare(a: &str, a_type: Option<&str>, b: &str, b_type: Option<&str>) -> Likeness {
    if let (Some(a_type), Some(b_type)) = (types::specific(a_type), types::specific(b_type))
        && types::folded(a_type) == types::folded(b_type)
        && let Some(share) = beyond_doubt(a, b, types::folded(a_type) == "person")
    {
        return Likeness::Beyond(share);
    }
    near(&skeleton_tokens(a), &skeleton_tokens(b)).map_or(Likeness::Far, Likeness::Near)
}

fn beyond_doubt(a: &str, b: &str, is_person: bool) -> Option<f64> {
    let (a, b) = (words(a), words(b));
    if a.len() != b.len() || a.len() < 2 {
        return None;
    }
    let mut unlike = a.iter().zip(&b).filter(|(a, b)| a != b);
    match (unlike.next(), unlike.next()) {
        (None, _) => Some(1.0),
        (Some((one, other)), None) => {
            let length = one.chars().count().min(other.chars().count());
            let is_slip = a.len() >= LONG_NAME
                && length >= LONG_WORD
                && one.chars().next() == other.chars().next()
                && is_one_edit(one, other);
            // One letter makes another given name, however long.
            (is_slip && !is_person).then(|| 1.0 - 1.0 / (a.concat().chars().count() as f64))
        }
        (Some(_), Some(_)) => None,
    }
}

/// The words of a key without what sets words apart on paper only. Signs that tell names apart
/// ("C++", "C#") stay.
fn words(key: &str) -> Vec<String> {
    let is_setting = |c: char| {
        matches!(
            c,
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | ':' | ';' | '®' | '™'
        ) || matches!(c, '«' | '»' | '“' | '”' | '„' | '「' | '」' | '（' | '）')
    };
    key.split(' ')
        .map(|word| word.chars().filter(|&c| !is_setting(c)).collect::<String>())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The share of words that match, if it is worth a look: enough of both names, or all of one.
fn near(a: &[String], b: &[String]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let mut free: Vec<&String> = b.iter().collect();
    let mut matched = 0.0;
    let mut equal = 0;
    for word in a {
        let best = free
            .iter()
            .enumerate()
            .map(|(at, other)| (at, word_match(word, other)))
            .filter(|(_, score)| *score > 0.0)
            .max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.cmp(&x.0)));
        if let Some((at, score)) = best {
            free.remove(at);
            matched += score;
            equal += usize::from(score == 1.0);
        }
    }
    let share = 2.0 * matched / (a.len() + b.len()) as f64;
    let is_contained = equal == a.len().min(b.len());
    (share >= NEAR || is_contained).then_some(share)
}

fn word_match(a: &str, b: &str) -> f64 {
    let (a_length, b_length) = (a.chars().count(), b.chars().count());
    let shorter = a_length.min(b_length);
    if a == b {
        1.0
    } else if shorter >= 3 && (a.starts_with(b) || b.starts_with(a) || is_one_edit(a, b)) {
        0.9
    } else if shorter == 1 && a.chars().next() == b.chars().next() {
        0.8
    } else {
        0.0
    }
}

/// Whether one letter added, left out, put for another or swapped with its neighbour makes one
/// word of the other.
fn is_one_edit(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() {
        (&a, &b)
    } else {
        (&b, &a)
    };
    let start = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let (short, long) = (&short[start..], &long[start..]);
    match long.len() - short.len() {
        0 => match (short, long) {
            ([a, b, rest @ ..], [c, d, other @ ..]) if a == d && b == c && rest == other => true,
            ([_, rest @ ..], [_, other @ ..]) => rest == other,
            _ => false,
        },
        1 => short == &long[1..],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str, entity_type: &str) -> Likeness {
        compare(a, Some(entity_type), b, Some(entity_type))
    }

    fn is_beyond(a: &str, b: &str, entity_type: &str) -> bool {
        matches!(likeness(a, b, entity_type), Likeness::Beyond(_))
    }

    #[test]
    fn a_slip_in_a_long_name_is_beyond_doubt() {
        let name = "pelican bay international laboratories";
        assert!(is_beyond(
            name,
            "pelican bay internatonal laboratories",
            "Organization"
        ));
        assert!(!is_beyond(
            name,
            "pelican bay internatonal laboratories",
            "Person"
        ));
        assert!(is_beyond(
            "velmar (holding) ag",
            "velmar holding ag",
            "Company"
        ));
    }

    #[test]
    fn what_may_be_another_is_not() {
        for (a, b) in [
            (
                "north harbour medical centre",
                "south harbour medical centre",
            ),
            ("visual c++", "visual c#"),
            ("jon marsh", "john marsh"),
            ("velmar corp", "velmar corporation"),
            ("imani okello", "okello imani"),
        ] {
            assert!(!is_beyond(a, b, "Organization"), "{a} {b}");
        }
        let typed = compare("a (b) c", None, "a b c", Some("Company"));
        assert!(!matches!(typed, Likeness::Beyond(_)));
    }

    #[test]
    fn near_names_are_worth_a_look_and_a_shared_word_is_not() {
        let near = |a, b| matches!(likeness(a, b, "Person"), Likeness::Near(_));
        assert!(near("jon marsh", "john marsh"));
        assert!(near("r castellan", "rosa castellan"));
        assert!(near("maria luisa paz", "maria paz"));
        assert!(near("íñigo ibáñez", "inigo ibanez"));
        assert!(near("velmar gmbh", "velmar"));
        assert!(!near("larkfield bakery", "larkfield dairy"));
        assert!(!near("jar of basil", "jar of thyme"));
    }

    #[test]
    fn one_edit() {
        assert!(is_one_edit("centre", "center"));
        assert!(is_one_edit("jon", "john") && is_one_edit("john", "jon"));
        assert!(is_one_edit("berg", "burg"));
        assert!(!is_one_edit("berg", "bergen"));
        assert!(!is_one_edit("anna", "nina"));
    }
}
