//! The vectors of windows, which are never stored: the vector of a window is the normalised mean of
//! the vectors of its episodes, so its cosine with a query is the sum of theirs, divided by the
//! length of their sum. That length needs the products of neighbours; they are kept from one change
//! to the next and computed only where neighbours changed.

use std::sync::Arc;

use super::table::Table;
use crate::embedded::documents::ThreadOrder;

/// The product of a slot's vector with that of another slot, at the revisions of both.
#[derive(Debug, Clone, Copy, Default)]
struct Product {
    other: u32,
    revisions: (u32, u32),
    value: f32,
}

/// Products with the next episode of the thread and the one after it, by slot.
#[derive(Debug, Default)]
pub(super) struct Products {
    known: Vec<[Option<Product>; 2]>,
    /// How often the vector of each slot was set.
    revisions: Vec<u32>,
}

impl Products {
    /// Says that the vector of a slot was set.
    pub fn changed(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.revisions.len() <= slot {
            self.revisions.resize(slot + 1, 0);
            self.known.resize(slot + 1, [None; 2]);
        }
        self.revisions[slot] = self.revisions[slot].wrapping_add(1);
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.known.capacity() * size_of::<[Option<Product>; 2]>() + self.revisions.capacity() * 4
    }

    fn get(&mut self, table: &Table, slot: u32, other: u32, ahead: usize) -> f32 {
        let revision = |slot: u32| self.revisions.get(slot as usize).copied().unwrap_or(0);
        let revisions = (revision(slot), revision(other));
        let Some(known) = self
            .known
            .get_mut(slot as usize)
            .and_then(|of| of.get_mut(ahead))
        else {
            return table.product(slot, other);
        };
        match known {
            Some(known) if known.other == other && known.revisions == revisions => known.value,
            _ => {
                let value = table.product(slot, other);
                *known = Some(Product {
                    other,
                    revisions,
                    value,
                });
                value
            }
        }
    }
}

/// The lengths of the sums of windows, by rank.
#[derive(Debug)]
pub(super) struct Windows {
    pub order: Arc<ThreadOrder>,
    lengths: Vec<f32>,
}

impl Windows {
    pub fn of(order: Arc<ThreadOrder>, table: &Table, products: &mut Products) -> Self {
        let lengths = (0..order.len() as u32).map(|rank| {
            let slots = slots_of(&order, rank, table);
            let mut square = slots.len() as f32;
            for (at, &slot) in slots.iter().enumerate() {
                for (ahead, &other) in slots.iter().skip(at + 1).enumerate() {
                    square += 2.0 * products.get(table, slot, other, ahead);
                }
            }
            square.max(0.0).sqrt()
        });
        let lengths = lengths.collect();
        Self { order, lengths }
    }

    /// The slots of a window that have vectors.
    pub fn slots(&self, rank: u32, table: &Table) -> Vec<u32> {
        slots_of(&self.order, rank, table).to_vec()
    }

    /// Slot and cosine of the window of each episode, from the products of a query with the vectors
    /// of all slots (0 where there is none).
    pub fn cosines(&self, products: &[f32]) -> Vec<(u32, f32)> {
        let slots = self.order.slots();
        let of_slot = |slot: &u32| products.get(*slot as usize).copied().unwrap_or(0.0);
        let own: Vec<f32> = slots.iter().map(of_slot).collect();
        let mut sums = own.clone();
        let followers = self.order.follows().iter().enumerate();
        for (rank, _) in followers.filter(|(_, follows)| **follows) {
            // A window has its neighbours, and they have it.
            sums[rank] += own[rank - 1];
            sums[rank - 1] += own[rank];
        }
        let windows = slots.iter().zip(sums).zip(&self.lengths);
        windows
            .filter(|(_, length)| **length > f32::EPSILON)
            .map(|((slot, sum), length)| (*slot, sum / length))
            .collect()
    }
}

fn slots_of(order: &ThreadOrder, rank: u32, table: &Table) -> SmallList {
    let mut slots = SmallList::default();
    for slot in order.window(rank).filter_map(|rank| order.slot(rank)) {
        if table.has(slot) {
            slots.push(slot);
        }
    }
    slots
}

/// At most three slots.
#[derive(Default)]
struct SmallList {
    slots: [u32; 3],
    length: usize,
}

impl SmallList {
    fn push(&mut self, slot: u32) {
        if let Some(place) = self.slots.get_mut(self.length) {
            *place = slot;
            self.length += 1;
        }
    }
}

impl std::ops::Deref for SmallList {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        self.slots.get(..self.length).unwrap_or_default()
    }
}
