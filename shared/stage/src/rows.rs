//! The rows of a group: a small ordered key-value space. A step costs what it touches, never what
//! the group holds. Keys are bytes in order; values are postcard.

use std::collections::BTreeMap;
use std::ops::Bound;

use serde::{Serialize, de::DeserializeOwned};

use crate::StageError;

/// A key and its value.
pub type Row = (Vec<u8>, Vec<u8>);

/// The ordered rows of one group.
///
/// Reads don't fail: an implementation on disk remembers its first error, gives nothing from then
/// on, and its owner asks for the error before it uses what was decided.
pub trait GroupRows {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Option<Vec<u8>>;

    /// The rows with `from <= key < until`, in order.
    fn range<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a>;

    /// The same rows, last first.
    fn range_back<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a>;

    /// Sets the value of a key.
    fn put(&mut self, key: Vec<u8>, value: Vec<u8>);

    /// Removes a key; no matter if it is not there.
    fn delete(&mut self, key: &[u8]);
}

/// The first key after all keys that begin with `prefix`.
pub fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            return end;
        }
    }
    vec![0xff; prefix.len() + 64]
}

/// Reads and decodes a row.
pub fn read_row<T: DeserializeOwned>(
    rows: &dyn GroupRows,
    key: &[u8],
) -> Result<Option<T>, StageError> {
    rows.get(key).map(|value| decode_row(&value)).transpose()
}

/// Encodes and writes a row.
pub fn write_row<T: Serialize>(
    rows: &mut dyn GroupRows,
    key: Vec<u8>,
    value: &T,
) -> Result<(), StageError> {
    let value =
        postcard::to_stdvec(value).map_err(|error| StageError::BrokenRow(error.to_string()))?;
    rows.put(key, value);
    Ok(())
}

/// Decodes the value of a row.
pub fn decode_row<T: DeserializeOwned>(value: &[u8]) -> Result<T, StageError> {
    postcard::from_bytes(value).map_err(|error| StageError::BrokenRow(error.to_string()))
}

/// Rows in memory, for tests and for histories that are derived anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryRows(BTreeMap<Vec<u8>, Vec<u8>>);

impl MemoryRows {
    /// All rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.0
            .iter()
            .map(|(key, value)| (key.as_slice(), value.as_slice()))
    }
}

impl GroupRows for MemoryRows {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.0.get(key).cloned()
    }

    fn range<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a> {
        if from >= until {
            return Box::new(std::iter::empty());
        }
        let bounds = (
            Bound::Included(from.to_vec()),
            Bound::Excluded(until.to_vec()),
        );
        Box::new(
            self.0
                .range(bounds)
                .map(|(key, value)| (key.clone(), value.clone())),
        )
    }

    fn range_back<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a> {
        if from >= until {
            return Box::new(std::iter::empty());
        }
        let bounds = (
            Bound::Included(from.to_vec()),
            Bound::Excluded(until.to_vec()),
        );
        Box::new(
            self.0
                .range(bounds)
                .rev()
                .map(|(key, value)| (key.clone(), value.clone())),
        )
    }

    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.0.insert(key, value);
    }

    fn delete(&mut self, key: &[u8]) {
        self.0.remove(key);
    }
}

/// Changes on top of rows that stay as they are, until [`Self::into_changes`] are written.
pub struct OverlayRows<'b> {
    base: &'b dyn GroupRows,
    changes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    base_is_erased: bool,
}

impl<'b> OverlayRows<'b> {
    /// No changes on top of `base`.
    pub fn new(base: &'b dyn GroupRows) -> Self {
        Self {
            base,
            changes: BTreeMap::new(),
            base_is_erased: false,
        }
    }

    /// Earlier changes on top of `base`.
    pub fn with_changes(base: &'b dyn GroupRows, changes: RowChanges) -> Self {
        Self {
            base,
            changes: changes.rows,
            base_is_erased: changes.erased_before,
        }
    }

    /// Drops every row of the group.
    pub fn erase_all(&mut self) {
        self.changes.clear();
        self.base_is_erased = true;
    }

    /// The changes, to be written to the base.
    pub fn into_changes(self) -> RowChanges {
        RowChanges {
            rows: self.changes,
            erased_before: self.base_is_erased,
        }
    }

