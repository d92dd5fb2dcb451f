//! What somebody is: a role, a member, married, from a place, of an age.

use super::clause::Clause;
use super::frame::Effect;
use super::group::{Tense, Voice};
use super::lexicon;
use super::name::name_at;
use super::object::Object;
use super::phrase::{Line, Phrase};
use super::predicate::Said;

/// What a clause with "is" states of its subject.
pub(super) fn complements(line: &Line<'_>, clause: &Clause) -> Vec<Said> {
    let group = &clause.group;
    if group.verb != "be" || group.voice != Voice::Copula || group.denied {
        return Vec::new();
    }
    let at = line.skip_adverbs(group.after);
    if group.tense != Tense::Present {
        return Vec::new();
    }
    match line.word(at) {
        "from" => origin(line, at + 1).into_iter().collect(),
        "allergic" if line.word(at + 1) == "to" => line
            .words_from(at + 2, clause.end)
            .map(|words| complement("ALLERGIC_TO", Object::Words(words), false))
            .into_iter()
            .collect(),
        _ => age(line, at)
            .or_else(|| trait_of(line, at, clause.end))
            .map_or_else(|| role(line, at, clause.end), |one| vec![one]),
    }
}

fn complement(relation: &'static str, object: Object, exclusive: bool) -> Said {
    Said {
        relation,
        object,
        effect: Effect::State,
        exclusive,
    }
}

/// "from Porto".
fn origin(line: &Line<'_>, at: usize) -> Option<Said> {
    let name = name_at(&line.names, at)?;
    Some(complement("FROM", Object::Name(name.clone()), false))
}

/// "34 years old".
fn age(line: &Line<'_>, at: usize) -> Option<Said> {
    let token = line.tokens.get(at)?;
    let is_age = token.is_number()
        && token.text.len() < 4
        && line.word(at + 1) == "years"
        && line.word(at + 2) == "old";
    let object = Object::Value(token.text.to_owned());
    is_age.then(|| complement("AGE", object, true))
}

/// A word that says it all: "vegetarian", "Norwegian", "single".
fn trait_of(line: &Line<'_>, at: usize, end: usize) -> Option<Said> {
    const DIETS: &[&str] = &["vegan", "vegetarian", "pescatarian"];
    const STATUSES: &[&str] = &["divorced", "married", "single", "widowed"];
    let at = if matches!(line.word(at), "a" | "an") {
        at + 1
    } else {
        at
    };
    let token = line.tokens.get(at)?;
    let is_last = at + 1 >= end || matches!(line.word(at + 1), "," | "and" | "." | "!");
    if !is_last {
        return None;
    }
    let (relation, text) = if token.is(DIETS) {
        ("DIET", token.word.clone())
    } else if token.is(STATUSES) {
        ("MARITAL_STATUS", token.word.clone())
    } else if token.is_capital() && lexicon::is_nationality(&token.word) {
        ("NATIONALITY", token.text.to_owned())
    } else {
        return None;
    };
    Some(complement(relation, Object::Value(text), true))
}

/// "the stage manager at Orrery Theatre", "a nurse", "a member of the Rowing Club".
fn role(line: &Line<'_>, at: usize, end: usize) -> Vec<Said> {
    const GONE: &[&str] = &[
        "former", "ex", "old", "previous", "retired", "next", "future", "aspiring", "wannabe",
        "bad", "terrible", "kind", "sort", "fan", "huge", "big", "better", "great", "good",
    ];
    if !matches!(line.word(at), "a" | "an" | "the") {
        return Vec::new();
    }
    let mut first = at + 1;
    while matches!(line.word(first), "new" | "current" | "only" | "proud") {
        first += 1;
    }
    let mut last = None;
    for at in first..end.min(first + 4) {
        let token = &line.tokens[at];
        if !token.is_word()
            || token.is(GONE)
            || token.is(&["at", "of", "for", "with", "in", "and", "or"])
        {
            break;
        }
        if token.is_capital() && !token.text.chars().all(char::is_uppercase) {
            break;
        }
        last = Some(at);
    }
    let Some(last) = last.filter(|_| !line.tokens[first].is(GONE)) else {
        return Vec::new();
    };
    let head = line.word(last);
    let next = line.word(last + 1);
    let object = line
        .name_from(last + 2)
        .filter(|_| matches!(next, "at" | "of" | "for" | "with"));
    let role = Phrase { first, last };
    if let (Some(name), "of" | "at") = (object, next) {
        let relation = match head {
            "member" | "part" => Some("MEMBER_OF"),
            "owner" | "co-owner" if next == "of" => Some("OWNS"),
            "founder" | "co-founder" if next == "of" => Some("FOUNDED"),
            "customer" | "client" if next == "of" => Some("CUSTOMER_OF"),
            "student" => Some("STUDIES_AT"),
            _ => None,
        };
        if let Some(relation) = relation {
            let object = Object::Name(name.clone());
            return vec![complement(relation, object, false)];
        }
    }
    let ends = last + 1 >= end
        || matches!(
            next,
            "," | "." | "!" | "and" | "in" | "at" | "for" | "with" | "of"
        );
    let is_known = lexicon::is_role(head);
    let is_employed = is_known || next == "at";
    let mut complements = Vec::new();
    if ends && (is_known || (object.is_some() && next == "at")) {
        complements.push(complement("HAS_ROLE", Object::Words(role), false));
    }
    if let Some(name) = object.filter(|_| is_employed && ends) {
        complements.push(complement("WORKS_AT", Object::Name(name.clone()), false));
    }
    complements
}
