//! What a clause says of its subject: the relations and their objects.

use super::clause::{Clause, Subject};
use super::copula::complements;
use super::durable;
use super::frame::{Effect, Frame, Wanted, denied_relation, frames};
use super::group::{Tense, Voice};
use super::lexicon::{self, words};
use super::name::{Name, name_at};
use super::object::{Object, is_person, is_place, listed_names, names_or_things, single_name};
use super::people::looks_like_person;
use super::phrase::Line;
use super::verb::{self, Form};

/// One thing said of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub relation: &'static str,
    pub object: Object,
    pub effect: Effect,
    /// Whether a subject has one object at a time.
    pub exclusive: bool,
}

words! {
    /// What one joins for leisure; firms are joined for work.
    is_club: "army association band choir church club community gym league navy orchestra party
        society team union";
}

impl Said {
    /// Whether only a person can be the subject.
    pub fn is_human(&self) -> bool {
        matches!(
            self.relation,
            "BORN_IN"
                | "DATES"
                | "DIET"
                | "ENGAGED_TO"
                | "GRADUATED_FROM"
                | "HAS_ROLE"
                | "MARRIED_TO"
                | "MET"
                | "NATIONALITY"
                | "REPORTS_TO"
                | "SPEAKS"
                | "STUDIES_AT"
                | "WORKS_AT"
        )
    }

    /// Whether only a person can be the object.
    pub fn is_about_person(&self) -> bool {
        matches!(
            self.relation,
            "DATES" | "ENGAGED_TO" | "MARRIED_TO" | "MET" | "REPORTS_TO"
        )
    }
}

/// All that a clause says of its subject.
pub(super) fn said(line: &Line<'_>, clause: &Clause) -> Vec<Said> {
    let group = &clause.group;
    if group.voice == Voice::Copula {
        return complements(line, clause);
    }
    if let Some(said) = started_or_stopped(line, clause) {
        return said;
    }
    frames(group.verb, group.voice)
        .map(|frame| by_frame(line, clause, frame, frame.effect, group.after))
        .find(|said| !said.is_empty())
        .unwrap_or_default()
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
        .map(|frame| by_frame(line, clause, frame, effect, at + 1))
        .find(|said| !said.is_empty());
    Some(said.unwrap_or_default())
}

/// What a frame reads from the words after its verb.
fn by_frame(
    line: &Line<'_>,
    clause: &Clause,
    frame: &Frame,
    effect: Effect,
    after: usize,
) -> Vec<Said> {
    let Some((at, left)) = object_start(line, after, frame) else {
        return Vec::new();
    };
    let Some(relation) = relation(line, clause, frame, at) else {
        return Vec::new();
    };
    let said = |object: Object, effect: Effect| Said {
        relation,
        object,
        effect,
        exclusive: frame.exclusive,
    };
    let objects = objects(line, clause, frame, relation, at);
    let left = left.filter(|_| !objects.is_empty());
    left.map(|name| said(Object::Name(name.clone()), Effect::Ends))
        .into_iter()
        .chain(objects.into_iter().map(|object| said(object, effect)))
        .collect()
}

/// The token where the object of a frame begins, and what is left by "moved from A to B".
fn object_start<'l>(
    line: &'l Line<'_>,
    after: usize,
    frame: &Frame,
) -> Option<(usize, Option<&'l Name>)> {
    if frame.particles.is_empty() {
        return Some((after, None));
    }
    let between = line.word(after);
    let goes_on = lexicon::is_adverb(between)
        || matches!(
            between,
            "full-time" | "part-time" | "remotely" | "back" | "over" | "away"
        );
    let at = if goes_on { after + 1 } else { after };
    let leaves = matches!(frame.verb, "move" | "relocate" | "switch");
    if leaves
        && line.word(at) == "from"
        && let Some(name) = name_at(&line.names, at + 1)
    {
        let to = name.last + 1;
        return (line.word(to) == "to").then_some((to + 1, Some(name)));
    }
    let is_led = frame.particles.contains(&line.word(at));
    is_led.then_some((at + 1, None))
}

fn objects(
    line: &Line<'_>,
    clause: &Clause,
    frame: &Frame,
    relation: &str,
    at: usize,
) -> Vec<Object> {
    let end = clause.end;
    let name = |name: &Name| Object::Name(name.clone());
    match frame.wanted {
        Wanted::Organization => single_name(line, at, end)
            .filter(|_| can_work_for(line, clause, at))
            .map(name)
            .into_iter()
            .collect(),
        Wanted::Place => single_name(line, at, end)
            .filter(|place| is_place(line, place))
            .map(name)
            .into_iter()
            .collect(),
        Wanted::Person => listed_names(line, at, end)
            .into_iter()
            .filter(|person| is_person(line, person))
            .map(name)
            .collect(),
        Wanted::Name => listed_names(line, at, end).into_iter().map(name).collect(),
        Wanted::NameOrWords => names_or_things(line, at, end, relation),
        Wanted::Words => {
            let is_people = matches!(line.word(at), "children" | "kids" | "people" | "students");
            let has_article = matches!(line.word(at), "a" | "an" | "the");
            // "works as a nurse", but not "works as expected".
            let fits = !is_people && (has_article || frame.verb != "work");
            line.words_from(at, end)
                .filter(|_| fits)
                .map(Object::Words)
                .into_iter()
                .collect()
        }
        Wanted::Durable => durable::object(line, at, end, frame.verb)
            .map(Object::Words)
            .into_iter()
            .collect(),
    }
}

/// The relation of a frame in this clause; none where the words mean something else.
fn relation(line: &Line<'_>, clause: &Clause, frame: &Frame, at: usize) -> Option<&'static str> {
    let group = &clause.group;
    if group.denied && group.tense == Tense::Present {
        return denied_relation(frame.relation);
    }
    match (frame.verb, frame.relation) {
        // "I'm loving this evening" is no taste.
        (_, "LIKES" | "DISLIKES" | "PREFERS") if group.voice == Voice::Progressive => None,
        ("join", _) => {
            let name = line.name_from(at)?;
            let last = &line.tokens[name.last].word;
            Some(if is_club(last) {
                "MEMBER_OF"
            } else {
                frame.relation
            })
        }
        ("leave", _) => {
            // "I left Acme at five" and "I left Acme for lunch" are no notice.
            let next = line.name_from(at)?.last + 1;
            let is_notice =
                next >= clause.end || matches!(line.word(next), "in" | "last" | "," | "." | "!");
            is_notice.then_some(frame.relation)
        }
        _ => Some(frame.relation),
    }
}

/// Whether the subject can work for someone: "Skerry works for Ann" is about a tool.
fn can_work_for(line: &Line<'_>, clause: &Clause, at: usize) -> bool {
    match &clause.subject {
        Subject::Name(name) => line.word(at - 1) != "for" || looks_like_person(line, name),
        _ => true,
    }
}
