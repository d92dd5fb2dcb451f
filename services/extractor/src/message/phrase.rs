//! The words after a verb: a name, or common words that name a thing.

use harper_brill::UPOS;

use super::lexicon::{self, words};
use super::name::{Name, name_at};
use super::token::Token;

/// A phrase: the tokens `first..=last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phrase {
    pub first: usize,
    pub last: usize,
}

/// A sentence as the readers of clauses see it.
#[derive(Debug)]
pub(super) struct Line<'t> {
    pub body: &'t str,
    pub tokens: Vec<Token<'t>>,
    pub tags: Vec<Option<UPOS>>,
    pub names: Vec<Name>,
}

const ARTICLES: &[&str] = &["a", "an", "the"];
const POSSESSIVES: &[&str] = &["my", "our", "her", "his", "their", "your", "its"];

/// The most words of a thing.
const MAX_WORDS: usize = 7;
words! {
    /// Words that name no thing by themselves.
    is_no_thing: "about all another any anything both each either everybody everyone everything fact
        few he her here hers him himself his how i idea it its kind less lot many me more
        most much myself no nobody none not nothing one ones other others same she so some
        somebody someone something stuff such that them there these they thing things this
        those to us way we what whatever when where which who why you your yours yourself";

    /// Gerunds that say too little.
    is_empty_gerund: "being doing getting having hearing seeing talking";
}

impl Line<'_> {
    /// The lower-case word at a token; empty beyond the end.
    pub fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    /// The part of speech of a token; `None` where it is not known, and beyond the end.
    pub fn tag(&self, at: usize) -> Option<UPOS> {
        self.tags.get(at).copied().flatten()
    }

    /// The token after the adverbs from here on.
    pub fn skip_adverbs(&self, mut at: usize) -> usize {
        while lexicon::is_adverb(self.word(at)) {
            at += 1;
        }
        at
    }

    /// The name from here on, an article before it allowed.
    pub fn name_from(&self, at: usize) -> Option<&Name> {
        let at = if ARTICLES.contains(&self.word(at)) {
            at + 1
        } else {
            at
        };
        name_at(&self.names, at)
    }

    /// The names of a list from here on: "Skerry", "Skerry and Berthline", "A, B and C".
    pub fn names_from(&self, at: usize, until: usize) -> Vec<&Name> {
        let mut names = Vec::new();
        let mut at = at;
        while at < until
            && let Some(name) = self.name_from(at)
        {
            at = name.last + 1;
            names.push(name);
            let is_joined = matches!(self.word(at), "and" | "or" | ",");
            if !is_joined {
                break;
            }
            at += 1;
            if self.word(at) == "and" {
                at += 1;
            }
        }
        names
    }

    /// Common words that name a thing, without the article: "the warm scene all day" gives "warm
    /// scene", "hiking in the mountains" all of it. `None` for a pronoun, for what is more than a
    /// few words, and where the words go on in a way that is not understood.
    pub fn words_from(&self, at: usize, until: usize) -> Option<Phrase> {
        let mut first = at;
        if ARTICLES.contains(&self.word(first)) || POSSESSIVES.contains(&self.word(first)) {
            first += 1;
        }
        let until = until.min(self.tokens.len());
        let last = if self.is_gerund(first) {
            self.end_of_gerund(first, until)?
        } else {
            self.end_of_noun(first, until)?
        };
        (last < first + MAX_WORDS && self.may_end(last + 1, until))
            .then_some(Phrase { first, last })
    }

    fn is_gerund(&self, at: usize) -> bool {
        let word = self.word(at);
        word.len() > 4
            && word.ends_with("ing")
            && matches!(self.tag(at), None | Some(UPOS::VERB | UPOS::NOUN))
            && !matches!(
                word,
                "evening" | "morning" | "spring" | "string" | "thing" | "wedding"
            )
    }

    /// A gerund with all that belongs to it; none with a pronoun, which says too little.
    fn end_of_gerund(&self, first: usize, until: usize) -> Option<usize> {
        if is_empty_gerund(self.word(first)) {
            return None;
        }
        let mut last = first;
        for at in first + 1..until {
            let token = &self.tokens[at];
            if !token.is_word()
                || token.is(&["and", "or", "as", "than", "to", "like"]) && token.word != "to"
            {
                break;
            }
            let ends = lexicon::is_adverb(&token.word)
                || token.is(&["alone", "myself", "together", "lately", "alot"]);
            if ends {
                break;
            }
            if is_no_thing(&token.word) && token.word != "to" && token.word != "all" {
                return None;
            }
            last = at;
        }
        let ends_open = matches!(
            self.tag(last),
            Some(UPOS::ADP | UPOS::DET | UPOS::PART | UPOS::SCONJ)
        );
        (!ends_open || last == first).then_some(last)
    }

    /// Adjectives and nouns, "of" between them.
    fn end_of_noun(&self, first: usize, until: usize) -> Option<usize> {
        let mut last = None;
        for at in first..until.min(first + MAX_WORDS + 1) {
            let token = &self.tokens[at];
            let has_noun = last.is_some();
            if is_no_thing(&token.word) {
                if has_noun {
                    break;
                }
                return None;
            }
            if !token.is_word() || token.is(&["'s", "and", "or", "but", "because", "than"]) {
                break;
            }
            match self.tag(at) {
                Some(UPOS::NOUN | UPOS::PROPN) | None => last = Some(at),
                Some(UPOS::ADJ | UPOS::NUM) if !has_noun => {}
                Some(UPOS::VERB) if !has_noun => {}
                Some(UPOS::ADP) if token.word == "of" && has_noun => {}
                _ => break,
            }
        }
        last
    }

    /// Whether a phrase may end before a token: nothing follows that belongs to it.
    fn may_end(&self, at: usize, until: usize) -> bool {
        if at >= until {
            return true;
        }
        let token = &self.tokens[at];
        !token.is_word()
            || lexicon::is_adverb(&token.word)
            || token.is(&[
                "all", "and", "any", "as", "both", "each", "every", "myself", "or", "than", "to",
                "alot", "anymore",
            ])
            || lexicon::is_time_word(&token.word)
            || matches!(
                self.tag(at),
                Some(UPOS::ADP | UPOS::ADV | UPOS::SCONJ | UPOS::CCONJ)
            )
    }

    /// The text of a phrase.
    pub fn text(&self, phrase: Phrase) -> &str {
        &self.body[self.tokens[phrase.first].start..self.tokens[phrase.last].end]
    }
}
