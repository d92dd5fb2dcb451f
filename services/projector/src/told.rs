//! What a store that follows the log tells of it: how long episodes took until it had them, and its
//! part of their traces. What was in the log before it followed is caught up on, which says nothing of
//! how long things take.

use std::collections::HashSet;

use mneme_events::{Event, Topic};
use mneme_model::{Clock, Instant, SystemClock};
use mneme_telemetry::{TraceParent, metric, spans};
use tracing::Span;

/// What was received this long before a store began to follow is not counted as old: it follows soon
/// after the process started.
const GRACE: i64 = 60 * 1_000_000;

/// What is told of one store.
#[derive(Debug)]
pub(crate) struct Told {
    store: &'static str,
    /// What was received before this is caught up on.
    begun: Instant,
    newest: Option<Instant>,
    received: Vec<Instant>,
    traces: HashSet<(Topic, TraceParent)>,
}

impl Told {
    /// Of a store that follows from now on.
    pub fn new(store: &'static str) -> Self {
        let now = SystemClock::default().now().as_micros();
        Self {
            store,
            begun: Instant::from_micros(now - GRACE),
            newest: None,
            received: Vec::new(),
            traces: HashSet::new(),
        }
    }

    /// An event of the next batch.
    pub fn read(&mut self, topic: Topic, event: &Event, trace: Option<TraceParent>) {
        let received = event.header().recorded_at;
        let is_new = received >= self.begun;
        if is_new {
            self.traces.extend(trace.map(|trace| (topic, trace)));
        }
        if let Event::EpisodeApplied(_) = event {
            self.newest = self.newest.max(Some(received));
            if is_new {
                self.received.push(received);
            }
        }
    }

    /// The span of the batch, and those of the traces in it, which last as long.
    pub fn spans(&mut self, records: usize) -> (Span, Vec<Span>) {
        let links = self.traces.iter().map(|(_, trace)| *trace);
        let batch = spans::of_batch(self.store, records, links);
        let parts = self.traces.drain();
        let part =
            |(topic, trace): (Topic, _)| spans::of_record(self.store, topic.name(), Some(trace));
        (batch, parts.map(part).collect())
    }

    /// The batch is applied.
    pub fn applied(&mut self) {
        let seconds = |micros: i64| micros as f64 / 1_000_000.0;
        let (store, now) = (self.store, SystemClock::default().now());
        for at in self.received.drain(..) {
            let took = seconds((now.as_micros() - at.as_micros()).max(0));
            metrics::histogram!(metric::EPISODE_SECONDS, "store" => store).record(took);
        }
        // A producer's clock may be ahead.
        self.newest = self.newest.map(|newest| newest.min(now));
        if let Some(newest) = self.newest {
            let at = seconds(newest.as_micros());
            metrics::gauge!(metric::NEWEST_EPISODE, "store" => store).set(at);
        }
    }
}
