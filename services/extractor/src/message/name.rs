//! Names in a sentence: runs of words with a capital. A common word that only begins the sentence is
//! no name, and neither are days, months, nationalities and words for relatives.

use harper_brill::UPOS;

use super::lexicon;
use super::token::Token;

/// A name: the tokens `first..=last`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub first: usize,
    pub last: usize,
    /// The name as written.
    pub text: String,
    /// Whether it is a name beyond doubt, to be noted even where nothing is stated of it.
    pub is_sure: bool,
}

/// The names of a sentence, in order.
pub(super) fn names(body: &str, tokens: &[Token<'_>], tags: &[Option<UPOS>]) -> Vec<Name> {
    if is_headline(tokens) {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !can_begin(tokens, tags, at) {
            at += 1;
            continue;
        }
        let last = end_of_name(tokens, at);
        let text = body[tokens[at].start..tokens[last].end].to_owned();
        let is_sure = is_sure(tokens, tags, at, last);
        names.push(Name {
            first: at,
            last,
            text,
            is_sure,
        });
        at = last + 1;
    }
    names
}

/// The name that begins at a token.
pub(super) fn name_at(names: &[Name], token: usize) -> Option<&Name> {
    names.iter().find(|name| name.first == token)
}

/// A sentence in which nearly all words have capitals tells nothing about names.
fn is_headline(tokens: &[Token<'_>]) -> bool {
    let (mut small, mut all) = (0, 0);
    for token in tokens
        .iter()
        .filter(|token| token.is_word() && token.text != "I")
    {
        all += 1;
        small += usize::from(!token.is_capital());
    }
    all >= 6 && small * 5 <= all
}

fn can_begin(tokens: &[Token<'_>], tags: &[Option<UPOS>], at: usize) -> bool {
    let token = &tokens[at];
    if !token.is_capital()
        || token.text == "I"
        || token.text.contains('@')
        || lexicon::is_never_name(&token.word)
    {
        return false;
    }
    let next_is_capital = tokens
        .get(at + 1)
        .is_some_and(|next| next.is_capital() && !lexicon::is_never_name(&next.word));
    if begins_sentence(tokens, at) {
        return match tags.get(at).copied().flatten() {
            None => !lexicon::is_interjection(&token.word),
            Some(UPOS::PROPN) => true,
            Some(UPOS::NOUN | UPOS::ADJ) => next_is_capital,
            Some(_) => false,
        };
    }
    if lexicon::is_nationality(&token.word) {
        return next_is_capital;
    }
    true
}

/// Whether a capital is due whatever the word is.
fn begins_sentence(tokens: &[Token<'_>], at: usize) -> bool {
    at == 0
        || matches!(
            tokens[at - 1].text,
            ":" | "\"" | "“" | "‘" | "'" | "-" | "*" | "•" | "–" | "—" | "(" | "." | "!" | "?"
        )
}

fn end_of_name(tokens: &[Token<'_>], first: usize) -> usize {
    const CONNECTORS: &[&str] = &[
        "al", "bin", "da", "de", "del", "der", "di", "du", "la", "le", "of", "van", "von", "y",
    ];
    let fits = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            token.is_capital() && token.text != "I" && !lexicon::is_day_or_month(&token.word)
        })
    };
    let mut last = first;
    loop {
        let next = last + 1;
        let Some(token) = tokens.get(next) else {
            return last;
        };
        let is_the = |at: usize| tokens.get(at).is_some_and(|token| token.word == "the");
        let joins = (token.text == "." && is_initial(&tokens[last]))
            || token.text == "&"
            || token.is(CONNECTORS);
        if fits(next) {
            last = next;
        } else if joins && fits(next + 1) {
            last = next + 1;
        } else if token.word == "of" && is_the(next + 1) && fits(next + 2) {
            last = next + 2;
        } else if token.is_number()
            && token.text.len() < 4
            && !tokens.get(next + 1).is_some_and(|after| {
                after.is(&["%", "percent"]) || lexicon::is_day_or_month(&after.word)
            })
        {
            return next;
        } else {
            return last;
        }
    }
}

/// "J." of "J. K. Rowling", "Dr." of "Dr. Who".
fn is_initial(token: &Token<'_>) -> bool {
    token.text.chars().count() == 1 || token.is(&["dr", "mr", "mrs", "ms", "mx", "prof", "st"])
}

fn is_sure(tokens: &[Token<'_>], tags: &[Option<UPOS>], first: usize, last: usize) -> bool {
    let letters = tokens[first]
        .text
        .chars()
        .filter(|c| c.is_alphabetic())
        .count();
    let is_shouted = tokens[first].text.chars().all(|c| !c.is_lowercase());
    if first < last {
        return !is_shouted || letters < 4;
    }
    let is_common = !matches!(tags.get(first).copied().flatten(), None | Some(UPOS::PROPN));
    !is_shouted && !is_common && letters > 1 && !begins_sentence(tokens, first)
}

#[cfg(test)]
mod tests {
    use super::super::{tagger, token};
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let tokens = token::tokens(text, 0, text.len());
        let names = names(text, &tokens, &tagger::tags(&tokens));
        let found: Vec<_> = names.iter().map(|name| name.text.as_str()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn runs_of_capitals() {
        check("Lena Voss tested the cables.", &["Lena Voss"]);
        check(
            "I met Lena Voss at Quillon Hotels.",
            &["Lena Voss", "Quillon Hotels"],
        );
        check(
            "We saw the University of Porto and J. K. Rowling.",
            &["University of Porto", "J. K. Rowling"],
        );
        check(
            "I bought an iPhone 15 at Smith & Sons.",
            &["iPhone 15", "Smith & Sons"],
        );
        check(
            "Tidelamp sells lamps in Saltmere.",
            &["Tidelamp", "Saltmere"],
        );
    }

    #[test]
    fn capitals_that_are_no_names() {
        check("Boat owners have started to complain.", &[]);
        check("On Friday in March I speak English.", &[]);
        check("Thank you, Mom.", &[]);
        check("Please open the Console.", &["Console"]);
        check("THIS IS ALL VERY LOUD INDEED", &[]);
    }
}
