//! Whether the thread of a stage is alive, and whether it has something to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What is known of the thread of a stage, for `/livez` and `/readyz`.
#[derive(Debug, Clone)]
pub struct Health {
    started: Instant,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    polled_ms: AtomicU64,
    assigned: AtomicUsize,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            shared: Arc::default(),
        }
    }
}

impl Health {
    /// Whether the thread has asked the broker within this time. A thread whose records are being
    /// worked on goes on asking, so one that does not is stuck.
    pub fn is_polling(&self, within: Duration) -> bool {
        let polled = Duration::from_millis(self.shared.polled_ms.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(polled) <= within
    }

    /// How many partitions the instance has.
    pub fn assigned(&self) -> usize {
        self.shared.assigned.load(Ordering::Relaxed)
    }

    pub(crate) fn polled(&self) {
        let now = self.started.elapsed().as_millis();
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        self.shared.polled_ms.store(now, Ordering::Relaxed);
    }

    pub(crate) fn set_assigned(&self, partitions: usize) {
        self.shared.assigned.store(partitions, Ordering::Relaxed);
    }
}
