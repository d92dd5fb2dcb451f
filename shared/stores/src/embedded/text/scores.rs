//! The scores of a search in one group, word by word: of texts, and of episodes also of their windows
//! and sessions. Windows and sessions are texts of their own: a word is in one as often as its
//! episodes have it together, and counts and lengths are those of windows or of sessions.

use std::sync::Arc;

use super::bm25::Weight;
use crate::embedded::documents::{Shelf, ThreadOrder};
use crate::{DocumentKind, TextField};

/// A word that more than one of so many episodes has is counted over all of them in one pass, which
/// costs less than following each.
const FREQUENT: usize = 12;

pub(super) struct Scores<'s> {
    shelf: &'s Shelf,
    /// By slot.
    texts: Option<Vec<f32>>,
    spans: Option<SpanScores>,
}

/// Scores of windows and sessions.
struct SpanScores {
    order: Arc<ThreadOrder>,
    /// By rank.
    windows: Option<Spans>,
    /// By session.
    sessions: Option<Spans>,
    /// How often each episode has the word at hand, by rank; zero again after it.
    times: Vec<f32>,
}

/// Scores of texts that several episodes make.
struct Spans {
    scores: Vec<f32>,
    total_length: u64,
    /// How often each has the word at hand; zero again after it, where it was touched.
    times: Vec<f32>,
    touched: Vec<u32>,
}

impl<'s> Scores<'s> {
    pub fn new(shelf: &'s Shelf, kind: DocumentKind, fields: &[TextField]) -> Self {
        let asks = |field| fields.contains(&field);
        let asks_spans = asks(TextField::Window) || asks(TextField::Session);
        let spans = (kind == DocumentKind::Episode && asks_spans).then(|| {
            let order = shelf.order();
            let windows = order.window_lengths();
            let sessions = order.session_lengths();
            SpanScores {
                windows: asks(TextField::Window).then(|| Spans::new(windows)),
                sessions: asks(TextField::Session).then(|| Spans::new(sessions)),
                times: vec![0.0; order.len()],
                order,
            }
        });
        Self {
            shelf,
            texts: asks(TextField::Text).then(|| vec![0.0; shelf.slots()]),
            spans,
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
                    *score += weight.score(times as f32, length as f32);
                }
            }
        }
        if let Some(spans) = &mut self.spans {
            spans.add(postings);
        }
    }

    /// The slots that a field found, with their scores.
    pub fn of(&self, field: TextField) -> Vec<(u32, f32)> {
        let mut found = Vec::new();
        match (field, &self.texts, &self.spans) {
            (TextField::Text, Some(texts), _) => {
                let scores = (0u32..).zip(texts.iter().copied());
                found.extend(scores.filter(|(_, score)| *score > 0.0));
            }
            (TextField::Window, _, Some(spans)) => {
                spans.collect(&mut found, spans.windows.as_ref(), |rank| rank);
            }
            (TextField::Session, _, Some(spans)) => {
                let session = |rank| spans.order.session(rank);
                spans.collect(&mut found, spans.sessions.as_ref(), session);
            }
            _ => {}
        }
        found
    }
}

impl SpanScores {
    fn add(&mut self, postings: &[(u32, u32)]) {
        let order = &self.order;
        if let Some(sessions) = &mut self.sessions {
            for &(slot, times) in postings {
                if let Some(rank) = order.rank(slot) {
                    sessions.touch(order.session(rank), times as f32);
                }
            }
            sessions.score_touched(order.session_lengths());
        }
        let Some(windows) = &mut self.windows else {
            return;
        };
        if postings.len() * FREQUENT > order.len() {
            for &(slot, times) in postings {
                if let Some(rank) = order.rank(slot) {
                    self.times[rank as usize] = times as f32;
                }
            }
            windows.score_all(order, &self.times);
            self.times.fill(0.0);
            return;
        }
        for &(slot, times) in postings {
            if let Some(rank) = order.rank(slot) {
                for neighbour in order.window(rank) {
                    windows.touch(neighbour, times as f32);
                }
            }
        }
        windows.score_touched(order.window_lengths());
    }

    fn collect(
        &self,
        found: &mut Vec<(u32, f32)>,
        spans: Option<&Spans>,
        span_of: impl Fn(u32) -> u32,
    ) {
        let Some(spans) = spans else { return };
        for rank in 0..self.order.len() as u32 {
            let score = spans.scores.get(span_of(rank) as usize).copied();
            if let Some(score) = score.filter(|score| *score > 0.0)
                && let Some(slot) = self.order.slot(rank)
            {
                found.push((slot, score));
            }
        }
    }
}

impl Spans {
    fn new(lengths: &[f32]) -> Self {
        Self {
            scores: vec![0.0; lengths.len()],
            total_length: lengths.iter().map(|length| *length as u64).sum(),
            times: vec![0.0; lengths.len()],
            touched: Vec::new(),
        }
    }

    #[inline]
    fn touch(&mut self, span: u32, times: f32) {
        if let Some(total) = self.times.get_mut(span as usize) {
            if *total == 0.0 {
                self.touched.push(span);
            }
            *total += times;
        }
    }

    fn weight(&self, with_word: usize) -> Weight {
        Weight::new(
            with_word as u32,
            self.scores.len() as u32,
            self.total_length,
        )
    }

    fn score_touched(&mut self, lengths: &[f32]) {
        let weight = self.weight(self.touched.len());
        for span in self.touched.drain(..) {
            let span = span as usize;
            let times = std::mem::take(&mut self.times[span]);
            self.scores[span] += weight.score(times, lengths[span]);
        }
    }

    /// Scores all windows, from how often each episode has the word, by rank.
    fn score_all(&mut self, order: &ThreadOrder, episodes: &[f32]) {
        let times = &mut self.times;
        times.copy_from_slice(episodes);
        for (rank, _) in order
            .follows()
            .iter()
            .enumerate()
            .filter(|(_, follows)| **follows)
        {
            // A window has the words of its neighbours, and they have its own.
            times[rank] += episodes[rank - 1];
            times[rank - 1] += episodes[rank];
        }
        let with_word = times.iter().filter(|times| **times > 0.0).count();
        let weight = self.weight(with_word);
        let lengths = order.window_lengths();
        let spans = self.scores.iter_mut().zip(&self.times).zip(lengths);
        for ((score, times), length) in spans {
            *score += weight.score(*times, *length);
        }
        self.times.fill(0.0);
    }
}
