//! From the sentences of an episode to its mentions and statements.

use std::collections::HashMap;
use std::ops::Range;

use mneme_events::{Episode, Span};
use mneme_model::{Literal, NameKey, Polarity, TimePoint};

use super::clause::{Clause, Subject, clauses};
use super::frame::Effect;
use super::kin::{self, Owner};
use super::name::{self, Name};
use super::people::{People, Referent, is_persons_name, looks_like_person};
use super::phrase::Line;
use super::predicate::{Said, SaidObject, said};
use super::when::{When, when};
use super::{alias, attribute, render, sentence, tagger, token};
use crate::draft::{Draft, Named, Object, Statement};
use crate::state::Context;
use crate::time::Prefer;

/// Reads one episode.
pub(super) struct Reader<'r> {
    draft: &'r mut Draft,
    episode: &'r Episode,
    people: People<'r>,
    /// The mentions of names, by key.
    by_key: HashMap<NameKey, i32>,
    person_type: Option<String>,
    organization_type: Option<String>,
}

impl<'r> Reader<'r> {
    pub fn new(draft: &'r mut Draft, episode: &'r Episode, context: &'r Context) -> Self {
        let entities = &context.ontology.entities;
        let known = |name: &str| {
            (entities.is_empty() || entities.contains_key(name)).then(|| name.to_owned())
        };
        Self {
            draft,
            episode,
            people: People::new(episode, context),
            by_key: HashMap::new(),
            person_type: known("Person"),
            organization_type: known("Organization"),
        }
    }

    /// Reads all sentences.
    pub fn read(&mut self) {
        let body = &self.episode.body;
        for sentence in sentence::sentences(body) {
            let tokens = token::tokens(body, sentence.span.start, sentence.span.end);
            let tags = tagger::tags(&tokens);
            let names = name::names(body, &tokens, &tags);
            let line = Line {
                body,
                tokens,
                tags,
                names,
            };
            self.line(&line, sentence.asks || asks(&line));
        }
    }

    fn line(&mut self, line: &Line<'_>, asks: bool) {
        let aliases = alias::aliases(line);
        for (index, name) in line.names.iter().enumerate() {
            let is_part = aliases.iter().any(|alias| alias.parts.contains(&index));
            if name.is_sure && !is_part {
                self.name(line, name);
            }
        }
        for alias in &aliases {
            let name = &line.names[alias.name];
            let ordinal = match &alias.full {
                Some(full) => self.full_name(line, name, full),
                None => self.name(line, name),
            };
            if let Some(ordinal) = ordinal {
                self.draft.alias(ordinal, &alias.alias);
                self.by_key.insert(NameKey::of(&alias.alias), ordinal);
            }
        }
        if !asks {
            let attribute = attribute::attribute_fact(line);
            for clause in clauses(line) {
                let is_attribute = attribute
                    .as_ref()
                    .is_some_and(|fact| clause.begin < fact.end && fact.begin < clause.end);
                if !is_attribute {
                    self.clause(line, &clause);
                }
            }
            if let Some(fact) = attribute {
                self.attribute(line, &fact);
            }
        }
        for fact in kin::kin_facts(line) {
            self.kin(line, &fact);
        }
        self.note_persons(line, line.tokens.len());
    }

    fn clause(&mut self, line: &Line<'_>, clause: &Clause) {
        self.note_persons(line, clause.predicate);
        let said = said(line, clause);
        if said.is_empty() {
            return;
        }
        let Some(subject) = self.subject(line, &clause.subject) else {
            return;
        };
        let span = self.span(line, clause.begin, clause.end);
        let when = self.when(line, &span, clause.group.tense.prefer());
        // A time that the statement keeps need not be said again in words that will be wrong later.
        let is_change = said.iter().any(|said| said.effect != Effect::State);
        let relative: &[Range<usize>] = if is_change { &when.relative } else { &[] };
        let sentence = render::sentence(line, clause, self.draft.name(subject), relative);
        for said in said {
            let Some(times) = said.times(&clause.group, &when, self.episode.reference_time) else {
                continue;
            };
            let Some(object) = self.object(line, &said) else {
                continue;
            };
            if object == Object::Entity(subject) {
                continue;
            }
            if said.is_human() {
                self.person(subject);
            }
            self.draft.statement(Statement {
                subject,
                relation: said.relation.to_owned(),
                object,
                fact: sentence.clone(),
                valid_at: times.valid_at,
                invalid_at: times.invalid_at,
                polarity: times.polarity,
                exclusive: said.exclusive,
                span: to_span(&span),
            });
        }
    }

