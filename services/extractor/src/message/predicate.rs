//! What a clause says of its subject: the relations, their objects, and from when until when.

use mneme_model::{Instant, Polarity, Precision};

use super::clause::{Clause, Subject};
use super::copula::{ComplementObject, complements};
use super::frame::{Effect, Frame, Wanted, denied_relation, frames};
use super::group::{Group, Tense, Voice};
use super::name::{Name, name_at};
use super::people::{is_persons_name, looks_like_person};
use super::phrase::{Line, Phrase};
use super::reader::Times;
use super::verb::{self, Form};
use super::when::When;
use super::{durable, lexicon};
use crate::time::Prefer;

/// One thing said of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub relation: &'static str,
    pub object: SaidObject,
    pub effect: Effect,
    pub exclusive: bool,
}

/// Its object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SaidObject {
    Name(Name),
    Words(Phrase),
    Value(String),
}

/// Firms are joined for work, these for leisure.
const CLUBS: &[&str] = &[
    "army",
    "association",
    "band",
    "choir",
    "church",
    "club",
    "community",
    "gym",
    "league",
    "navy",
    "orchestra",
    "party",
    "society",
    "team",
    "union",
];

impl Tense {
    /// The direction in which times of a clause are looked for.
    pub fn prefer(self) -> Prefer {
        Prefer::Past
    }
}

/// All that a clause says of its subject.
pub(super) fn said(line: &Line<'_>, clause: &Clause) -> Vec<Said> {
    let group = &clause.group;
    if group.voice == Voice::Copula {
        return complements(line, clause)
            .into_iter()
            .map(|complement| Said {
                relation: complement.relation,
                object: match complement.object {
                    ComplementObject::Name(name) => SaidObject::Name(name),
                    ComplementObject::Words(words) => SaidObject::Words(words),
                    ComplementObject::Value(value) => SaidObject::Value(value),
                },
                effect: Effect::State,
                exclusive: complement.exclusive,
            })
            .collect();
    }
    if let Some(said) = started_or_stopped(line, clause) {
        return said;
    }
    for frame in frames(group.verb, group.voice) {
        if let Some(at) = after_particle(line, group.after, frame) {
            let said = objects(line, clause, frame, frame.effect, at);
            if !said.is_empty() {
                return said;
            }
        }
    }
    Vec::new()
}

/// "started using X", "stopped working at X".
fn started_or_stopped(line: &Line<'_>, clause: &Clause) -> Option<Vec<Said>> {
    let effect = match clause.group.verb {
        "start" | "begin" => Effect::Begins,
        "stop" | "quit" => Effect::Ends,
        _ => return None,
    };
    let at = clause.group.after;
    let verb = verb::base_of(line.word(at), Form::Gerund)?;
    let said = frames(verb, Voice::Simple)
        .filter(|frame| frame.effect == Effect::State)
        .find_map(|frame| {
            let at = after_particle(line, at + 1, frame)?;
            let said = objects(line, clause, frame, effect, at);
            (!said.is_empty()).then_some(said)
        });
    Some(said.unwrap_or_default())
}

/// The token where the object of a frame begins.
fn after_particle(line: &Line<'_>, at: usize, frame: &Frame) -> Option<usize> {
    if frame.particles.is_empty() {
        return Some(at);
    }
    let at = match line.word(at) {
        word if lexicon::is_adverb(word)
            || matches!(word, "full-time" | "part-time" | "remotely") =>
        {
            at + 1
        }
        _ => at,
    };
    // "moved from A to B", "moved back to A".
    if frame.verb == "move" || frame.verb == "switch" || frame.verb == "relocate" {
        let at = if matches!(line.word(at), "back" | "over" | "away") {
            at + 1
        } else {
            at
        };
        if line.word(at) == "from"
            && let Some(name) = name_at(&line.names, at + 1)
        {
            return (line.word(name.last + 1) == "to").then_some(name.last + 2);
        }
        return frame.particles.contains(&line.word(at)).then_some(at + 1);
    }
    frame.particles.contains(&line.word(at)).then_some(at + 1)
}

