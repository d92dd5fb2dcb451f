//! The object of a verb: a name that is all there, or the words for a thing. Words that go on in a
//! way that is not understood make no object.

use harper_brill::UPOS;

use super::lexicon::{self, words};
use super::name::Name;
use super::people::is_persons_name;
use super::phrase::{Line, Phrase};
use super::tagger;

/// The object of what is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Object {
    /// An entity, by its name.
    Name(Name),
    /// A value, in the words of the sentence.
    Words(Phrase),
    /// A value, in other words.
    Value(String),
}

words! {
    /// Words that may follow a name without being part of what it names.
    may_follow_name: "again alone anymore back daily every full full-time home last next online part
        part-time this today together tomorrow yesterday";

    /// Common words that places end in.
    ends_place: "bay beach borough city county creek east falls harbor harbour haven heights hill
        hills island islands kingdom lake north park point port republic river rock rocks south
        spring springs states street town valley village west wood woods";

    /// Verbs that say too little of what is liked.
    is_empty_verb: "be do get have hear help keep know say see think try";

    /// Words that mean what was said before.
    is_reference: "her him is it something that them things this you";
}

/// A name that is the whole object.
pub(super) fn single_name<'l>(line: &'l Line<'_>, at: usize, end: usize) -> Option<&'l Name> {
    let name = line.name_from(at)?;
    let is_joined = name.last + 1 < end
        && matches!(line.word(name.last + 1), "and" | "or")
        && line.name_from(name.last + 2).is_some();
    (!is_joined && is_whole(line, name, end)).then_some(name)
}

/// The names of a list that are whole objects.
pub(super) fn listed_names<'l>(line: &'l Line<'_>, at: usize, end: usize) -> Vec<&'l Name> {
    let mut names = line.names_from(at, end);
    names.retain(|name| is_whole(line, name, end));
    names
}

/// Whether no words follow a name that belong to it ("the Acme office").
fn is_whole(line: &Line<'_>, name: &Name, end: usize) -> bool {
    let at = name.last + 1;
    if at >= end {
        return true;
    }
    let token = &line.tokens[at];
    let belongs = token.is_word()
        && !token.is_capital()
        && matches!(line.tag(at), Some(UPOS::NOUN | UPOS::ADJ) | None)
        && !may_follow_name(&token.word)
        && !lexicon::is_adverb(&token.word);
    token.word != "'s" && !belongs
}

/// Whether a name can be that of a place: it does not end in a common word as firms' names do.
pub(super) fn is_place(line: &Line<'_>, name: &Name) -> bool {
    let last = &line.tokens[name.last].word;
    let is_common = matches!(tagger::tag(last), Some(UPOS::NOUN | UPOS::VERB));
    name.first == name.last || !is_common || ends_place(last)
}

/// Whether a name can be that of a person.
pub(super) fn is_person(line: &Line<'_>, name: &Name) -> bool {
    let has_article = name.first > 0 && matches!(line.word(name.first - 1), "a" | "an" | "the");
    let mut rest = name.text.chars().skip(1);
    let is_first_name = name.first == name.last
        && name.text.chars().count() > 1
        && rest.all(|c| c.is_lowercase())
        && matches!(tagger::tag(&name.text), None | Some(UPOS::PROPN));
    !has_article && (is_first_name || is_persons_name(&name.text))
}

/// Names, or the words for things, as what is liked, owned or played.
pub(super) fn names_or_things(
    line: &Line<'_>,
    at: usize,
    end: usize,
    relation: &str,
) -> Vec<Object> {
    if relation == "SPEAKS" {
        return languages(line, at, end);
    }
    if matches!(
        line.word(at),
        "your" | "his" | "her" | "their" | "its" | "that" | "this"
    ) {
        return Vec::new();
    }
    let names = listed_names(line, at, end);
    if !names.is_empty() {
        return names.into_iter().cloned().map(Object::Name).collect();
    }
    let is_taste = matches!(relation, "LIKES" | "DISLIKES");
    if line.word(at) == "to" && (is_taste || relation == "PREFERS") {
        let deed = infinitive(line, at + 1, end);
        return deed.map(|phrase| value(line, phrase)).into_iter().collect();
    }
    // "I love the colour" is about what is at hand; "I love the ocean" is a taste.
    let is_at_hand = |thing: &Phrase| {
        thing.first > 0
            && line.word(thing.first - 1) == "the"
            && !lexicon::is_generic(line.word(thing.last))
    };
    things(line, at, end)
        .into_iter()
        .filter(|thing| !(is_taste && is_at_hand(thing)) && line.word(thing.last + 1) != "'s")
        .map(|thing| value(line, thing))
        .collect()
}

fn languages(line: &Line<'_>, at: usize, end: usize) -> Vec<Object> {
    let is_language = |at: usize| lexicon::is_nationality(line.word(at));
    (at..end)
        .take_while(|&at| is_language(at) || matches!(line.word(at), "," | "and" | "both"))
        .filter(|&at| is_language(at))
        .map(|at| Object::Value(line.tokens[at].text.to_owned()))
        .collect()
}

/// The things of a list: "hiking, camping and running".
fn things(line: &Line<'_>, at: usize, end: usize) -> Vec<Phrase> {
    let mut things: Vec<Phrase> = Vec::new();
    let mut at = at;
    while let Some(thing) = line.words_from(at, end) {
        // "spending time with my dogs and rats" is one thing.
        let is_deed = |thing: &Phrase| line.word(thing.first).ends_with("ing");
        if things
            .last()
            .is_some_and(|before| is_deed(before) && !is_deed(&thing))
        {
            break;
        }
        at = thing.last + 1;
        things.push(thing);
        if !matches!(line.word(at), "," | "and" | "or") {
            break;
        }
        at += 1;
        if line.word(at) == "and" {
            at += 1;
        }
        if at >= end || line.name_from(at).is_some() {
            break;
        }
    }
    things
}

/// The words of a thing as a value; the author's "my" is "their" to others.
fn value(line: &Line<'_>, phrase: Phrase) -> Object {
    let is_own = |at: usize| matches!(line.word(at), "my" | "our");
    if !(phrase.first..=phrase.last).any(is_own) {
        return Object::Words(phrase);
    }
    let words: Vec<&str> = (phrase.first..=phrase.last)
        .map(|at| {
            if is_own(at) {
                "their"
            } else {
                line.tokens[at].text
            }
        })
        .collect();
    Object::Value(words.join(" "))
}

/// "cook for my friends" of "to cook for my friends".
fn infinitive(line: &Line<'_>, at: usize, end: usize) -> Option<Phrase> {
    const MAX_WORDS: usize = 7;
    if is_empty_verb(line.word(at)) {
        return None;
    }
    let is_end = |at: usize| {
        let token = &line.tokens[at];
        !token.is_word()
            || lexicon::is_adverb(&token.word)
            || token.is(&["alot", "and", "as", "or", "when"])
            || (token.word == "a" && line.word(at + 1) == "lot")
    };
    let last = (at..end).take_while(|&at| !is_end(at)).last()?;
    let is_clear = !(at..=last).any(|at| is_reference(line.word(at)));
    (is_clear && last < at + MAX_WORDS).then_some(Phrase { first: at, last })
}