    fn attribute(&mut self, line: &Line<'_>, fact: &attribute::AttributeFact) {
        self.note_persons(line, fact.begin);
        let Some(subject) = self.owner(line, &fact.owner) else {
            return;
        };
        let object = match &fact.object {
            attribute::AttributeObject::Name(name) => match self.name(line, name) {
                Some(object) => Object::Entity(object),
                None => return,
            },
            attribute::AttributeObject::Value(phrase) => {
                Object::Value(Literal::string(line.text(*phrase)))
            }
        };
        let shown = match &object {
            Object::Entity(object) => self.draft.name(*object).to_owned(),
            Object::Value(literal) => literal.text.clone(),
        };
        let span = self.span(line, fact.begin, fact.end);
        let when = self.when(line, &span, Prefer::Past);
        let is = if fact.ended { "is no longer" } else { "is" };
        let sentence = format!(
            "The {} of {} {is} {shown}",
            fact.noun,
            self.draft.name(subject)
        );
        self.draft.statement(Statement {
            subject,
            relation: fact.noun.replace([' ', '-'], "_").to_uppercase(),
            object,
            fact: sentence,
            valid_at: when.since,
            invalid_at: if fact.ended { when.at } else { when.until },
            polarity: if fact.ended {
                Polarity::Ended
            } else {
                Polarity::Holds
            },
            exclusive: true,
            span: to_span(&span),
        });
    }

    fn kin(&mut self, line: &Line<'_>, fact: &kin::KinFact) {
        self.note_persons(line, fact.first);
        let (Some(owner), Some(one)) = (self.owner(line, &fact.owner), self.name(line, &fact.name))
        else {
            return;
        };
        if owner == one {
            return;
        }
        if !fact.is_owned {
            self.person(one);
            self.people.note(&fact.name.text);
        }
        let sentence = format!(
            "{} is {}'s {}",
            self.draft.name(one),
            self.draft.name(owner),
            fact.word
        );
        let (subject, object) = if fact.is_owned {
            (owner, one)
        } else {
            (one, owner)
        };
        let span = self.span(line, fact.first, fact.last + 1);
        self.draft.statement(Statement {
            subject,
            relation: fact.relation.to_owned(),
            object: Object::Entity(object),
            fact: sentence,
            valid_at: None,
            invalid_at: None,
            polarity: Polarity::Holds,
            exclusive: false,
            span: to_span(&span),
        });
    }

    fn subject(&mut self, line: &Line<'_>, subject: &Subject) -> Option<i32> {
        match subject {
            Subject::Speaker => self.owner(line, &Owner::Speaker),
            Subject::Addressee => self.owner(line, &Owner::Addressee),
            Subject::Third => self.owner(line, &Owner::Third),
            Subject::Name(name) => self.name(line, name),
        }
    }

    fn owner(&mut self, line: &Line<'_>, owner: &Owner) -> Option<i32> {
        match owner {
            Owner::Speaker => self.draft.speaker(self.people.speaker()?),
            Owner::Addressee => self.draft.author(self.people.addressee()?),
            Owner::Third => {
                let name = self.people.third()?;
                let ordinal = self.refer(&Referent::Named(name), None)?;
                self.person(ordinal);
                Some(ordinal)
            }
            Owner::Name(name) => self.name(line, name),
        }
    }