fn objects(
    line: &Line<'_>,
    clause: &Clause,
    frame: &Frame,
    effect: Effect,
    at: usize,
) -> Vec<Said> {
    let say = |object: SaidObject, relation: &'static str| Said {
        relation,
        object,
        effect,
        exclusive: frame.exclusive,
    };
    let relation = relation(line, clause, frame, at);
    let Some(relation) = relation else {
        return Vec::new();
    };
    let mut said = Vec::new();
    match frame.wanted {
        Wanted::Organization | Wanted::Place => {
            if let Some(name) = single_name(line, at, clause.end)
                .filter(|name| frame.wanted != Wanted::Place || is_place(line, name))
                .filter(|_| frame.particles != ["at", "for"] || can_work(line, clause, at))
            {
                said.push(say(SaidObject::Name(name.clone()), relation));
                if let Some(left) = left_behind(line, clause, frame, at) {
                    said.insert(
                        0,
                        Said {
                            effect: Effect::Ends,
                            ..say(SaidObject::Name(left.clone()), relation)
                        },
                    );
                }
            }
        }
        Wanted::Person => {
            for name in line.names_from(at, clause.end) {
                let is_alone = is_person(line, name) && !continues(line, name.last + 1, clause.end);
                if is_alone
                    && !matches!(line.word(name.first.saturating_sub(1)), "the" | "a" | "an")
                {
                    said.push(say(SaidObject::Name(name.clone()), relation));
                }
            }
        }
        Wanted::Name => {
            for name in line.names_from(at, clause.end) {
                if !continues(line, name.last + 1, clause.end) {
                    said.push(say(SaidObject::Name(name.clone()), relation));
                }
            }
            if frame.verb == "switch"
                && let Some(left) = left_behind(line, clause, frame, at)
            {
                said.insert(
                    0,
                    Said {
                        effect: Effect::Ends,
                        ..say(SaidObject::Name(left.clone()), relation)
                    },
                );
            }
        }
        Wanted::NameOrWords => said.extend(
            names_or_words(line, clause, at, relation)
                .into_iter()
                .map(|object| say(object, relation)),
        ),
        Wanted::Words
            if frame.verb == "teach"
                && matches!(line.word(at), "people" | "kids" | "children" | "students") => {}
        Wanted::Words => {
            let article = matches!(line.word(at), "a" | "an" | "the" | "my" | "our");
            if (frame.verb != "work" && frame.verb != "promote"
                || article
                || frame.verb == "promote")
                && let Some(words) = line.words_from(at, clause.end)
            {
                said.push(say(SaidObject::Words(words), relation));
            }
        }
        Wanted::Durable => {
            if let Some(object) = durable::object(line, at, clause.end, frame.verb) {
                said.push(say(object, relation));
            }
        }
    }
    said
}

