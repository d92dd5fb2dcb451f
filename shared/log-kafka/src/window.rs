//! How much may be read ahead of whoever works on it.

use std::sync::atomic::{AtomicUsize, Ordering};

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
