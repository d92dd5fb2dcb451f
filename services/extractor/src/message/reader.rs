//! From the sentences of an episode to its mentions and statements.

use std::ops::Range;

use mneme_events::Episode;
use mneme_model::{Literal, Polarity};

use super::attribute::{AttributeFact, AttributeObject, attribute_fact};
use super::clause::{Clause, clauses};
use super::frame::Effect;
use super::group::Tense;
use super::kin::{KinFact, kin_facts};
use super::mentions::{Mentions, span};
use super::object::Object as SaidObject;
use super::phrase::Line;
use super::predicate::{Said, said};
use super::when::{When, when};
use super::{alias, name, render, sentence, tagger, token, verb};
use crate::draft::{Draft, Object, Statement};
use crate::state::Context;
use crate::time::Prefer;

/// The longest sentence that is read, in bytes: what is longer is no prose.
const MAX_SENTENCE_BYTES: usize = 2_000;

/// Reads one episode.
pub(super) struct Reader<'r> {
    episode: &'r Episode,
    mentions: Mentions<'r>,
}

impl<'r> Reader<'r> {
    pub fn new(draft: &'r mut Draft, episode: &'r Episode, context: &'r Context) -> Self {
        Self {
            episode,
            mentions: Mentions::new(draft, episode, context),
        }
    }

    /// Reads all sentences.
    pub fn read(&mut self) {
        let body = &self.episode.body;
        for sentence in sentence::sentences(body) {
            if sentence.span.len() > MAX_SENTENCE_BYTES {
                self.mentions.draft.note(format!(
                    "dropped: a sentence is longer than {MAX_SENTENCE_BYTES} bytes"
                ));
                continue;
            }
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
                self.mentions.name(line, name);
            }
        }
        for alias in &aliases {
            self.mentions.alias(line, alias);
        }
        if !asks {
            let attribute = attribute_fact(line);
            let is_attribute = |clause: &Clause| {
                attribute
                    .as_ref()
                    .is_some_and(|fact| clause.begin < fact.end && fact.begin < clause.end)
            };
            for clause in clauses(line).iter().filter(|clause| !is_attribute(clause)) {
                self.clause(line, clause);
            }
            if let Some(fact) = &attribute {
                self.attribute(line, fact);
            }
        }
        for fact in kin_facts(line) {
            self.kin(line, &fact);
        }
        self.mentions.note_persons(line, line.tokens.len());
    }

    fn clause(&mut self, line: &Line<'_>, clause: &Clause) {
        self.mentions.note_persons(line, clause.predicate);
        let said = said(line, clause);
        if said.is_empty() {
            return;
        }
        let Some(subject) = self.mentions.subject(line, &clause.subject) else {
            return;
        };
        let place = place(line, clause.begin, clause.end);
        // "until Friday" of something that is so now lies ahead.
        let prefer = match clause.group.tense {
            Tense::Present => Prefer::None,
            Tense::Past | Tense::Perfect | Tense::UsedTo => Prefer::Past,
        };
        let when = self.when(line, &place, prefer);
        // A time that the statement keeps need not be said again in words that will be wrong later.
        let is_change = said.iter().any(|said| said.effect != Effect::State);
        let relative: &[Range<usize>] = if is_change { &when.relative } else { &[] };
        let name = self.mentions.draft.name(subject);
        let sentence = render::sentence(line, clause, name, relative);
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
                self.mentions.person(subject);
            }
            self.mentions.draft.statement(Statement {
                subject,
                relation: said.relation.to_owned(),
                object,
                fact: sentence.clone(),
                valid_at: times.valid_at,
                invalid_at: times.invalid_at,
                polarity: times.polarity,
                exclusive: said.exclusive,
                span: span(&place),
            });
        }
    }

    fn object(&mut self, line: &Line<'_>, said: &Said) -> Option<Object> {
        match &said.object {
            SaidObject::Name(name) => {
                let ordinal = self.mentions.name(line, name)?;
                if said.relation == "WORKS_AT" {
                    self.mentions.organization(ordinal);
                }
                if said.is_about_person() {
                    self.mentions.person(ordinal);
                    self.mentions.note_person(name);
                }
                Some(Object::Entity(ordinal))
            }
            SaidObject::Words(phrase) => Some(Object::Value(Literal::string(line.text(*phrase)))),
            SaidObject::Value(text) => Some(Object::Value(Literal::string(text.clone()))),
        }
    }

    fn attribute(&mut self, line: &Line<'_>, fact: &AttributeFact) {
        self.mentions.note_persons(line, fact.begin);
        let Some(subject) = self.mentions.owner(line, &fact.owner) else {
            return;
        };
        let object = match &fact.object {
            AttributeObject::Name(name) => match self.mentions.name(line, name) {
                Some(object) => Object::Entity(object),
                None => return,
            },
            AttributeObject::Value(phrase) => Object::Value(Literal::string(line.text(*phrase))),
        };
        let draft = &self.mentions.draft;
        let shown = match &object {
            Object::Entity(object) => draft.name(*object),
            Object::Value(literal) => &literal.text,
        };
        let is = if fact.ended { "is no longer" } else { "is" };
        let sentence = format!("The {} of {} {is} {shown}", fact.noun, draft.name(subject));
        let place = place(line, fact.begin, fact.end);
        let when = self.when(line, &place, Prefer::None);
        self.mentions.draft.statement(Statement {
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
            span: span(&place),
        });
    }

    fn kin(&mut self, line: &Line<'_>, fact: &KinFact) {
        self.mentions.note_persons(line, fact.first);
        let Some(owner) = self.mentions.owner(line, &fact.owner) else {
            return;
        };
        let Some(one) = self
            .mentions
            .name(line, &fact.name)
            .filter(|&one| one != owner)
        else {
            return;
        };
        if !fact.is_owned {
            self.mentions.person(one);
            self.mentions.note_person(&fact.name);
        }
        let draft = &mut self.mentions.draft;
        let sentence = format!(
            "{} is {}'s {}",
            draft.name(one),
            draft.name(owner),
            fact.word
        );
        let (subject, object) = if fact.is_owned {
            (owner, one)
        } else {
            (one, owner)
        };
        draft.statement(Statement {
            subject,
            relation: fact.relation.to_owned(),
            object: Object::Entity(object),
            fact: sentence,
            valid_at: None,
            invalid_at: None,
            polarity: Polarity::Holds,
            exclusive: false,
            span: span(&place(line, fact.first, fact.last + 1)),
        });
    }

    fn when(&self, line: &Line<'_>, span: &Range<usize>, prefer: Prefer) -> When {
        let names: Vec<Range<usize>> = line
            .names
            .iter()
            .map(|name| place(line, name.first, name.last + 1))
            .collect();
        let reference = self.episode.reference_time;
        when(line.body, span.clone(), &names, reference, prefer)
    }
}

/// The bytes of the tokens `begin..end`, of which there is at least one.
fn place(line: &Line<'_>, begin: usize, end: usize) -> Range<usize> {
    line.tokens[begin].start..line.tokens[end - 1].end
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
            verb::is_auxiliary(line.word(1)) || verb::is_auxiliary(line.word(2))
        }
        first => verb::is_auxiliary(first) && is_pronoun(1),
    }
}
