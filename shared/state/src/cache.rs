//! Rows that were read, in memory. What is cached is what is on disk: a commit changes both, disk
//! first, and a row that is being read while it changes is not kept.

use std::sync::Arc;

use fjall::Keyspace;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// What an entry takes beside its key and value, about.
const OVERHEAD: usize = 96;

/// The value of a row, or that there is none.
type Value = Option<Arc<[u8]>>;

#[derive(Clone)]
struct Bytes;

impl Weighter<Vec<u8>, Value> for Bytes {
    fn weight(&self, key: &Vec<u8>, value: &Value) -> u64 {
        let value = value.as_ref().map_or(0, |value| value.len());
        (key.len() + value + OVERHEAD) as u64
    }
}

/// The rows of a stage that were read lately.
#[derive(Clone)]
pub(crate) struct RowCache(Arc<Cache<Vec<u8>, Value, Bytes>>);

impl RowCache {
    /// A cache of about so many bytes.
    pub fn new(bytes: u64) -> Self {
        let items = (bytes / 256).max(16) as usize;
        Self(Arc::new(Cache::with_weighter(items, bytes, Bytes)))
    }

    /// The value of a row, read where it is not at hand.
    pub fn get(&self, rows: &Keyspace, key: Vec<u8>) -> fjall::Result<Value> {
        self.0.get_or_insert_with(&key, || {
            Ok(rows.get(&key)?.map(|value| Arc::from(value.as_ref())))
        })
    }

    /// Takes over what a commit has written, where it is cached.
    pub fn written(&self, key: Vec<u8>, value: Option<&[u8]>) {
        // Soft: it counts as no use of the row.
        let _ = self.0.replace(key, value.map(Arc::from), true);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.0.clear();
    }
}
