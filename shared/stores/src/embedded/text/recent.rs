//! What the index of words does not have yet. A commit of the index costs many times what a batch
//! does, so batches are gathered here, in memory and in rows on disk, and moved to the index when
//! there are enough of them. A search reads both.
//!
//! 1. A batch writes its rows, what is pending for the index, and its checkpoints at once.
//! 2. Moving commits what is pending to the index, under the next number, after all rows are safe on
//!    disk; then it removes the pending rows and writes the number, at once.
//! 3. So after a crash the index has the number of the rows, and the pending rows are read; or the
//!    next number, and the pending rows are what it has already.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::DocumentKind;
use crate::embedded::documents::{Address, Edit};

/// A kind of a group.
pub(super) type Owner = (u32, DocumentKind);

/// More pending documents than this are moved to the index.
pub(super) const MOST_DOCUMENTS: usize = 8_000;
/// More bytes of words than this, too.
const MOST_BYTES: usize = 8 << 20;

/// What is pending for one address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Pending {
    /// The words, one a line; none where the document is gone.
    pub words: Option<String>,
    /// Whether the index has a document at the address, which has to go.
    pub in_index: bool,
}

/// What a batch does to what is pending.
#[derive(Default)]
pub(super) struct Plan {
    pub emptied: Vec<Owner>,
    /// What is pending from now on; none where nothing is.
    pub pending: BTreeMap<Address, Option<Pending>>,
}

/// The words of the pending documents of an owner. Those of a document that was replaced or removed
/// stay until all are moved, under an older stamp.
#[derive(Default)]
struct OwnerWords {
    postings: HashMap<Box<str>, Vec<Posting>>,
    /// The stamp of each document.
    stamps: HashMap<u32, u64>,
    has_older: bool,
}

/// A document has a word so often.
struct Posting {
    slot: u32,
    times: u32,
    stamp: u64,
}

/// What is pending, with the words to search.
#[derive(Default)]
pub(super) struct Recent {
    pending: BTreeMap<Address, Pending>,
    emptied: BTreeSet<Owner>,
    words: HashMap<Owner, OwnerWords>,
    /// Bytes of words that were added.
    bytes: usize,
    last_stamp: u64,
}

impl Recent {
    /// What a batch does. `emptied` comes before the edits.
    pub fn plan(&self, emptied: &[Owner], edits: &mut BTreeMap<Address, Edit<String>>) -> Plan {
        let mut plan = Plan {
            emptied: emptied.to_vec(),
            pending: BTreeMap::new(),
        };
        for owner in emptied {
            let of_owner = self.of_owner(*owner);
            plan.pending
                .extend(of_owner.map(|(address, _)| (*address, None)));
        }
        for (address, edit) in edits {
            let words = edit.content.take();
            let gone = edit.seen.is_none();
            if words.is_none() && !gone {
                continue;
            }
            let in_index = match self.pending.get(address) {
                Some(pending) => pending.in_index,
                None => edit.was_indexed,
            };
            let pending = (words.is_some() || in_index).then_some(Pending { words, in_index });
            plan.pending.insert(*address, pending);
        }
        plan
    }

    /// Takes over what a batch does.
    pub fn apply(&mut self, plan: Plan) {
        self.emptied.extend(plan.emptied);
        for (address, pending) in plan.pending {
            if self.pending.remove(&address).is_some() {
                self.forget_words(address);
            }
            if let Some(pending) = pending {
                self.add_words(address, &pending);
                self.pending.insert(address, pending);
            }
        }
    }

    fn add_words(&mut self, address: Address, pending: &Pending) {
        let Some(words) = &pending.words else { return };
        self.bytes += words.len();
        self.last_stamp += 1;
        let (slot, stamp) = (address.slot, self.last_stamp);
        let of_owner = self.words.entry((address.group, address.kind)).or_default();
        of_owner.stamps.insert(slot, stamp);
        for (word, times) in count(words) {
            let posting = Posting { slot, times, stamp };
            match of_owner.postings.get_mut(word) {
                Some(postings) => postings.push(posting),
                None => {
                    of_owner.postings.insert(word.into(), vec![posting]);
                }
            }
        }
    }

    fn forget_words(&mut self, address: Address) {
        if let Some(of_owner) = self.words.get_mut(&(address.group, address.kind)) {
            of_owner.has_older |= of_owner.stamps.remove(&address.slot).is_some();
        }
    }

    fn of_owner(&self, (group, kind): Owner) -> impl Iterator<Item = (&Address, &Pending)> {
        let at = |slot| Address { group, kind, slot };
        self.pending.range(at(0)..=at(u32::MAX))
    }

