//! The vectors of the documents of a shelf in memory, by slot: whole while they are few, in one byte
//! a component when they are many. Codes choose candidates only; what is given to the caller is
//! computed from whole vectors.

use super::dot::{dot, dot_codes, encode};

/// With more slots than this, codes are kept.
const MOST_WHOLE: usize = 20_000;

#[derive(Debug)]
enum Rows {
    Whole(Vec<f32>),
    Coded { codes: Vec<i8>, scales: Vec<f32> },
}

/// Vectors of length one, or none, by slot.
#[derive(Debug)]
pub(super) struct Table {
    dimension: usize,
    rows: Rows,
    present: Vec<bool>,
}

/// A query, in the form that the table compares.
pub(super) enum Probe<'q> {
    Whole(&'q [f32]),
    Coded { codes: Vec<i16>, scale: f32 },
}

impl Table {
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            rows: Rows::Whole(Vec::new()),
            present: Vec::new(),
        }
    }

    /// Sets the vector of a slot, or that there is none.
    pub fn set(&mut self, slot: u32, vector: Option<&[f32]>) {
        let slot = slot as usize;
        if self.present.len() <= slot {
            self.grow(slot + 1);
        }
        self.present[slot] = vector.is_some();
        let at = slot * self.dimension..(slot + 1) * self.dimension;
        match (&mut self.rows, vector) {
            (Rows::Whole(rows), Some(vector)) => rows[at].copy_from_slice(vector),
            (Rows::Whole(rows), None) => rows[at].fill(0.0),
            (Rows::Coded { codes, scales }, Some(vector)) => {
                let mut row = Vec::with_capacity(self.dimension);
                scales[slot] = encode(vector, &mut row);
                codes[at].copy_from_slice(&row);
            }
            (Rows::Coded { codes, scales }, None) => {
                scales[slot] = 0.0;
                codes[at].fill(0);
            }
        }
    }

    fn grow(&mut self, slots: usize) {
        self.present.resize(slots, false);
        if slots > MOST_WHOLE
            && let Rows::Whole(rows) = &self.rows
        {
            let mut codes = Vec::with_capacity(slots * self.dimension);
            let rows = rows.chunks_exact(self.dimension.max(1));
            let scales = rows.map(|row| encode(row, &mut codes)).collect();
            self.rows = Rows::Coded { codes, scales };
        }
        match &mut self.rows {
            Rows::Whole(rows) => rows.resize(slots * self.dimension, 0.0),
            Rows::Coded { codes, scales } => {
                codes.resize(slots * self.dimension, 0);
                scales.resize(slots, 0.0);
            }
        }
    }

    /// Whether what it computes is exact.
    pub fn is_exact(&self) -> bool {
        matches!(self.rows, Rows::Whole(_))
    }

    /// Whether a slot has a vector.
    #[inline]
    pub fn has(&self, slot: u32) -> bool {
        self.present.get(slot as usize).copied().unwrap_or(false)
    }

    /// A query in the form of the table.
    pub fn probe<'q>(&self, query: &'q [f32]) -> Probe<'q> {
        match self.rows {
            Rows::Whole(_) => Probe::Whole(query),
            Rows::Coded { .. } => {
                let mut codes = Vec::with_capacity(query.len());
                let scale = encode(query, &mut codes);
                let codes = codes.into_iter().map(i16::from).collect();
                Probe::Coded { codes, scale }
            }
        }
    }

    /// The products of a query with the vectors of all slots; 0 where there is none.
    pub fn products(&self, probe: &Probe<'_>) -> Vec<f32> {
        let dimension = self.dimension.max(1);
        let mut products = vec![0.0; self.present.len()];
        // The same loops, compiled for the widest instructions that the machine has.
        let machine = pulp::Arch::new();
        match (&self.rows, probe) {
            (Rows::Whole(rows), Probe::Whole(query)) => machine.dispatch(|| {
                let rows = rows.chunks_exact(dimension);
                for (product, row) in products.iter_mut().zip(rows) {
                    *product = dot(query, row);
                }
            }),
            (
                Rows::Coded { codes, scales },
                Probe::Coded {
                    codes: query,
                    scale,
                },
            ) => {
                machine.dispatch(|| {
                    let rows = codes.chunks_exact(dimension).zip(scales);
                    for (product, (row, unit)) in products.iter_mut().zip(rows) {
                        *product = dot_codes(query, row) as f32 * (scale * unit);
                    }
                });
            }
            _ => {}
        }
        products
    }

    /// The product of the vectors of two slots.
    pub fn product(&self, a: u32, b: u32) -> f32 {
        let at = |slot: u32| slot as usize * self.dimension..(slot as usize + 1) * self.dimension;
        match &self.rows {
            Rows::Whole(rows) => match (rows.get(at(a)), rows.get(at(b))) {
                (Some(a), Some(b)) => dot(a, b),
                _ => 0.0,
            },
            Rows::Coded { codes, scales } => match (codes.get(at(a)), codes.get(at(b))) {
                (Some(row_a), Some(row_b)) => {
                    let products = row_a.iter().zip(row_b);
                    let sum: i32 = products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
                    sum as f32 * scales[a as usize] * scales[b as usize]
                }
                _ => 0.0,
            },
        }
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        let rows = match &self.rows {
            Rows::Whole(rows) => rows.capacity() * size_of::<f32>(),
            Rows::Coded { codes, scales } => {
                codes.capacity() + scales.capacity() * size_of::<f32>()
            }
        };
        rows + self.present.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_grows_large_keeps_what_it_has() {
        let mut table = Table::new(2);
        table.set(3, Some(&[0.6, 0.8]));
        assert!(table.is_exact() && table.has(3) && !table.has(2) && !table.has(9));
        let query = [1.0, 0.0];
        assert_eq!(table.products(&table.probe(&query)), [0.0, 0.0, 0.0, 0.6]);
        table.set(MOST_WHOLE as u32, Some(&[1.0, 0.0]));
        assert!(!table.is_exact() && table.has(3));
        let products = table.products(&table.probe(&query));
        assert!((products[3] - 0.6).abs() < 0.01 && (products[MOST_WHOLE] - 1.0).abs() < 0.01);
        assert!((table.product(3, MOST_WHOLE as u32) - 0.6).abs() < 0.01);
        table.set(3, None);
        assert!(!table.has(3));
        assert_eq!(table.products(&table.probe(&query))[3], 0.0);
    }
}
