//! How much may be read ahead of whoever works on it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::topic_partition_list::TopicPartitionList;

/// How long a full window is waited for before partitions are paused. A pause is dear: what was
/// fetched ahead is thrown away, and the client may take a second to fetch again. What is left in a
/// window that takes this long to half empty lasts about as long.
const HOLD: Duration = Duration::from_secs(1);

/// What is read and not yet taken, and the most that may be.
#[derive(Debug)]
pub(crate) struct Window {
    most_records: usize,
    most_bytes: usize,
    records: AtomicUsize,
    bytes: AtomicUsize,
}

impl Window {
    pub fn new(most_records: usize, most_bytes: usize) -> Self {
        Self {
            most_records: most_records.max(1),
            most_bytes: most_bytes.max(1),
            records: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    pub fn add(&self, records: usize, bytes: usize) {
        self.records.fetch_add(records, Ordering::AcqRel);
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
    }

    pub fn take(&self, records: usize, bytes: usize) {
        self.records.fetch_sub(records, Ordering::AcqRel);
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
    }

    pub fn is_full(&self) -> bool {
        self.holds(self.most_records, self.most_bytes)
    }

    /// Whether there is room for so much that it is worth while to read again.
    pub fn has_room(&self) -> bool {
        !self.holds(self.most_records.div_ceil(2), self.most_bytes.div_ceil(2))
    }

    fn holds(&self, records: usize, bytes: usize) -> bool {
        self.records.load(Ordering::Acquire) >= records
            || self.bytes.load(Ordering::Acquire) >= bytes
    }
}

/// What a reader is to do about its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Ask for more.
    Go,
    /// Ask for nothing; what was fetched ahead stays where it is.
    Hold,
    /// Pause all partitions, then ask.
    Pause,
    /// Resume all partitions, then ask.
    Resume,
}

impl Flow {
    /// Stops the fetching of all partitions of a consumer, or goes on with it.
    pub fn turn<C: ConsumerContext>(
        self,
        consumer: &BaseConsumer<C>,
        stage: &str,
        all: impl FnOnce() -> TopicPartitionList,
    ) {
        let done = match self {
            Self::Go | Self::Hold => return,
            Self::Pause => consumer.pause(&all()),
            Self::Resume => consumer.resume(&all()),
        };
        if let Err(error) = done {
            tracing::debug!(stage, %error, "the consumer did not pause");
        }
    }
}

/// Decides that, time after time.
#[derive(Debug, Default)]
pub(crate) struct Throttle {
    full_since: Option<Instant>,
    is_paused: bool,
}

impl Throttle {
    /// Whether the partitions are paused.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// What is to be done now.
    pub fn next(&mut self, window: &Window, now: Instant) -> Flow {
        if self.is_paused {
            if !window.has_room() {
                return Flow::Go;
            }
            self.is_paused = false;
            return Flow::Resume;
        }
        if !window.is_full() {
            self.full_since = None;
            return Flow::Go;
        }
        let since = *self.full_since.get_or_insert(now);
        if now.saturating_duration_since(since) < HOLD {
            return Flow::Hold;
        }
        self.full_since = None;
        self.is_paused = true;
        Flow::Pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_stays_full_pauses_until_it_has_room() {
        let (window, mut throttle) = (Window::new(4, 1_000), Throttle::default());
        let begun = Instant::now();
        let mut next = |window: &Window, seconds: f32| {
            throttle.next(window, begun + Duration::from_secs_f32(seconds))
        };
        assert_eq!(next(&window, 0.0), Flow::Go);
        window.add(4, 10);
        assert_eq!(next(&window, 0.1), Flow::Hold);
        window.take(1, 2);
        assert_eq!(next(&window, 0.9), Flow::Go);
        window.add(1, 990);
        assert_eq!(next(&window, 1.2), Flow::Hold);
        assert_eq!(next(&window, 2.3), Flow::Pause);
        assert_eq!(next(&window, 2.4), Flow::Go);
        window.take(4, 998);
        assert_eq!(next(&window, 2.5), Flow::Resume);
        assert_eq!(next(&window, 2.6), Flow::Go);
    }
}