/// The relation of a frame in this clause; none where the words mean something else.
fn relation(line: &Line<'_>, clause: &Clause, frame: &Frame, at: usize) -> Option<&'static str> {
    if clause.group.denied && clause.group.tense == Tense::Present {
        return denied_relation(frame.relation);
    }
    let is_moment = clause.group.voice == Voice::Progressive
        && matches!(frame.relation, "LIKES" | "DISLIKES" | "PREFERS");
    if is_moment {
        return None;
    }
    if frame.verb == "join" {
        let name = line.name_from(at)?;
        let last = name
            .text
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        if CLUBS.contains(&last.as_str()) {
            return Some("MEMBER_OF");
        }
    }
    if frame.verb == "leave" {
        // "I left Acme at five" and "I left Acme for lunch" are no notice.
        let name = line.name_from(at)?;
        let next = name.last + 1;
        let is_notice =
            next >= clause.end || matches!(line.word(next), "in" | "last" | "," | "." | "!");
        return is_notice.then_some(frame.relation);
    }
    Some(frame.relation)
}

/// A name that is the whole object.
fn single_name<'l>(line: &'l Line<'_>, at: usize, end: usize) -> Option<&'l Name> {
    let name = line.name_from(at)?;
    let is_joined = name.last + 1 < end
        && matches!(line.word(name.last + 1), "and" | "or")
        && line.name_from(name.last + 2).is_some();
    (!is_joined && !continues(line, name.last + 1, end)).then_some(name)
}

/// Whether the words after a name belong to it, so that the name alone is not what is meant.
fn continues(line: &Line<'_>, at: usize, end: usize) -> bool {
    use harper_brill::UPOS;
    if at >= end {
        return false;
    }
    let token = &line.tokens[at];
    let allowed = token.is(&[
        "part",
        "full",
        "part-time",
        "full-time",
        "today",
        "yesterday",
        "tomorrow",
        "last",
        "this",
        "next",
        "every",
        "daily",
        "anymore",
        "again",
        "home",
        "online",
        "back",
        "alone",
        "together",
    ]);
    token.word == "'s"
        || (!allowed
            && token.is_word()
            && matches!(
                line.tags.get(at).copied().flatten(),
                Some(UPOS::NOUN | UPOS::ADJ) | None
            )
            && !token.is_capital()
            && !lexicon::is_adverb(&token.word))
}

/// A place is not called like a firm.
fn is_place(line: &Line<'_>, name: &Name) -> bool {
    const PLACES: &[&str] = &[
        "bay", "beach", "borough", "city", "county", "creek", "east", "falls", "harbor", "harbour",
        "haven", "heights", "hill", "hills", "island", "islands", "kingdom", "lake", "north",
        "park", "point", "port", "republic", "river", "rock", "rocks", "south", "spring",
        "springs", "states", "street", "town", "valley", "village", "west", "wood", "woods",
    ];
    let last = &line.tokens[name.last];
    let is_common = matches!(
        super::tagger::tag(&last.word),
        Some(harper_brill::UPOS::NOUN | harper_brill::UPOS::VERB)
    );
    name.first == name.last || !is_common || last.is(PLACES)
}

/// Whether what is the subject can work for someone: "Skerry works for Ann" is about a tool.
fn can_work(line: &Line<'_>, clause: &Clause, at: usize) -> bool {
    match &clause.subject {
        Subject::Name(name) => line.word(at - 1) != "for" || looks_like_person(line, name),
        _ => true,
    }
}

fn is_person(line: &Line<'_>, name: &Name) -> bool {
    let single = name.first == name.last
        && matches!(
            super::tagger::tag(&name.text),
            None | Some(harper_brill::UPOS::PROPN)
        )
        && name.text.chars().skip(1).any(char::is_lowercase)
        && name.text.chars().skip(1).all(|c| !c.is_uppercase());
    let _ = line;
    single || is_persons_name(&name.text)
}

/// What is left by "moved from A to B", "switched from A to B".
fn left_behind<'l>(
    line: &'l Line<'_>,
    clause: &Clause,
    frame: &Frame,
    at: usize,
) -> Option<&'l Name> {
    if !matches!(frame.verb, "move" | "relocate" | "switch") {
        return None;
    }
    let from = (clause.group.after..at).find(|&at| line.word(at) == "from")?;
    name_at(&line.names, from + 1)
}

fn names_or_words(line: &Line<'_>, clause: &Clause, at: usize, relation: &str) -> Vec<SaidObject> {
    if relation == "SPEAKS" {
        return (at..clause.end)
            .take_while(|&at| {
                lexicon::is_nationality(line.word(at))
                    || matches!(line.word(at), "," | "and" | "both")
            })
            .filter(|&at| lexicon::is_nationality(line.word(at)))
            .map(|at| SaidObject::Value(line.tokens[at].text.to_owned()))
            .collect();
    }
    if matches!(
        line.word(at),
        "your" | "his" | "her" | "their" | "its" | "that" | "this"
    ) {
        return Vec::new();
    }
    let names: Vec<_> = line
        .names_from(at, clause.end)
        .into_iter()
        .filter(|name| !continues(line, name.last + 1, clause.end))
        .map(|name| SaidObject::Name(name.clone()))
        .collect();
    if !names.is_empty() {
        return names;
    }
    let is_taste = matches!(relation, "LIKES" | "DISLIKES");
    if line.word(at) == "to" && (is_taste || relation == "PREFERS") {
        return infinitive(line, at + 1, clause.end)
            .map(|phrase| value(line, phrase))
            .into_iter()
            .collect();
    }
    let is_definite = |thing: &Phrase| thing.first > 0 && line.word(thing.first - 1) == "the";
    things(line, at, clause.end)
        .into_iter()
        .filter(|thing| {
            !is_taste || !is_definite(thing) || lexicon::is_generic(line.word(thing.last))
        })
        .filter(|thing| line.word(thing.last + 1) != "'s")
        .map(|thing| value(line, thing))
        .collect()
}

