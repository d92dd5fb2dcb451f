//! Reading prose without a model: who says what of whom, in plain clauses.
//!
//! A statement is read only where a sentence says it outright: a known subject (the author by "I",
//! a name, a pronoun that can mean one person only), a verb of the list in [`frame`] in the
//! present, the past or the perfect, and an object that is all there. Questions, conditions, wishes,
//! plans, guesses, quotations and what somebody said give nothing. Where a sentence may be read in
//! two ways it gives nothing.
//!
//! The steps, each a file: sentences, tokens, tags, names, clauses with their group of verbs, what
//! the clause says (`predicate`, `copula`, `attribute`, `kin`), when it says that it holds, and the
//! sentence of the fact.

mod alias;
mod attribute;
mod clause;
mod copula;
mod durable;
mod frame;
mod group;
mod holding;
mod kin;
mod lexicon;
mod mentions;
mod name;
mod object;
mod people;
mod phrase;
mod predicate;
mod reader;
mod render;
mod sentence;
mod tagger;
mod token;
mod verb;
mod when;

use mneme_events::Episode;
use mneme_model::Source;

use crate::draft::Draft;
use crate::state::Context;

/// Reads a message or a text. The author of a message is mentioned even where nothing is stated.
pub(crate) fn read(draft: &mut Draft, episode: &Episode, context: &Context) {
    if let (Source::Message, Some(author)) = (episode.source, &episode.author) {
        draft.speaker(author);
    }
    reader::Reader::new(draft, episode, context).read();
}

#[cfg(test)]
mod tests;