    fn object(&mut self, line: &Line<'_>, said: &Said) -> Option<Object> {
        match &said.object {
            SaidObject::Name(name) => {
                let ordinal = self.name(line, name)?;
                if said.relation == "WORKS_AT"
                    && let Some(entity_type) = self.organization_type.clone()
                {
                    self.draft.set_type(ordinal, &entity_type);
                }
                if matches!(
                    said.relation,
                    "MET" | "REPORTS_TO" | "MARRIED_TO" | "ENGAGED_TO" | "DATES"
                ) {
                    self.person(ordinal);
                    self.people.note(&name.text);
                }
                Some(Object::Entity(ordinal))
            }
            SaidObject::Words(phrase) => Some(Object::Value(Literal::string(line.text(*phrase)))),
            SaidObject::Value(text) => Some(Object::Value(Literal::string(text.clone()))),
        }
    }

    fn name(&mut self, line: &Line<'_>, name: &Name) -> Option<i32> {
        let referent = self.people.referent(&name.text);
        let start = line.tokens[name.first].start;
        self.refer(&referent, Some(start..start + name.text.len()))
    }

    fn full_name(&mut self, line: &Line<'_>, name: &Name, full: &str) -> Option<i32> {
        let start = line.tokens[name.first].start;
        let ordinal = self.refer(
            &Referent::Name(full.to_owned()),
            Some(start..start + name.text.len()),
        )?;
        self.by_key.insert(NameKey::of(&name.text), ordinal);
        Some(ordinal)
    }

    fn refer(&mut self, referent: &Referent, place: Option<Range<usize>>) -> Option<i32> {
        match referent {
            Referent::Speaker => self.draft.speaker(self.people.speaker()?),
            Referent::Author(author) => self.draft.author(author),
            Referent::Named(name) | Referent::Name(name) => {
                let key = NameKey::of(name);
                if let Some(&ordinal) = self.by_key.get(&key) {
                    return Some(ordinal);
                }
                let named = Named {
                    name: name.clone(),
                    ..Named::default()
                };
                let ordinal = self
                    .draft
                    .mention(named, place.as_ref().and_then(to_span))?;
                self.by_key.insert(key, ordinal);
                Some(ordinal)
            }
        }
    }

    /// A mention that is a person by what is said of it.
    fn person(&mut self, ordinal: i32) {
        if let Some(entity_type) = &self.person_type
            && is_persons_name(self.draft.name(ordinal))
        {
            let entity_type = entity_type.clone();
            self.draft.set_type(ordinal, &entity_type);
        }
    }

    fn note_persons(&mut self, line: &Line<'_>, before: usize) {
        for name in line.names.iter().filter(|name| name.last < before) {
            if looks_like_person(line, name) {
                self.people.note(&name.text);
            }
        }
    }

    fn when(&self, line: &Line<'_>, span: &Range<usize>, prefer: Prefer) -> When {
        let names: Vec<Range<usize>> = line
            .names
            .iter()
            .map(|name| line.tokens[name.first].start..line.tokens[name.last].end)
            .collect();
        when(
            line.body,
            span.clone(),
            &names,
            self.episode.reference_time,
            prefer,
        )
    }

    fn span(&self, line: &Line<'_>, begin: usize, end: usize) -> Range<usize> {
        line.tokens[begin].start..line.tokens[end - 1].end
    }
}

/// Whether a sentence asks without a question mark: "do you", "where is".
fn asks(line: &Line<'_>) -> bool {
    let is_pronoun = |at| {
        matches!(
            line.word(at),
            "i" | "you" | "he" | "she" | "it" | "we" | "they"
        )
    };
    match line.word(0) {
        "who" | "what" | "where" | "when" | "why" | "how" | "which" => {
            super::verb::is_auxiliary(line.word(1)) || super::verb::is_auxiliary(line.word(2))
        }
        first => super::verb::is_auxiliary(first) && is_pronoun(1),
    }
}

fn to_span(range: &Range<usize>) -> Option<Span> {
    Some(Span {
        start: i32::try_from(range.start).ok()?,
        end: i32::try_from(range.end).ok()?,
    })
}

/// The times of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    pub valid_at: Option<TimePoint>,
    pub invalid_at: Option<TimePoint>,
    pub polarity: Polarity,
}
