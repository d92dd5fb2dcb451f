//! A search: the postings of the query's words in each group, scored by BM25 over texts, windows and
//! sessions, exactly.

use std::sync::PoisonError;

use mneme_model::GroupScope;

use super::analysis::distinct_words;
use super::generation::{Published, TextGeneration};
use super::recent::Owner;
use super::scores::Scores;
use super::words::scope;
use crate::embedded::documents::{Passing, Shelf, best, merge};
use crate::{DocumentKind, Filter, StoreError, TextField, TextHit, TextQuery, TimeView};

/// How many distinct words of a query are looked up.
const MAX_WORDS: usize = 1024;
/// How many of them are scored: of more, those that fewest documents have.
const MAX_SCORED_WORDS: usize = 128;

/// A query that outlives its caller.
pub(super) struct OwnedQuery {
    scope: GroupScope,
    kind: DocumentKind,
    words: Vec<String>,
    pub fields: Vec<TextField>,
    time: TimeView,
    filter: Option<Filter>,
    limit: usize,
}

impl OwnedQuery {
    pub fn of(query: &TextQuery<'_>) -> Self {
        Self {
            scope: query.scope.clone(),
            kind: query.kind,
            words: distinct_words(query.text, MAX_WORDS),
            fields: query.fields.to_vec(),
            time: query.time,
            filter: query.filter.cloned(),
            limit: query.limit,
        }
    }
}

impl TextGeneration {
    /// The best hits of each field.
    pub(super) fn search(&self, query: &OwnedQuery) -> Result<Vec<Vec<TextHit>>, StoreError> {
        let published = self.published();
        let mut lists = vec![Vec::new(); query.fields.len()];
        for group_id in query.scope.groups() {
            let Some(group) = self.documents.group(group_id)? else {
                continue;
            };
            let shelf = self.shelves.get((group, query.kind), || {
                self.documents.shelf(group, query.kind)
            })?;
            let shelf = shelf.read().unwrap_or_else(PoisonError::into_inner);
            let passing = Passing {
                time: query.time,
                filter: query.filter.as_ref(),
                documents: &self.documents,
                group,
            };
            let postings = Postings::of(&published, (group, query.kind), &shelf);
            let mut scores = Scores::new(&shelf, query.kind, &query.fields);
            for word in postings.rarest(&query.words)? {
                scores.add(&postings.of_word(word)?);
            }
            for (field, list) in query.fields.iter().zip(&mut lists) {
                let found = scores.of(*field);
                let hits = best(found.iter().copied(), &shelf, &passing, query.limit)?;
                list.extend(hits.into_iter().map(|hit| TextHit {
                    group_id: group_id.clone(),
                    id: hit.id.to_string(),
                    score: hit.score,
                }));
            }
        }
        if query.scope.groups().len() > 1 {
            for list in &mut lists {
                merge(list, query.limit, |hit| {
                    (hit.score, hit.id.as_str(), hit.group_id.as_str())
                });
            }
        }
        Ok(lists)
    }
}

/// Who has which word in a kind of a group: what the index knows, and what is pending for it.
struct Postings<'p> {
    published: &'p Published,
    owner: Owner,
    scope: String,
    shelf: &'p Shelf,
    /// Slots, in order, that the index is not right for.
    hidden: Vec<u32>,
}

impl<'p> Postings<'p> {
    fn of(published: &'p Published, owner: Owner, shelf: &'p Shelf) -> Self {
        Self {
            published,
            owner,
            scope: scope(owner),
            shelf,
            hidden: published.recent.hidden(owner),
        }
    }

    /// Slots and how often each has the word.
    fn of_word(&self, word: &str) -> Result<Vec<(u32, u32)>, StoreError> {
        let mut postings = self.published.recent.postings(self.owner, word);
        let words = &self.published.words;
        // What the index has of a document that is gone is not on the shelf.
        words.for_each_posting(&self.scope, word, |slot, times| {
            let hidden = !self.hidden.is_empty() && self.hidden.binary_search(&slot).is_ok();
            if !hidden && self.shelf.length(slot).is_some() {
                postings.push((slot, times));
            }
        })?;
        Ok(postings)
    }

    /// The words that are scored, in the order of the query.
    fn rarest<'w>(&self, asked: &'w [String]) -> Result<Vec<&'w str>, StoreError> {
        if asked.len() <= MAX_SCORED_WORDS {
            return Ok(asked.iter().map(String::as_str).collect());
        }
        let mut found = Vec::new();
        for (at, word) in asked.iter().enumerate() {
            let in_index = self.published.words.frequency(&self.scope, word)?;
            let recent = self.published.recent.postings(self.owner, word);
            let frequency = in_index as usize + recent.len();
            if frequency > 0 {
                found.push((frequency, at, word.as_str()));
            }
        }
        found.sort_unstable();
        found.truncate(MAX_SCORED_WORDS);
        found.sort_unstable_by_key(|(_, at, _)| *at);
        Ok(found.into_iter().map(|(_, _, word)| word).collect())
    }
}
