//! The documents of one kind of one group in memory: what scores, time views and filters need, by
//! slot.

use std::sync::{Arc, OnceLock};

use super::row::{Attributes, DocumentId};
use super::thread_order::ThreadOrder;

/// A document on a shelf.
#[derive(Debug, Clone)]
pub(in crate::embedded) struct Entry {
    pub id: DocumentId,
    pub length: u32,
    pub attributes: Attributes,
}

impl Entry {
    /// About how many bytes of memory it takes.
    fn bytes(&self) -> usize {
        let id = match &self.id {
            DocumentId::Episode(id) => id.as_str().len(),
            DocumentId::Derived(_) => 0,
        };
        let attributes = match &self.attributes {
            Attributes::Episode(episode) => {
                let metadata = episode.metadata.iter();
                let thread = episode.thread_id.as_ref();
                thread.map_or(0, |thread| thread.as_str().len() + 16)
                    + metadata
                        .map(|(key, value)| key.len() + value.len() + 96)
                        .sum::<usize>()
            }
            Attributes::Fact(fact) => {
                let types = [&fact.subject_type, &fact.object_type];
                fact.episode_id.as_str().len()
                    + fact.relation.len()
                    + types
                        .into_iter()
                        .flatten()
                        .map(|text| text.len() + 16)
                        .sum::<usize>()
                    + 32
            }
            Attributes::Entity(entity) => {
                let aliases = entity.aliases.iter().map(|alias| alias.len() + 24);
                entity.name.len() + aliases.sum::<usize>()
            }
            Attributes::Community => 0,
        };
        size_of::<Option<Self>>() + 16 + id + attributes
    }
}

/// The documents of one kind of one group.
#[derive(Debug, Default)]
pub(in crate::embedded) struct Shelf {
    entries: Vec<Option<Entry>>,
    /// The lengths again, close together for the scores; [`Self::EMPTY`] in an empty slot.
    lengths: Vec<u32>,
    count: u32,
    total_length: u64,
    bytes: usize,
    order: OnceLock<Arc<ThreadOrder>>,
}

impl Shelf {
    const EMPTY: u32 = u32::MAX;

    /// Puts a document in its slot, in place of what is there.
    pub fn put(&mut self, slot: u32, id: DocumentId, length: u32, attributes: Attributes) {
        let entry = Entry {
            id,
            length,
            attributes,
        };
        self.set(slot, Some(entry));
    }

    /// Empties a slot.
    pub fn remove(&mut self, slot: u32) {
        self.set(slot, None);
    }

    fn set(&mut self, slot: u32, entry: Option<Entry>) {
        let index = slot as usize;
        if self.entries.len() <= index {
            self.entries.resize_with(index + 1, || None);
            self.lengths.resize(index + 1, Self::EMPTY);
        }
        if let Some(length) = self.lengths.get_mut(index) {
            *length = entry.as_ref().map_or(Self::EMPTY, |entry| entry.length);
        }
        if let Some(entry) = &entry {
            self.count += 1;
            self.total_length += u64::from(entry.length);
            self.bytes += entry.bytes();
        }
        let Some(place) = self.entries.get_mut(index) else {
            return;
        };
        if let Some(former) = std::mem::replace(place, entry) {
            self.count -= 1;
            self.total_length -= u64::from(former.length);
            self.bytes -= former.bytes();
        }
        self.order = OnceLock::new();
    }

    /// The document in a slot.
    pub fn get(&self, slot: u32) -> Option<&Entry> {
        self.entries.get(slot as usize)?.as_ref()
    }

    /// The length of the document in a slot.
    #[inline]
    pub fn length(&self, slot: u32) -> Option<u32> {
        let length = self.lengths.get(slot as usize).copied();
        length.filter(|&length| length != Self::EMPTY)
    }

    /// The documents with their slots.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Entry)> {
        let slots = 0u32..;
        slots
            .zip(&self.entries)
            .filter_map(|(slot, entry)| entry.as_ref().map(|entry| (slot, entry)))
    }

    /// All slots are below this.
    pub fn slots(&self) -> usize {
        self.entries.len()
    }

    /// How many documents there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The words of all documents.
    pub fn total_length(&self) -> u64 {
        self.total_length
    }

    /// About how many bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        self.bytes + size_of::<Self>()
    }

    /// The order of the threads' episodes; made when it is first asked for after a change.
    pub fn order(&self) -> Arc<ThreadOrder> {
        let order = self.order.get_or_init(|| Arc::new(ThreadOrder::of(self)));
        Arc::clone(order)
    }
}
