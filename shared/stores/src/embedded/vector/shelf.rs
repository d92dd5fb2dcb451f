//! A shelf with the vectors of its documents.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::rows::VectorRows;
use super::table::Table;
use super::windows::{Products, Windows};
use crate::embedded::documents::{DocumentId, Documents, Shelf, Weighed};
use crate::{DocumentKind, StoreError};

pub(super) struct VectorShelf {
    pub documents: Shelf,
    pub table: Table,
    products: Mutex<Products>,
    windows: OnceLock<Arc<Windows>>,
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
    }

    /// Sets what searches see of a slot.
    pub fn set_document(
        &mut self,
        slot: u32,
        seen: Option<(DocumentId, u32, crate::embedded::documents::Attributes)>,
    ) {
        match seen {
            Some((id, length, attributes)) => self.documents.put(slot, id, length, attributes),
            None => self.documents.remove(slot),
        }
        self.windows = OnceLock::new();
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
        self.documents.bytes() + self.table.bytes() + products.bytes()
    }
}
