//! From the names and pronouns of a sentence to the mentions of the episode: each entity is one
//! mention, however often and by whichever of its names it is named.

use std::collections::HashMap;
use std::ops::Range;

use mneme_events::{Episode, Span};
use mneme_model::NameKey;

use super::alias::Alias;
use super::clause::Subject;
use super::kin::Owner;
use super::name::Name;
use super::people::{People, Referent, is_persons_name, looks_like_person};
use super::phrase::Line;
use crate::draft::{Draft, Named};
use crate::state::Context;

/// The mentions of an episode.
pub(super) struct Mentions<'r> {
    pub draft: &'r mut Draft,
    people: People<'r>,
    by_key: HashMap<NameKey, i32>,
    person_type: Option<String>,
    organization_type: Option<String>,
}

impl<'r> Mentions<'r> {
    /// None yet. Types are given only where the ontology names none at all, or just these.
    pub fn new(draft: &'r mut Draft, episode: &'r Episode, context: &'r Context) -> Self {
        let entities = &context.ontology.entities;
        let known = |name: &str| {
            (entities.is_empty() || entities.contains_key(name)).then(|| name.to_owned())
        };
        Self {
            draft,
            people: People::new(episode, context),
            by_key: HashMap::new(),
            person_type: known("Person"),
            organization_type: known("Organization"),
        }
    }

    /// The mention of a clause's subject; `None` where it is not known who is meant.
    pub fn subject(&mut self, line: &Line<'_>, subject: &Subject) -> Option<i32> {
        match subject {
            Subject::Speaker => self.owner(line, &Owner::Speaker),
            Subject::Addressee => self.owner(line, &Owner::Addressee),
            Subject::Third => self.owner(line, &Owner::Third),
            Subject::Name(name) => self.name(line, name),
        }
    }

    /// The mention of an owner; `None` where it is not known who is meant.
    pub fn owner(&mut self, line: &Line<'_>, owner: &Owner) -> Option<i32> {
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

    /// The mention of a name.
    pub fn name(&mut self, line: &Line<'_>, name: &Name) -> Option<i32> {
        let referent = self.people.referent(&name.text);
        self.refer(&referent, Some(place(line, name)))
    }

    /// Records that a name has another one.
    pub fn alias(&mut self, line: &Line<'_>, alias: &Alias) {
        let name = &line.names[alias.name];
        let ordinal = match &alias.full {
            Some(full) => self.refer(&Referent::Name(full.clone()), Some(place(line, name))),
            None => self.name(line, name),
        };
        if let Some(ordinal) = ordinal {
            self.draft.alias(ordinal, &alias.alias);
            self.by_key.insert(NameKey::of(&alias.alias), ordinal);
            self.by_key.insert(NameKey::of(&name.text), ordinal);
        }
    }

    /// Marks a mention as a person, where its name can be that of one.
    pub fn person(&mut self, ordinal: i32) {
        if let Some(entity_type) = &self.person_type
            && is_persons_name(self.draft.name(ordinal))
        {
            self.draft.set_type(ordinal, entity_type);
        }
    }

    /// Marks a mention as an organization.
    pub fn organization(&mut self, ordinal: i32) {
        if let Some(entity_type) = &self.organization_type {
            self.draft.set_type(ordinal, entity_type);
        }
    }

    /// Notes that a person was named, for the pronouns to come.
    pub fn note_person(&mut self, name: &Name) {
        self.people.note(&name.text);
    }

    /// Notes the persons that the sentence names before a token.
    pub fn note_persons(&mut self, line: &Line<'_>, before: usize) {
        for name in line.names.iter().filter(|name| name.last < before) {
            if looks_like_person(line, name) {
                self.people.note(&name.text);
            }
        }
    }

    fn refer(&mut self, referent: &Referent, place: Option<Range<usize>>) -> Option<i32> {
        let name = match referent {
            Referent::Speaker => return self.draft.speaker(self.people.speaker()?),
            Referent::Author(author) => return self.draft.author(author),
            Referent::Named(name) | Referent::Name(name) => name,
        };
        let key = NameKey::of(name);
        if let Some(&ordinal) = self.by_key.get(&key) {
            return Some(ordinal);
        }
        let named = Named {
            name: name.clone(),
            ..Named::default()
        };
        let ordinal = self.draft.mention(named, place.as_ref().and_then(span))?;
        self.by_key.insert(key, ordinal);
        Some(ordinal)
    }
}

fn place(line: &Line<'_>, name: &Name) -> Range<usize> {
    line.tokens[name.first].start..line.tokens[name.last].end
}

/// A place in the body as events have it.
pub(super) fn span(range: &Range<usize>) -> Option<Span> {
    Some(Span {
        start: i32::try_from(range.start).ok()?,
        end: i32::try_from(range.end).ok()?,
    })
}
