//! The scores of a search in one group, word by word: of texts, and of episodes also of their windows
//! and sessions. A word counts in a window as often as the window's texts have it together, and so on
//! for sessions: windows and sessions are texts of their own, with their own counts and lengths.

use std::sync::Arc;

use super::bm25::Weight;
use crate::embedded::documents::{Shelf, ThreadOrder};
use crate::{DocumentKind, TextField};

pub(super) struct Scores<'s> {
    shelf: &'s Shelf,
    /// By slot.
    texts: Option<Vec<f32>>,
    order: Option<Arc<ThreadOrder>>,
    /// By rank.
    windows: Option<Spans>,
    /// By session.
    sessions: Option<Spans>,
}

/// Scores of texts that several documents make.
struct Spans {
    scores: Vec<f32>,
    total_length: u64,
    /// How often the word at hand is in each; zero again after it.
    times: Vec<u32>,
    touched: Vec<u32>,
}

impl Spans {
    fn new(lengths: &[u32]) -> Self {
        Self {
            scores: vec![0.0; lengths.len()],
            total_length: lengths.iter().copied().map(u64::from).sum(),
            times: vec![0; lengths.len()],
            touched: Vec::new(),
        }
    }

    #[inline]
    fn count(&mut self, span: u32, times: u32) {
        if let Some(total) = self.times.get_mut(span as usize) {
            if *total == 0 {
                self.touched.push(span);
            }
            *total += times;
        }
    }

    fn score(&mut self, lengths: &[u32]) {
        let with_word = self.touched.len() as u32;
        let weight = Weight::new(with_word, lengths.len() as u32, self.total_length);
        for span in self.touched.drain(..) {
            let span = span as usize;
            let times = std::mem::take(&mut self.times[span]);
            self.scores[span] += weight.score(times, lengths[span]);
        }
    }
}

impl<'s> Scores<'s> {
    pub fn new(shelf: &'s Shelf, kind: DocumentKind, fields: &[TextField]) -> Self {
        let asks = |field| fields.contains(&field);
        let asks_span = |field| kind == DocumentKind::Episode && asks(field);
        let order = (asks_span(TextField::Window) || asks_span(TextField::Session))
            .then(|| shelf.order());
        let spans = |field, lengths: fn(&ThreadOrder) -> &[u32]| {
            let order = order.as_ref().filter(|_| asks_span(field))?;
            Some(Spans::new(lengths(order)))
        };
        Self {
            shelf,
            texts: asks(TextField::Text).then(|| vec![0.0; shelf.slots()]),
            windows: spans(TextField::Window, ThreadOrder::window_lengths),
            sessions: spans(TextField::Session, ThreadOrder::session_lengths),
            order,
        }
    }

    /// Adds what a word gives, from the slots of the documents that have it and how often each does.
    pub fn add(&mut self, postings: &[(u32, u32)]) {
        if let Some(scores) = &mut self.texts {
            let (count, total_length) = (self.shelf.count(), self.shelf.total_length());
            let weight = Weight::new(postings.len() as u32, count, total_length);
            for &(slot, times) in postings {
                if let Some(length) = self.shelf.length(slot)
                    && let Some(score) = scores.get_mut(slot as usize)
                {
                    *score += weight.score(times, length);
                }
            }
        }
        let Some(order) = &self.order else { return };
        for &(slot, times) in postings {
            let Some(rank) = order.rank(slot) else {
                continue;
            };
            if let Some(windows) = &mut self.windows {
                for neighbour in order.window(rank) {
                    windows.count(neighbour, times);
                }
            }
            if let Some(sessions) = &mut self.sessions {
                sessions.count(order.session(rank), times);
            }
        }
        if let Some(windows) = &mut self.windows {
            windows.score(order.window_lengths());
        }
        if let Some(sessions) = &mut self.sessions {
            sessions.score(order.session_lengths());
        }
    }

    /// The slots that a field found, with their scores.
    pub fn of(&self, field: TextField) -> Box<dyn Iterator<Item = (u32, f32)> + '_> {
        let found = |(_, score): &(u32, f32)| *score > 0.0;
        let by_rank = |score: fn(&Self, &ThreadOrder, u32) -> Option<f32>| {
            self.order.iter().flat_map(move |order| {
                (0..order.len() as u32)
                    .filter_map(move |rank| Some((order.slot(rank)?, score(self, order, rank)?)))
            })
        };
        match field {
            TextField::Text => {
                let scores = self.texts.iter().flatten().copied();
                Box::new((0u32..).zip(scores).filter(found))
            }
            TextField::Window => {
                let scores = by_rank(|scores, _, rank| {
                    let windows = scores.windows.as_ref()?;
                    windows.scores.get(rank as usize).copied()
                });
                Box::new(scores.filter(found))
            }
            TextField::Session => {
                let scores = by_rank(|scores, order, rank| {
                    let session = order.session(rank) as usize;
                    scores.sessions.as_ref()?.scores.get(session).copied()
                });
                Box::new(scores.filter(found))
            }
        }
    }
}
