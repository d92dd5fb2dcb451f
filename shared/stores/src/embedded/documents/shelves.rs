//! Which shelves are in memory: a shelf is read when it is first asked for, follows every batch from
//! then on, and goes when others need the memory, the one that was used longest ago first. So the
//! memory is bounded, however many groups there are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::key::GroupNumber;
use crate::{DocumentKind, StoreError};

/// A thing that takes memory.
pub(in crate::embedded) trait Weighed {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize;
}

impl Weighed for super::Shelf {
    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}

type Name = (GroupNumber, DocumentKind);

struct Kept<S> {
    shelf: Arc<RwLock<S>>,
    bytes: usize,
    used: u64,
}

struct State<S> {
    kept: HashMap<Name, Kept<S>>,
    bytes: usize,
    clock: u64,
}

/// The shelves that are in memory.
pub(in crate::embedded) struct Shelves<S> {
    limit: usize,
    state: Mutex<State<S>>,
}

impl<S: Weighed> Shelves<S> {
    /// Keeps about so many bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::new(State {
                kept: HashMap::new(),
                bytes: 0,
                clock: 0,
            }),
        }
    }

    /// A shelf, read with `read` if it is not in memory. The caller keeps batches from being
    /// published meanwhile.
    pub fn get(
        &self,
        name: Name,
        read: impl FnOnce() -> Result<S, StoreError>,
    ) -> Result<Arc<RwLock<S>>, StoreError> {
        if let Some(shelf) = self.kept(name) {
            return Ok(shelf);
        }
        let shelf = read()?;
        let bytes = shelf.bytes();
        let mut state = self.state();
        state.clock += 1;
        let used = state.clock;
        // Another read may have been faster.
        let kept = state.kept.entry(name).or_insert_with(|| Kept {
            shelf: Arc::new(RwLock::new(shelf)),
            bytes: 0,
            used,
        });
        let shelf = Arc::clone(&kept.shelf);
        let added = bytes.saturating_sub(kept.bytes);
        kept.bytes += added;
        state.bytes += added;
        self.evict(&mut state, name);
        Ok(shelf)
    }

    /// Changes a shelf if it is in memory.
    pub fn update(&self, name: Name, change: impl FnOnce(&mut S)) {
        let shelf = {
            let state = self.state();
            state.kept.get(&name).map(|kept| Arc::clone(&kept.shelf))
        };
        let Some(shelf) = shelf else { return };
        let bytes = {
            let mut shelf = shelf.write().unwrap_or_else(PoisonError::into_inner);
            change(&mut shelf);
            shelf.bytes()
        };
        let mut state = self.state();
        if let Some(kept) = state.kept.get_mut(&name) {
            let former = std::mem::replace(&mut kept.bytes, bytes);
            state.bytes = state.bytes - former + bytes;
        }
        self.evict(&mut state, name);
    }

    /// Forgets a shelf.
    pub fn forget(&self, name: Name) {
        let mut state = self.state();
        if let Some(kept) = state.kept.remove(&name) {
            state.bytes -= kept.bytes;
        }
    }

    fn kept(&self, name: Name) -> Option<Arc<RwLock<S>>> {
        let mut state = self.state();
        state.clock += 1;
        let used = state.clock;
        let kept = state.kept.get_mut(&name)?;
        kept.used = used;
        Some(Arc::clone(&kept.shelf))
    }

    /// Makes room; the shelf that is in use now stays, however large.
    fn evict(&self, state: &mut State<S>, in_use: Name) {
        while state.bytes > self.limit {
            let oldest = state
                .kept
                .iter()
                .filter(|(name, _)| **name != in_use)
                .min_by_key(|(_, kept)| kept.used)
                .map(|(name, _)| *name);
            let Some(kept) = oldest.and_then(|name| state.kept.remove(&name)) else {
                return;
            };
            state.bytes -= kept.bytes;
        }
    }

    fn state(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Weighed for Vec<u8> {
        fn bytes(&self) -> usize {
            self.len()
        }
    }

    fn name(group: GroupNumber) -> Name {
        (group, DocumentKind::Fact)
    }

    fn is_kept(shelves: &Shelves<Vec<u8>>, group: GroupNumber) -> bool {
        shelves.kept(name(group)).is_some()
    }

    #[test]
    fn the_one_used_longest_ago_makes_room() {
        let shelves = Shelves::<Vec<u8>>::new(30);
        for group in 1..=3 {
            shelves.get(name(group), || Ok(vec![0; 10])).unwrap();
        }
        assert!(is_kept(&shelves, 1));
        shelves.get(name(4), || Ok(vec![0; 10])).unwrap();
        assert!(is_kept(&shelves, 1) && !is_kept(&shelves, 2) && is_kept(&shelves, 4));
        // One that grows pushes others out, and never itself.
        shelves.update(name(4), |shelf| shelf.resize(100, 0));
        assert!(is_kept(&shelves, 4) && !is_kept(&shelves, 1) && !is_kept(&shelves, 3));
        shelves.forget(name(4));
        assert_eq!(shelves.state().bytes, 0);
    }

    #[test]
    fn a_shelf_that_is_not_there_is_read_once_and_not_made_by_an_update() {
        let shelves = Shelves::<Vec<u8>>::new(1000);
        shelves.update(name(1), |shelf| shelf.push(1));
        assert!(!is_kept(&shelves, 1));
        let shelf = shelves.get(name(1), || Ok(vec![7])).unwrap();
        shelves.update(name(1), |shelf| shelf.push(8));
        assert_eq!(*shelf.read().unwrap(), [7, 8]);
        let again = shelves.get(name(1), || Err(StoreError::Refused("read again".into())));
        assert_eq!(*again.unwrap().read().unwrap(), [7, 8]);
    }
}
