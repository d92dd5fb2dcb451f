//! A search by vector: every vector of the group's kind is compared, so nothing is missed and no
//! filter costs recall. Where the table holds codes, the best of them are compared again with their
//! whole vectors.

use std::sync::PoisonError;

use mneme_model::GroupScope;

use super::dot::dot;
use super::generation::VectorGeneration;
use super::shelf::VectorShelf;
use crate::embedded::documents::{Address, Found, Passing, best, merge, sort};
use crate::{DocumentKind, Filter, StoreError, TimeView, VectorHit, VectorQuery};

/// How many times the limit is compared again, at the most.
const CANDIDATES: usize = 2;
/// How far the cosine of codes may be off. A code has an error of 1/254 of the greatest component at
/// the most, and the errors of 256 components are independent: this is several times their spread.
const CODE_ERROR: f32 = 0.003;

/// A query that outlives its caller.
pub(super) struct OwnedQuery {
    scope: GroupScope,
    kind: DocumentKind,
    /// Of length one, or zero.
    vector: Vec<f32>,
    window: bool,
    time: TimeView,
    filter: Option<Filter>,
    limit: usize,
    min_cosine: f32,
}

impl OwnedQuery {
    pub fn of(query: &VectorQuery<'_>) -> Self {
        let mut vector = query.vector.to_vec();
        mneme_inference::normalise(&mut vector);
        Self {
            scope: query.scope.clone(),
            kind: query.kind,
            vector,
            window: query.window && query.kind == DocumentKind::Episode,
            time: query.time,
            filter: query.filter.cloned(),
            limit: query.limit,
            min_cosine: query.min_cosine,
        }
    }
}

impl VectorGeneration {
    /// The best hits.
    pub(super) fn search(&self, query: &OwnedQuery) -> Result<Vec<VectorHit>, StoreError> {
        if query.vector.len() != self.rows.dimension {
            return Err(StoreError::Refused(format!(
                "the vector of the query has {} components, those of the store have {}",
                query.vector.len(),
                self.rows.dimension
            )));
        }
        let mut hits = Vec::new();
        if query.vector.iter().all(|x| *x == 0.0) {
            return Ok(hits);
        }
        let published = self.published.read();
        let _published = published.unwrap_or_else(PoisonError::into_inner);
        for group_id in query.scope.groups() {
            let Some(group) = self.documents.group(group_id)? else {
                continue;
            };
            let shelf = self.shelves.get((group, query.kind), || {
                VectorShelf::read(&self.documents, &self.rows, group, query.kind)
            })?;
            let shelf = shelf.read().unwrap_or_else(PoisonError::into_inner);
            let found = self.search_shelf(query, &shelf, group)?;
            hits.extend(found.into_iter().map(|found| VectorHit {
                group_id: group_id.clone(),
                id: found.id.to_string(),
                cosine: found.score,
            }));
        }
        if query.scope.groups().len() > 1 {
            merge(&mut hits, query.limit, |hit| {
                (hit.cosine, hit.id.as_str(), hit.group_id.as_str())
            });
        }
        Ok(hits)
    }

    fn search_shelf(
        &self,
        query: &OwnedQuery,
        shelf: &VectorShelf,
        group: u32,
    ) -> Result<Vec<Found>, StoreError> {
        let table = &shelf.table;
        let passing = Passing {
            time: query.time,
            filter: query.filter.as_ref(),
            documents: &self.documents,
            group,
        };
        let products = shelf.products(&query.vector);
        let (least, limit) = if table.is_exact() {
            (query.min_cosine, query.limit)
        } else {
            let limit = query.limit.saturating_mul(CANDIDATES);
            (query.min_cosine - CODE_ERROR, limit)
        };
        let mut found = if query.window {
            let cosines = shelf.windows().cosines(&products);
            let near = cosines.iter().filter(|(_, cosine)| *cosine >= least);
            best(near.copied(), &shelf.documents, &passing, limit)?
        } else {
            let slots = (0u32..).zip(products.iter().copied());
            let near = slots.filter(|(slot, cosine)| *cosine >= least && table.has(*slot));
            best(near, &shelf.documents, &passing, limit)?
        };
        if !table.is_exact() {
            // What is behind the last that fits by more than both errors can't pass it.
            if let Some(last) = query.limit.checked_sub(1).and_then(|last| found.get(last)) {
                let least = last.score - 2.0 * CODE_ERROR;
                found.retain(|found| found.score >= least);
            }
            for found in &mut found {
                found.score = self.cosine(query, shelf, group, found.slot)?;
            }
            found.retain(|found| found.score >= query.min_cosine);
            sort(&mut found, query.limit);
        }
        Ok(found)
    }

    /// The cosine from whole vectors.
    fn cosine(
        &self,
        query: &OwnedQuery,
        shelf: &VectorShelf,
        group: u32,
        slot: u32,
    ) -> Result<f32, StoreError> {
        let slots = if query.window {
            let windows = shelf.windows();
            let rank = windows.order.rank(slot);
            rank.map_or_else(Vec::new, |rank| windows.slots(rank, &shelf.table))
        } else {
            vec![slot]
        };
        let mut sum = vec![0.0; self.rows.dimension];
        for slot in slots {
            let kind = query.kind;
            let vector = self.rows.get(Address { group, kind, slot })?;
            for (total, x) in sum.iter_mut().zip(vector.unwrap_or_default()) {
                *total += x;
            }
        }
        mneme_inference::normalise(&mut sum);
        Ok(dot(&query.vector, &sum))
    }
}
