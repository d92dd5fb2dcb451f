//! Which relation a verb states, with what after it and of what kind.

use super::group::Voice;

/// What a verb says of the relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It holds while the present holds: "works at".
    State,
    /// It begins: "joined", "moved to".
    Begins,
    /// It ends: "quit", "stopped using".
    Ends,
    /// It happened: "met", "visited".
    Event,
}

/// What the object must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A name of an organization.
    Organization,
    /// A name of a place.
    Place,
    /// A name of a person.
    Person,
    /// Any name.
    Name,
    /// A name, or common words that are then a value.
    NameOrWords,
    /// Common words, a value.
    Words,
    /// A thing that one keeps: a name after "the", or a word for a durable thing.
    Durable,
}

/// A verb with what follows it.
#[derive(Debug)]
pub(super) struct Frame {
    pub verb: &'static str,
    /// The words right after the verb, one of them; none: the object itself.
    pub particles: &'static [&'static str],
    pub relation: &'static str,
    pub wanted: Wanted,
    pub effect: Effect,
    /// Whether the verb is passive ("is employed by").
    pub is_passive: bool,
    /// Whether a subject has one object at a time.
    pub exclusive: bool,
}

const fn state(
    verb: &'static str,
    particles: &'static [&'static str],
    relation: &'static str,
    wanted: Wanted,
) -> Frame {
    Frame {
        verb,
        particles,
        relation,
        wanted,
        effect: Effect::State,
        is_passive: false,
        exclusive: false,
    }
}

const fn change(
    effect: Effect,
    verb: &'static str,
    particles: &'static [&'static str],
    relation: &'static str,
    wanted: Wanted,
) -> Frame {
    Frame {
        effect,
        ..state(verb, particles, relation, wanted)
    }
}

const fn passive(frame: Frame) -> Frame {
    Frame {
        is_passive: true,
        ..frame
    }
}

const fn exclusive(frame: Frame) -> Frame {
    Frame {
        exclusive: true,
        ..frame
    }
}

use Effect::{Begins, Ends, Event};
use Wanted::{Durable, Name, NameOrWords, Organization, Person, Place, Words};

const FRAMES: &[Frame] = &[
    // Work.
    state("work", &["at", "for"], "WORKS_AT", Organization),
    state("work", &["as"], "HAS_ROLE", Words),
    state("run", &[], "RUNS", Name),
    state("manage", &[], "MANAGES", Name),
    state("lead", &[], "LEADS", Name),
    passive(state(
        "employ",
        &["at", "by", "with"],
        "WORKS_AT",
        Organization,
    )),
    passive(change(
        Begins,
        "hire",
        &["at", "by"],
        "WORKS_AT",
        Organization,
    )),
    passive(change(Begins, "promote", &["to"], "HAS_ROLE", Words)),
    state("report", &["to"], "REPORTS_TO", Person),
    change(Begins, "join", &[], "WORKS_AT", Organization),
    change(Begins, "start", &["at"], "WORKS_AT", Organization),
    change(Ends, "quit", &[], "WORKS_AT", Organization),
    change(Ends, "leave", &[], "WORKS_AT", Organization),
    change(Ends, "resign", &["from"], "WORKS_AT", Organization),
    change(Ends, "retire", &["from"], "WORKS_AT", Organization),
    change(Event, "found", &[], "FOUNDED", Name),
    change(Event, "co-found", &[], "FOUNDED", Name),
    // Residence and origin.
    exclusive(state("live", &["in"], "LIVES_IN", Place)),
    exclusive(state("reside", &["in"], "LIVES_IN", Place)),
    passive(exclusive(state("base", &["in"], "BASED_IN", Place))),
    exclusive(change(Begins, "move", &["to"], "LIVES_IN", Place)),
    exclusive(change(Begins, "relocate", &["to"], "LIVES_IN", Place)),
    passive(exclusive(change(Event, "bear", &["in"], "BORN_IN", Place))),
    // Family and friends.
    passive(exclusive(state("marry", &["to"], "MARRIED_TO", Person))),
    passive(exclusive(state("engage", &["to"], "ENGAGED_TO", Person))),
    exclusive(change(Begins, "marry", &[], "MARRIED_TO", Person)),
    exclusive(change(Ends, "divorce", &[], "MARRIED_TO", Person)),
    state("date", &[], "DATES", Person),
    change(Event, "meet", &[], "MET", Person),
    // Property.
    state("own", &[], "OWNS", NameOrWords),
    change(Begins, "buy", &[], "OWNS", Durable),
    change(Begins, "adopt", &[], "OWNS", Durable),
    change(Ends, "sell", &[], "OWNS", Durable),
    state("have", &[], "HAS", Durable),
    // Preference.
    state("like", &[], "LIKES", NameOrWords),
    state("love", &[], "LIKES", NameOrWords),
    state("enjoy", &[], "LIKES", NameOrWords),
    state("adore", &[], "LIKES", NameOrWords),
    state("hate", &[], "DISLIKES", NameOrWords),
    state("dislike", &[], "DISLIKES", NameOrWords),
    state("prefer", &[], "PREFERS", NameOrWords),
    // Use.
    state("use", &[], "USES", Name),
    change(Begins, "switch", &["to"], "USES", Name),
    // Study, skills, membership.
    state("speak", &[], "SPEAKS", NameOrWords),
    state("play", &[], "PLAYS", NameOrWords),
    state("teach", &["at"], "WORKS_AT", Organization),
    state("teach", &[], "TEACHES", Words),
    state("study", &["at"], "STUDIES_AT", Organization),
    state("study", &[], "STUDIES", Words),
    state("attend", &[], "ATTENDS", Organization),
    change(Event, "graduate", &["from"], "GRADUATED_FROM", Organization),
    state("belong", &["to"], "MEMBER_OF", Organization),
    // Events.
    change(Event, "visit", &[], "VISITED", Place),
];

/// The frames of a verb in a voice.
pub(super) fn frames(verb: &str, voice: Voice) -> impl Iterator<Item = &'static Frame> {
    let is_passive = voice == Voice::Passive;
    FRAMES
        .iter()
        .filter(move |frame| frame.verb == verb && frame.is_passive == is_passive)
}

/// The relation of a state verb, of which "stopped …ing" says that it ended.
pub(super) fn denied_relation(relation: &str) -> Option<&'static str> {
    (relation == "LIKES").then_some("DISLIKES")
}