/// The things of a list: "hiking, camping and running".
fn things(line: &Line<'_>, at: usize, end: usize) -> Vec<Phrase> {
    let mut things: Vec<Phrase> = Vec::new();
    let mut at = at;
    while let Some(thing) = line.words_from(at, end) {
        // "spending time with my dogs and rats" is one thing.
        let is_gerund = |thing: &Phrase| line.word(thing.first).ends_with("ing");
        if things
            .last()
            .is_some_and(|before| is_gerund(before) && !is_gerund(&thing))
        {
            break;
        }
        things.push(thing);
        at = thing.last + 1;
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
fn value(line: &Line<'_>, phrase: Phrase) -> SaidObject {
    let has_own = (phrase.first..=phrase.last).any(|at| matches!(line.word(at), "my" | "our"));
    if !has_own {
        return SaidObject::Words(phrase);
    }
    let words: Vec<&str> = (phrase.first..=phrase.last)
        .map(|at| match line.word(at) {
            "my" | "our" => "their",
            _ => line.tokens[at].text,
        })
        .collect();
    SaidObject::Value(words.join(" "))
}

/// "to cook for my friends": the words after "to", a few of them.
fn infinitive(line: &Line<'_>, at: usize, end: usize) -> Option<Phrase> {
    const MAX_WORDS: usize = 7;
    const EMPTY: &[&str] = &[
        "be", "do", "get", "have", "hear", "help", "keep", "know", "say", "see", "try", "think",
    ];
    const SAYS_TOO_LITTLE: &[&str] = &[
        "it",
        "that",
        "this",
        "them",
        "him",
        "her",
        "you",
        "things",
        "something",
        "is",
    ];
    if EMPTY.contains(&line.word(at)) {
        return None;
    }
    let is_end = |at: usize| {
        let token = &line.tokens[at];
        !token.is_word()
            || token.is(&["and", "or", "when", "a"]) && line.word(at + 1) == "lot"
            || token.is(&["and", "or", "when", "too", "alot", "as"])
            || lexicon::is_adverb(&token.word)
    };
    let last = (at..end).take_while(|&at| !is_end(at)).last()?;
    let is_clear = !(at..=last).any(|at| SAYS_TOO_LITTLE.contains(&line.word(at)));
    (is_clear && last < at + MAX_WORDS).then_some(Phrase { first: at, last })
}

impl Said {
    /// Whether only a person can be the subject.
    pub fn is_human(&self) -> bool {
        matches!(
            self.relation,
            "WORKS_AT"
                | "HAS_ROLE"
                | "REPORTS_TO"
                | "MARRIED_TO"
                | "ENGAGED_TO"
                | "DATES"
                | "MET"
                | "STUDIES_AT"
                | "GRADUATED_FROM"
                | "SPEAKS"
                | "NATIONALITY"
                | "DIET"
                | "BORN_IN"
        )
    }

    /// From when until when it holds by tense and times; `None` where the clause states nothing
    /// that holds or ended.
    pub fn times(&self, group: &Group, when: &When, reference: Instant) -> Option<Times> {
        let holds = |valid_at, invalid_at| Times {
            valid_at,
            invalid_at,
            polarity: Polarity::Holds,
        };
        let ended = |invalid_at| Times {
            valid_at: None,
            invalid_at,
            polarity: Polarity::Ended,
        };
        let is_future = |times: &Times| times.valid_at.is_some_and(|point| point.at > reference);
        let times = match (self.effect, group.tense) {
            (Effect::State, _) if group.ended => ended(when.since.or(when.at)),
            (Effect::State, Tense::UsedTo) => ended(when.until),
            (Effect::State, Tense::Present) => holds(when.since, when.until),
            (Effect::State, Tense::Perfect) if group.denied => ended(Some(when.since?)),
            (Effect::State, Tense::Perfect) => holds(Some(when.since?), when.until),
            (Effect::State, Tense::Past) => match (when.since, when.until) {
                (Some(since), Some(until)) => holds(Some(since), Some(until)),
                (None, Some(until)) => ended(Some(until)),
                _ => return None,
            },
            (_, _) if group.denied || group.voice == Voice::Progressive => return None,
            (_, Tense::Present) if group.voice == Voice::Passive => holds(when.at, None),
            (_, Tense::Present | Tense::UsedTo) => return None,
            (Effect::Begins, Tense::Past | Tense::Perfect) => {
                holds(when.at.or(when.since), when.until)
            }
            (Effect::Ends, Tense::Past | Tense::Perfect) => {
                // "I left Acme at five" is no notice.
                let is_of_the_day = when.at.is_some_and(|at| at.precision == Precision::Instant);
                if is_of_the_day {
                    return None;
                }
                ended(when.at)
            }
            (Effect::Event, Tense::Past | Tense::Perfect) => holds(when.at, None),
        };
        (!is_future(&times)).then_some(times)
    }
}
