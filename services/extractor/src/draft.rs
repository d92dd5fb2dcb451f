//! A [`Draft`] collects what a reader finds. Mentions and statements are numbered in the order of
//! finding, the same name with the same type and external id is one mention, and nothing goes
//! beyond the bounds of an episode: what does is counted and noted.

use std::collections::HashMap;

use mneme_events::{Author, ExtractedStatement, Mention, Span};
use mneme_model::{Literal, Polarity, RelationName, TimePoint, is_name};

/// The most mentions of one episode.
pub(crate) const MAX_MENTIONS: usize = 2_000;
/// The most statements of one episode.
pub(crate) const MAX_STATEMENTS: usize = 2_000;
/// The longest name and the longest text of a literal, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 512;
/// The longest literal, in bytes.
pub(crate) const MAX_LITERAL_BYTES: usize = 4 << 10;
/// The most notes of one episode.
const MAX_NOTES: usize = 50;

/// What a reader has found so far.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    mentions: Vec<Mention>,
    statements: Vec<ExtractedStatement>,
    notes: Vec<String>,
    notes_left_out: usize,
    by_name: HashMap<(String, Option<String>, Option<String>), i32>,
    speaker: Option<i32>,
}

/// What identifies a mention.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    pub name: String,
    pub entity_type: Option<String>,
    pub external_id: Option<String>,
}

/// The object of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Object {
    /// An entity, by the ordinal of its mention.
    Entity(i32),
    /// A value.
    Value(Literal),
}

/// A statement without its number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statement {
    pub subject: i32,
    pub relation: String,
    pub object: Object,
    pub fact: String,
    pub valid_at: Option<TimePoint>,
    pub invalid_at: Option<TimePoint>,
    pub polarity: Polarity,
    pub exclusive: bool,
    pub span: Option<Span>,
}

/// What a reader found, to go into the event.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub mentions: Vec<Mention>,
    pub statements: Vec<ExtractedStatement>,
    pub notes: Vec<String>,
}

impl Draft {
    /// The mention of a name; the one of an earlier call if the three parts are equal. `None` where
    /// the name holds no more than punctuation, is too long, or one too many.
    pub fn mention(&mut self, named: Named, span: Option<Span>) -> Option<i32> {
        let key = (
            named.name.clone(),
            named.entity_type.clone(),
            named.external_id.clone(),
        );
        if let Some(&ordinal) = self.by_name.get(&key) {
            return Some(ordinal);
        }
        if !is_name(&named.name) || named.name.len() > MAX_NAME_BYTES {
            self.note("dropped: a name is blank, only punctuation, or too long");
            return None;
        }
        if self.mentions.len() >= MAX_MENTIONS {
            self.note(format!("dropped: more than {MAX_MENTIONS} mentions"));
            return None;
        }
        let ordinal = self.mentions.len() as i32;
        self.mentions.push(Mention {
            ordinal,
            name: named.name,
            entity_type: named.entity_type,
            external_id: named.external_id,
            aliases: Vec::new(),
            speaker: false,
            span,
        });
        self.by_name.insert(key, ordinal);
        Some(ordinal)
    }

    /// The mention of the author, made at the first call.
    pub fn speaker(&mut self, author: &Author) -> Option<i32> {
        if self.speaker.is_none() {
            let named = Named {
                name: author.name.clone(),
                entity_type: author_type(author).map(str::to_owned),
                external_id: author.external_id.clone(),
            };
            self.speaker = self.mention(named, None);
            if let Some(mention) = self.speaker.and_then(|ordinal| self.at(ordinal)) {
                mention.speaker = true;
            }
        }
        self.speaker
    }

    /// The mention of someone who has written in the thread.
    pub fn author(&mut self, author: &Author) -> Option<i32> {
        let named = Named {
            name: author.name.clone(),
            entity_type: author_type(author).map(str::to_owned),
            external_id: author.external_id.clone(),
        };
        self.mention(named, None)
    }

    /// Records another name of a mention.
    pub fn alias(&mut self, ordinal: i32, alias: &str) {
        if !is_name(alias) || alias.len() > MAX_NAME_BYTES {
            return;
        }
        if let Some(mention) = self.at(ordinal)
            && mention.name != alias
            && !mention.aliases.iter().any(|known| known == alias)
        {
            mention.aliases.push(alias.to_owned());
        }
    }

