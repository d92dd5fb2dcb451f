//! The sentence of a fact: the clause with names for pronouns, in the third person, without the
//! words that only make sense on the day it was said.

use std::ops::Range;

use super::clause::{Clause, Subject};
use super::phrase::Line;
use super::verb;

/// The most words of a clause that go into the sentence; of a longer one the end is cut off.
const MAX_WORDS: usize = 40;
/// Words that say "now" or refer to what was said before.
const DEICTIC: &[&str] = &[
    "actually",
    "again",
    "already",
    "also",
    "anyway",
    "currently",
    "just",
    "now",
    "recently",
    "still",
    "then",
    "too",
];

/// The sentence of a clause with this subject. `relative` are the places of relative times.
pub(super) fn sentence(
    line: &Line<'_>,
    clause: &Clause,
    subject: &str,
    relative: &[Range<usize>],
) -> String {
    let mut sentence = subject.to_owned();
    let mut at = clause.predicate;
    let end = clause.end.min(clause.predicate + MAX_WORDS);
    let speaks = matches!(clause.subject, Subject::Speaker | Subject::Addressee);
    while at < end {
        let token = &line.tokens[at];
        let is_as_before =
            token.word == "as" && matches!(line.word(at + 1), "before" | "always" | "usual");
        if is_as_before {
            at += 2;
            continue;
        }
        let is_said_then = relative
            .iter()
            .any(|place| place.start < token.end && token.start < place.end);
        let is_deictic = token.word == "right" && line.word(at + 1) == "now"
            || DEICTIC.contains(&token.word.as_str());
        if is_said_then || is_deictic {
            at += 1;
            continue;
        }
        let text = if at == clause.group.finite {
            finite(line, at, clause, speaks)
        } else {
            replaced(&token.word, &clause.subject, subject).unwrap_or_else(|| token.text.to_owned())
        };
        let is_joined = at > clause.predicate
            && line.tokens[at - 1].end == token.start
            && !sentence.ends_with(' ')
            && text == token.text;
        let joins_finite = token.word == "not" && at > 0 && line.tokens[at - 1].end == token.start;
        if !is_joined && !joins_finite {
            sentence.push(' ');
        }
        sentence.push_str(&text);
        at += 1;
    }
    let trimmed = sentence
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '-' | '.'));
    trimmed.to_owned()
}

/// The verb that carries person and tense, in the third person.
fn finite(line: &Line<'_>, at: usize, clause: &Clause, speaks: bool) -> String {
    let token = &line.tokens[at];
    match token.word.as_str() {
        "am" | "are" => "is".to_owned(),
        "have" if speaks => "has".to_owned(),
        "were" => "was".to_owned(),
        "do" if speaks => "does".to_owned(),
        "'s" => {
            let has = clause.group.tense == super::group::Tense::Perfect;
            if has { "has" } else { "is" }.to_owned()
        }
        word if speaks && word == clause.group.verb => {
            verb::third_person(word).unwrap_or(word).to_owned()
        }
        _ => token.text.to_owned(),
    }
}

/// The word for another reader than the one who was spoken to.
fn replaced(word: &str, by: &Subject, subject: &str) -> Option<String> {
    let text = match (word, by) {
        ("my" | "our", Subject::Speaker) => "their",
        ("me", Subject::Speaker) => subject,
        ("myself", Subject::Speaker) => "themself",
        ("us", Subject::Speaker) => "them",
        ("your", Subject::Addressee) => "their",
        _ => return None,
    };
    Some(text.to_owned())
}
