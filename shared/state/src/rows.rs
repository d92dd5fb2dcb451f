//! The rows of one group on disk, to be read by a step.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fjall::{Guard, Keyspace};
use mneme_stage::{GroupRows, Row};

use crate::StateError;
use crate::cache::RowCache;

/// The rows of a group as the last commit left them.
///
/// Reads don't fail: the first error is remembered and nothing is given from then on. Whoever used
/// the rows asks [`Self::take_error`] before using what was decided from them. Changes are made on
/// an overlay and written by a commit; a direct one is an error.
pub struct DiskRows {
    rows: Keyspace,
    cache: RowCache,
    prefix: Vec<u8>,
    error: Mutex<Option<StateError>>,
}

impl DiskRows {
    pub(crate) fn new(rows: Keyspace, cache: RowCache, prefix: Vec<u8>) -> Self {
        Self {
            rows,
            cache,
            prefix,
            error: Mutex::new(None),
        }
    }

    /// The first error since the last call, if there was one.
    pub fn take_error(&self) -> Option<StateError> {
        self.error().take()
    }

    fn error(&self) -> MutexGuard<'_, Option<StateError>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, error: impl Into<StateError>) {
        self.error().get_or_insert(error.into());
    }

    fn whole(&self, key: &[u8]) -> Vec<u8> {
        [&self.prefix, key].concat()
    }

    fn guards(&self, from: &[u8], until: &[u8]) -> Option<fjall::Iter> {
        let is_empty = from >= until || self.error().is_some();
        (!is_empty).then(|| self.rows.range(self.whole(from)..self.whole(until)))
    }

    fn row(&self, guard: Guard) -> Option<Row> {
        match guard.into_inner() {
            Ok((key, value)) => Some((key[self.prefix.len()..].to_vec(), value.to_vec())),
            Err(error) => {
                self.remember(error);
                None
            }
        }
    }
}

impl GroupRows for DiskRows {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        if self.error().is_some() {
            return None;
        }
        match self.cache.get(&self.rows, self.whole(key)) {
            Ok(value) => value.map(|value| value.to_vec()),
            Err(error) => {
                self.remember(error);
                None
            }
        }
    }

    fn range<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a> {
        let guards = self.guards(from, until).into_iter().flatten();
        Box::new(guards.map_while(|guard| self.row(guard)))
    }

    fn range_back<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a> {
        let guards = self.guards(from, until).into_iter();
        let guards = guards.flat_map(Iterator::rev);
        Box::new(guards.map_while(|guard| self.row(guard)))
    }

    fn put(&mut self, _key: Vec<u8>, _value: Vec<u8>) {
        self.remember(StateError::WithoutCommit);
    }

    fn delete(&mut self, _key: &[u8]) {
        self.remember(StateError::WithoutCommit);
    }
}