    /// Sets the type of a mention that has none.
    pub fn set_type(&mut self, ordinal: i32, entity_type: &str) {
        if let Some(mention) = self.at(ordinal)
            && mention.entity_type.is_none()
        {
            mention.entity_type = Some(entity_type.to_owned());
        }
    }

    /// The name of a mention.
    pub fn name(&self, ordinal: i32) -> &str {
        usize::try_from(ordinal)
            .ok()
            .and_then(|index| self.mentions.get(index))
            .map_or("", |mention| mention.name.as_str())
    }

    /// Adds a statement. Refused, with a note, where its relation or its value breaks a bound.
    pub fn statement(&mut self, statement: Statement) {
        let Ok(relation) = RelationName::new(&statement.relation) else {
            return self.note("dropped: the name of a relation is empty or too long");
        };
        let (object, value) = match statement.object {
            Object::Entity(ordinal) => (Some(ordinal), None),
            Object::Value(literal) => (None, Some(literal)),
        };
        if value
            .as_ref()
            .is_some_and(|value| value.text.len() > MAX_LITERAL_BYTES)
        {
            return self.note(format!(
                "dropped: the value of {relation} is longer than {MAX_LITERAL_BYTES} bytes"
            ));
        }
        if self.statements.len() >= MAX_STATEMENTS {
            return self.note(format!("dropped: more than {MAX_STATEMENTS} statements"));
        }
        let statement = ExtractedStatement {
            ordinal: self.statements.len() as i32,
            subject: statement.subject,
            relation: relation.as_str().to_owned(),
            object,
            value,
            fact: statement.fact,
            valid_at: statement.valid_at,
            invalid_at: statement.invalid_at,
            polarity: statement.polarity,
            exclusive: statement.exclusive,
            span: statement.span,
        };
        self.statements.push(statement);
    }

    /// Notes what was left out; the same note once.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.notes.contains(&note) {
            return;
        }
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        } else {
            self.notes_left_out += 1;
        }
    }

    /// What was found.
    pub fn finish(mut self) -> Reading {
        if self.notes_left_out > 0 {
            self.notes
                .push(format!("dropped: {} more notes", self.notes_left_out));
        }
        Reading {
            mentions: self.mentions,
            statements: self.statements,
            notes: self.notes,
        }
    }

    fn at(&mut self, ordinal: i32) -> Option<&mut Mention> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|index| self.mentions.get_mut(index))
    }
}

/// An author is a person unless the role says that it is a program.
fn author_type(author: &Author) -> Option<&'static str> {
    const PROGRAMS: [&str; 6] = ["assistant", "bot", "function", "model", "system", "tool"];
    let role = author.role.as_deref().unwrap_or_default();
    let is_program = PROGRAMS
        .iter()
        .any(|program| role.eq_ignore_ascii_case(program));
    (!is_program).then_some("Person")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, entity_type: &str) -> Named {
        Named {
            name: name.to_owned(),
            entity_type: Some(entity_type.to_owned()),
            external_id: None,
        }
    }

    #[test]
    fn one_name_of_two_types_is_two_mentions() {
        let mut draft = Draft::default();
        assert_eq!(draft.mention(named("Morgan", "Person"), None), Some(0));
        assert_eq!(
            draft.mention(named("Morgan", "Organization"), None),
            Some(1)
        );
        assert_eq!(draft.mention(named("Morgan", "Person"), None), Some(0));
        assert_eq!(draft.mention(named("  ", "Person"), None), None);
        assert_eq!(draft.mention(named("!!", "Person"), None), None);
        draft.alias(0, "?!");
        let reading = draft.finish();
        assert_eq!(reading.mentions.len(), 2);
        assert!(reading.mentions[0].aliases.is_empty());
        assert_eq!(reading.notes.len(), 1);
    }

    #[test]
    fn a_program_that_speaks_is_no_person() {
        let author = |role: Option<&str>| Author {
            name: "Helper".to_owned(),
            role: role.map(str::to_owned),
            external_id: None,
        };
        assert_eq!(author_type(&author(Some("assistant"))), None);
        assert_eq!(author_type(&author(Some("user"))), Some("Person"));
        assert_eq!(author_type(&author(None)), Some("Person"));
    }
}