    /// The slots of an owner that what the index has is not right for.
    pub fn hidden(&self, owner: Owner) -> Vec<u32> {
        let of_owner = self.of_owner(owner);
        let hidden = of_owner.filter(|(_, pending)| pending.in_index);
        hidden.map(|(address, _)| address.slot).collect()
    }

    /// The slots of the pending documents that have a word, and how often each has it.
    pub fn postings(&self, owner: Owner, word: &str) -> Vec<(u32, u32)> {
        let Some(of_owner) = self.words.get(&owner) else {
            return Vec::new();
        };
        let postings = of_owner.postings.get(word).into_iter().flatten();
        let current = |posting: &&Posting| {
            !of_owner.has_older || of_owner.stamps.get(&posting.slot) == Some(&posting.stamp)
        };
        let current = postings.filter(current);
        current
            .map(|posting| (posting.slot, posting.times))
            .collect()
    }

    /// Whether it should be moved to the index.
    pub fn is_large(&self, most_documents: usize) -> bool {
        self.pending.len() > most_documents || self.bytes > MOST_BYTES
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.emptied.is_empty()
    }

    /// The owners of which the index has nothing right.
    pub fn emptied(&self) -> impl Iterator<Item = Owner> {
        self.emptied.iter().copied()
    }

    /// What is pending, by address.
    pub fn pending(&self) -> impl Iterator<Item = (Address, &Pending)> {
        self.pending
            .iter()
            .map(|(address, pending)| (*address, pending))
    }
}

/// The distinct words of a document and how often it has each.
fn count(words: &str) -> Vec<(&str, u32)> {
    let mut lines: Vec<&str> = words.lines().collect();
    lines.sort_unstable();
    let mut counted: Vec<(&str, u32)> = Vec::with_capacity(lines.len());
    for word in lines {
        match counted.last_mut() {
            Some((last, times)) if *last == word => *times += 1,
            _ => counted.push((word, 1)),
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::documents::{Attributes, DocumentId};

    const OWNER: Owner = (1, DocumentKind::Fact);

    fn at(slot: u32) -> Address {
        let (group, kind) = OWNER;
        Address { group, kind, slot }
    }

    fn put(words: &str, was_indexed: bool) -> Edit<String> {
        let id = DocumentId::Derived(uuid::Uuid::nil());
        Edit {
            was_indexed,
            seen: Some((id, 1, Attributes::Community)),
            content: Some(words.to_owned()),
        }
    }

    fn gone() -> Edit<String> {
        Edit {
            was_indexed: true,
            seen: None,
            content: None,
        }
    }

    fn apply(recent: &mut Recent, emptied: &[Owner], edits: Vec<(u32, Edit<String>)>) {
        let edits = edits.into_iter().map(|(slot, edit)| (at(slot), edit));
        let plan = recent.plan(emptied, &mut edits.collect());
        recent.apply(plan);
    }

    #[test]
    fn what_came_and_went_before_it_was_moved_leaves_nothing() {
        let mut recent = Recent::default();
        apply(&mut recent, &[], vec![(1, put("lamp\nlamp\n", false))]);
        assert_eq!(recent.postings(OWNER, "lamp"), [(1, 2)]);
        assert!(recent.hidden(OWNER).is_empty());
        apply(&mut recent, &[], vec![(1, put("boat\n", true))]);
        assert!(recent.postings(OWNER, "lamp").is_empty());
        assert_eq!(recent.postings(OWNER, "boat"), [(1, 1)]);
        apply(&mut recent, &[], vec![(1, gone())]);
        assert!(recent.is_empty());
        assert!(recent.postings(OWNER, "boat").is_empty());
    }

    #[test]
    fn what_the_index_has_is_hidden_when_it_is_replaced_or_gone() {
        let mut recent = Recent::default();
        apply(
            &mut recent,
            &[],
            vec![(1, put("lamp\n", true)), (2, gone())],
        );
        assert_eq!(recent.hidden(OWNER), [1, 2]);
        // Gone again: the index still has the old one.
        apply(&mut recent, &[], vec![(1, gone())]);
        assert_eq!(recent.hidden(OWNER), [1, 2]);
        assert!(recent.postings(OWNER, "lamp").is_empty());
    }

    #[test]
    fn emptying_comes_first() {
        let mut recent = Recent::default();
        let before = vec![(1, put("lamp\n", true)), (2, put("lamp\n", false))];
        apply(&mut recent, &[], before);
        apply(&mut recent, &[OWNER], vec![(3, put("lamp\n", false))]);
        assert_eq!(recent.postings(OWNER, "lamp"), [(3, 1)]);
        assert_eq!(recent.emptied().collect::<Vec<_>>(), [OWNER]);
        assert_eq!(recent.pending().count(), 1);
    }
}
