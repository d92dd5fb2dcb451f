//! A shelf with the vectors of its documents.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::rows::VectorRows;
use super::table::Table;
use super::windows::{Products, Windows};
use crate::embedded::documents::{Attributes, DocumentId, Documents, Shelf, Weighed};
use crate::{DocumentKind, StoreError};

/// A query and its products.
type Answered = (Vec<f32>, Arc<Vec<f32>>);

pub(super) struct VectorShelf {
    pub documents: Shelf,
    pub table: Table,
    products: Mutex<Products>,
    windows: OnceLock<Arc<Windows>>,
    /// The last query and its products: episodes and their windows are asked for one after the other.
    last: Mutex<Option<Answered>>,
}

impl VectorShelf {
    /// Reads the documents of a kind of a group and their vectors.
    pub fn read(
        documents: &Documents,
        rows: &VectorRows,
        group: u32,
        kind: DocumentKind,
    ) -> Result<Self, StoreError> {
        let mut shelf = Self {
            documents: documents.shelf(group, kind)?,
            table: Table::new(rows.dimension),
            products: Mutex::default(),
            windows: OnceLock::new(),
            last: Mutex::default(),
        };
        rows.for_each(group, kind, |slot, vector| {
            shelf.set_vector(slot, Some(vector));
        })?;
        Ok(shelf)
    }

    /// Sets the vector of a slot, or that there is none.
    pub fn set_vector(&mut self, slot: u32, vector: Option<&[f32]>) {
        self.table.set(slot, vector);
        let products = self.products.get_mut();
        let products = products.unwrap_or_else(PoisonError::into_inner);
        products.changed(slot);
        self.windows = OnceLock::new();
        self.last = Mutex::default();
    }

    /// Sets what searches see of a slot.
    pub fn set_document(&mut self, slot: u32, seen: Option<(DocumentId, u32, Attributes)>) {
        match seen {
            Some((id, length, attributes)) => self.documents.put(slot, id, length, attributes),
            None => self.documents.remove(slot),
        }
        self.windows = OnceLock::new();
    }

    /// The products of a query with the vectors of all slots; 0 where there is none.
    pub fn products(&self, query: &[f32]) -> Arc<Vec<f32>> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((asked, products)) = &*last()
            && asked == query
        {
            return Arc::clone(products);
        }
        // Not under the lock: searches go on beside each other.
        let products = Arc::new(self.table.products(&self.table.probe(query)));
        *last() = Some((query.to_vec(), Arc::clone(&products)));
        products
    }

    /// The windows of the episodes.
    pub fn windows(&self) -> Arc<Windows> {
        let windows = self.windows.get_or_init(|| {
            let products = self.products.lock();
            let mut products = products.unwrap_or_else(PoisonError::into_inner);
            let order = self.documents.order();
            Arc::new(Windows::of(order, &self.table, &mut products))
        });
        Arc::clone(windows)
    }
}

impl Weighed for VectorShelf {
    fn bytes(&self) -> usize {
        let products = self.products.lock().unwrap_or_else(PoisonError::into_inner);
        let last = self.documents.slots() * size_of::<f32>();
        self.documents.bytes() + self.table.bytes() + products.bytes() + last
    }
}
