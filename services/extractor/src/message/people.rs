//! Who is meant: the author by "I", the other one of a two-party thread by "you", the one person
//! that was named by "she" or "he", the known person by a first name. Where more than one fits,
//! nobody is meant.

use std::cell::OnceCell;

use mneme_events::{Author, Episode};
use mneme_model::NameKey;

use super::phrase::Line;
use super::{lexicon, name, sentence, tagger, token};
use crate::state::{Context, ContextMessage, is_same};

/// A person who may be meant.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Referent {
    /// The author of the episode.
    Speaker,
    /// Someone who has written in the thread.
    Author(Author),
    /// A person who was named.
    Named(String),
    /// A name of which it is not known what it names.
    Name(String),
}

/// The most persons that are kept in mind.
const MAX_NAMED: usize = 200;

/// The people of an episode and of its thread.
#[derive(Debug)]
pub(super) struct People<'e> {
    speaker: Option<&'e Author>,
    /// The others who have written in the thread.
    others: Vec<&'e Author>,
    /// The persons named in the episode so far, in order.
    named_here: Vec<String>,
    /// The thread's last messages.
    messages: &'e [ContextMessage],
    /// The persons named in them, read when first asked for.
    named_before: OnceCell<Vec<String>>,
}

impl<'e> People<'e> {
    pub fn new(episode: &'e Episode, context: &'e Context) -> Self {
        let speaker = episode.author.as_ref();
        let is_other = |author: &&Author| speaker.is_none_or(|speaker| !is_same(speaker, author));
        Self {
            speaker,
            others: context.authors.iter().filter(is_other).collect(),
            named_here: Vec::new(),
            messages: &context.messages,
            named_before: OnceCell::new(),
        }
    }

    fn named_before(&self) -> &[String] {
        self.named_before.get_or_init(|| {
            let mut named: Vec<String> = Vec::new();
            for name in self
                .messages
                .iter()
                .flat_map(|message| persons(&message.text))
            {
                if !self.is_author(&name) && !named.contains(&name) {
                    named.push(name);
                }
            }
            named
        })
    }

    /// The author of the episode.
    pub fn speaker(&self) -> Option<&'e Author> {
        self.speaker
    }

    /// Whom "you" means.
    pub fn addressee(&self) -> Option<&'e Author> {
        match self.others.as_slice() {
            [other] => Some(other),
            _ => None,
        }
    }

    /// Notes that a person was named.
    pub fn note(&mut self, name: &str) {
        let is_new =
            self.named_here.len() < MAX_NAMED && !self.named_here.iter().any(|known| known == name);
        if is_new && !self.is_author(name) {
            self.named_here.push(name.to_owned());
        }
    }

    /// Whom "she" or "he" means: the one person named in the episode so far, else the one named in
    /// the thread's last messages.
    pub fn third(&self) -> Option<String> {
        let named = if self.named_here.is_empty() {
            self.named_before()
        } else {
            &self.named_here
        };
        match named {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    /// Whom a name means: an author by full or first name, a person by first name, or whatever has
    /// that name.
    pub fn referent(&self, name: &str) -> Referent {
        let key = NameKey::of(name);
        let is_called = |author: &Author| NameKey::of(&author.name) == key;
        if self.speaker.is_some_and(is_called) {
            return Referent::Speaker;
        }
        if let Some(author) = self.others.iter().find(|author| is_called(author)) {
            return Referent::Author((*author).clone());
        }
        if !name.contains(' ') {
            let has_first_name = |full: &str| {
                full.contains(' ')
                    && full
                        .split(' ')
                        .next()
                        .is_some_and(|first| NameKey::of(first) == key)
            };
            let authors: Vec<_> = self
                .others
                .iter()
                .filter(|author| has_first_name(&author.name))
                .collect();
            let named: Vec<_> = self
                .named_here
                .iter()
                .chain(
                    self.named_before()
                        .iter()
                        .filter(|name| !self.named_here.contains(name)),
                )
                .filter(|name| has_first_name(name))
                .collect();
            let is_speaker = self
                .speaker
                .is_some_and(|speaker| has_first_name(&speaker.name));
            match (is_speaker, authors.as_slice(), named.as_slice()) {
                (true, [], []) => return Referent::Speaker,
                (false, [author], []) => return Referent::Author((**author).clone()),
                (false, [], [name]) => return Referent::Named((*name).clone()),
                _ => {}
            }
        }
        Referent::Name(name.to_owned())
    }

    fn is_author(&self, name: &str) -> bool {
        let key = NameKey::of(name);
        self.speaker
            .iter()
            .chain(&self.others)
            .any(|author| NameKey::of(&author.name) == key)
    }
}

/// Whether a name in a sentence looks like that of a person: two or three words, none of them a
/// common word, and not after a word that leads a place, a firm or a tool.
pub(super) fn looks_like_person(line: &Line<'_>, name: &name::Name) -> bool {
    const LEADS: &[&str] = &[
        "at", "from", "in", "into", "joined", "near", "the", "through", "use", "used", "uses",
        "using", "via", "visit", "visited", "of", "on",
    ];
    if name.first > 0 && LEADS.contains(&line.word(name.first - 1)) {
        return false;
    }
    is_persons_name(&name.text)
}

/// Whether a name could be that of a person by its words.
pub(super) fn is_persons_name(name: &str) -> bool {
    let words: Vec<&str> = name.split(' ').collect();
    let fits = |word: &&str| {
        word.chars()
            .all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-' | '.'))
            && word.starts_with(char::is_uppercase)
            && (word.len() < 2 || word.chars().any(char::is_lowercase))
            && !lexicon::is_nationality(&word.to_lowercase())
            && matches!(tagger::tag(word), None | Some(harper_brill::UPOS::PROPN))
    };
    (2..=3).contains(&words.len()) && words.iter().all(fits)
}

/// The names in a text that look like those of persons.
fn persons(text: &str) -> Vec<String> {
    let mut persons = Vec::new();
    for sentence in sentence::sentences(text) {
        let tokens = token::tokens(text, sentence.span.start, sentence.span.end);
        let tags = tagger::tags(&tokens);
        let names = name::names(text, &tokens, &tags);
        let line = Line {
            body: text,
            tokens,
            tags,
            names,
        };
        for name in &line.names {
            if looks_like_person(&line, name) {
                persons.push(name.text.clone());
            }
        }
    }
    persons
}
