//! "The account owner of Saltmere Marina is now Mara Quist", "Saltmere's address is 27 Dock Road",
//! "my favourite colour is blue": a noun as the relation. Only nouns that are known to name a
//! relation are read so.

use harper_brill::UPOS;

use super::clause::end_of_clause;
use super::group::{Group, Tense, Voice, group};
use super::kin::{Owner, owner_at};
use super::lexicon::{self, words};
use super::name::{Name, name_at};
use super::phrase::{Line, Phrase};

words! {
    /// Nouns whose object is a person or a firm, so that it must be a name.
    names_entity: "agent assistant bank boss capital captain ceo cfo chairman chief client coach
        contact coordinator cto dentist director doctor editor employer founder head
        headquarters hometown lawyer lead leader manager mayor mentor owner president
        principal provider publisher representative school secretary sponsor supervisor
        supplier teacher vendor";

    /// Nouns whose object is a value.
    names_value: "address age birthday budget color colour deadline email extension height hobby job
        major motto nationality number occupation phone plan price profession religion role
        salary size slogan status title website weight";

    /// Words before the noun that leave the relation as it is.
    is_plain: "current main new own present";

    /// Words before the noun that make it another relation.
    is_changed: "biggest ex first former future last next old only other possible potential previous
        real second";
}

/// The most words of a relation.
const MAX_NOUN_WORDS: usize = 3;

/// What a sentence says by a noun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AttributeFact {
    pub owner: Owner,
    /// The words of the noun, as in "account owner".
    pub noun: String,
    pub object: AttributeObject,
    /// Whether it says that it is no longer so.
    pub ended: bool,
    /// The first token, and the one after the last.
    pub begin: usize,
    pub end: usize,
}

/// The object of a noun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AttributeObject {
    /// A name.
    Name(Name),
    /// A value.
    Value(Phrase),
}

/// The first fact of that kind in a sentence.
pub(super) fn attribute_fact(line: &Line<'_>) -> Option<AttributeFact> {
    for at in 0..line.tokens.len() {
        if lexicon::is_hedge(line.word(at)) || matches!(line.word(at), "\"" | "“" | "when" | "once")
        {
            return None;
        }
        if let Some(fact) = owned(line, at).or_else(|| noun_of(line, at)) {
            return Some(fact);
        }
    }
    None
}

/// "Saltmere's account owner is …", "my address is …".
fn owned(line: &Line<'_>, at: usize) -> Option<AttributeFact> {
    let (owner, after) = owner_at(line, at)?;
    let (noun, after) = noun_at(line, after)?;
    let group = group(&line.tokens, after)?;
    fact(line, at, owner, noun, &group)
}

/// "The account owner of Saltmere is …".
fn noun_of(line: &Line<'_>, at: usize) -> Option<AttributeFact> {
    if line.word(at) != "the" {
        return None;
    }
    let (noun, after) = noun_at(line, at + 1)?;
    if !matches!(line.word(after), "of" | "at" | "for") {
        return None;
    }
    let name = line.name_from(after + 1)?;
    let group = group(&line.tokens, name.last + 1)?;
    fact(line, at, Owner::Name(name.clone()), noun, &group)
}

/// The words of a noun from a token on, and the token after them.
fn noun_at(line: &Line<'_>, mut at: usize) -> Option<(String, usize)> {
    while is_plain(line.word(at)) {
        at += 1;
    }
    let mut words: Vec<&str> = Vec::new();
    for at in at..at + MAX_NOUN_WORDS {
        let token = line.tokens.get(at)?;
        let is_function_word = token.is(&["a", "an", "and", "in", "is", "of", "or", "the", "to"]);
        if is_changed(&token.word) || !token.is_word() || token.is_capital() || is_function_word {
            return None;
        }
        words.push(&token.word);
        let next = line.word(at + 1);
        let is_noun = names_entity(&token.word)
            || names_value(&token.word)
            || matches!(words.as_slice(), ["favourite" | "favorite", ..] if words.len() > 1);
        let ends = matches!(
            next,
            "of" | "at" | "for" | "is" | "'s" | "was" | "are" | "has"
        ) || lexicon::is_adverb(next);
        if is_noun && ends {
            return Some((words.join(" "), at + 1));
        }
    }
    None
}

fn fact(
    line: &Line<'_>,
    begin: usize,
    owner: Owner,
    noun: String,
    group: &Group,
) -> Option<AttributeFact> {
    let is_now =
        group.verb == "be" && group.voice == Voice::Copula && group.tense == Tense::Present;
    if !is_now || group.denied {
        return None;
    }
    let at = line.skip_adverbs(group.after);
    let last_word = noun.rsplit(' ').next().unwrap_or_default();
    let is_favourite = noun.starts_with("favo");
    let end = end_of_clause(line, at);
    if let Some(name) = name_at(&line.names, at)
        && (names_entity(last_word) || is_favourite)
        && ends_after(line, name.last + 1, end)
    {
        return Some(AttributeFact {
            owner,
            noun,
            object: AttributeObject::Name(name.clone()),
            ended: group.ended,
            begin,
            end,
        });
    }
    if !names_value(last_word) && !is_favourite {
        return None;
    }
    let value = value(line, last_word, at, end)?;
    Some(AttributeFact {
        owner,
        noun,
        object: AttributeObject::Value(value),
        ended: group.ended,
        begin,
        end: value.last + 1,
    })
}

/// A name is the whole object only where nothing else follows that would change it.
fn ends_after(line: &Line<'_>, at: usize, end: usize) -> bool {
    at >= end
        || lexicon::is_adverb(line.word(at))
        || matches!(
            line.word(at),
            "," | "." | "!" | "from" | "since" | "until" | "as" | "in" | "on" | "at"
        )
}

/// The words of a value: all of an address, of others the noun phrase, a number or an address of
/// e-mail.
fn value(line: &Line<'_>, noun: &str, at: usize, end: usize) -> Option<Phrase> {
    let first = line.tokens.get(at)?;
    if !first.is_word() {
        return None;
    }
    if matches!(noun, "address" | "birthday" | "website") {
        let is_value = first.text.starts_with(|c: char| c.is_ascii_digit())
            || first.text.contains(['@', '.'])
            || name_at(&line.names, at).is_some()
            || noun == "birthday" && super::lexicon::is_day_or_month(&first.word);
        let mut last = end.checked_sub(1)?;
        while last > at && !line.tokens[last].is_word() {
            last -= 1;
        }
        return is_value.then_some(Phrase { first: at, last });
    }
    let one = Phrase {
        first: at,
        last: at,
    };
    if first.text.starts_with(|c: char| c.is_ascii_digit()) || first.text.contains('@') {
        return Some(one);
    }
    if let Some(name) = line.name_from(at) {
        return Some(Phrase {
            first: name.first,
            last: name.last,
        });
    }
    let phrase = match line.words_from(at, end) {
        Some(phrase) => phrase,
        // "green", "active": an adjective alone.
        None if at + 1 >= end && line.tag(at) == Some(UPOS::ADJ) => one,
        None => return None,
    };
    let is_whole = ends_after(line, phrase.last + 1, end) || line.word(phrase.last + 1) == "and";
    is_whole.then_some(phrase)
}