    fn merged<'a>(
        &'a self,
        base: Box<dyn Iterator<Item = Row> + 'a>,
        changes: impl Iterator<Item = (&'a Vec<u8>, &'a Option<Vec<u8>>)> + 'a,
        comes_first: fn(&[u8], &[u8]) -> bool,
    ) -> Box<dyn Iterator<Item = Row> + 'a> {
        let mut base = base.peekable();
        let mut changes = changes.peekable();
        Box::new(std::iter::from_fn(move || {
            loop {
                let change_first = match (base.peek(), changes.peek()) {
                    (None, None) => return None,
                    (Some(_), None) => false,
                    (None, Some(_)) => true,
                    (Some((key, _)), Some((changed, _))) => {
                        if key == *changed {
                            base.next();
                            continue;
                        }
                        comes_first(changed, key)
                    }
                };
                if !change_first {
                    return base.next();
                }
                if let Some((key, Some(value))) = changes.next() {
                    return Some((key.clone(), value.clone()));
                }
            }
        }))
    }
}

/// What an overlay changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowChanges {
    /// The rows set (`Some`) and removed (`None`).
    pub rows: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    /// Whether all rows of the base are dropped before.
    pub erased_before: bool,
}

impl GroupRows for OverlayRows<'_> {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        match self.changes.get(key) {
            Some(change) => change.clone(),
            None if self.base_is_erased => None,
            None => self.base.get(key),
        }
    }

    fn range<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a> {
        if from >= until {
            return Box::new(std::iter::empty());
        }
        let bounds = (
            Bound::Included(from.to_vec()),
            Bound::Excluded(until.to_vec()),
        );
        let base: Box<dyn Iterator<Item = Row> + 'a> = if self.base_is_erased {
            Box::new(std::iter::empty())
        } else {
            self.base.range(from, until)
        };
        self.merged(base, self.changes.range(bounds), |a, b| a < b)
    }

    fn range_back<'a>(&'a self, from: &[u8], until: &[u8]) -> Box<dyn Iterator<Item = Row> + 'a> {
        if from >= until {
            return Box::new(std::iter::empty());
        }
        let bounds = (
            Bound::Included(from.to_vec()),
            Bound::Excluded(until.to_vec()),
        );
        let base: Box<dyn Iterator<Item = Row> + 'a> = if self.base_is_erased {
            Box::new(std::iter::empty())
        } else {
            self.base.range_back(from, until)
        };
        self.merged(base, self.changes.range(bounds).rev(), |a, b| a > b)
    }

    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.changes.insert(key, Some(value));
    }

    fn delete(&mut self, key: &[u8]) {
        self.changes.insert(key.to_vec(), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn an_overlay_reads_like_the_rows_it_will_make(
            base in proptest::collection::btree_map(0u8..20, 0u8..9, 0..15),
            changes in proptest::collection::vec((0u8..20, proptest::option::of(0u8..9)), 0..15),
            erased in proptest::bool::ANY,
            from in 0u8..20, until in 0u8..20,
        ) {
            let mut rows = MemoryRows::default();
            for (key, value) in &base { rows.put(vec![*key], vec![*value]); }
            let mut expected = if erased { MemoryRows::default() } else { rows.clone() };
            let mut overlay = OverlayRows::new(&rows);
            if erased { overlay.erase_all(); }
            for (key, value) in &changes {
                match value {
                    Some(value) => {
                        overlay.put(vec![*key], vec![*value]);
                        expected.put(vec![*key], vec![*value]);
                    }
                    None => { overlay.delete(&[*key]); expected.delete(&[*key]); }
                }
            }
            let all: Vec<Row> = overlay.range(&[from], &[until]).collect();
            proptest::prop_assert_eq!(&all, &expected.range(&[from], &[until]).collect::<Vec<_>>());
            let mut back: Vec<Row> = overlay.range_back(&[from], &[until]).collect();
            back.reverse();
            proptest::prop_assert_eq!(all, back);
            for key in 0u8..20 {
                proptest::prop_assert_eq!(overlay.get(&[key]), expected.get(&[key]));
            }
        }
    }

    #[test]
    fn the_end_of_a_prefix() {
        assert_eq!(prefix_end(b"a"), b"b");
        assert_eq!(prefix_end(&[1, 0xff]), [2]);
    }
}
