//! Reading a record of another system without a mapping.
//!
//! * The record is an entity: its type, its id, its name. A list is read record by record, and an
//!   envelope without id and name is looked into.
//! * A scalar field is a value of the entity, one at a time: a later record replaces it. The
//!   relation is the field's name in upper snake case.
//! * An object with a name or an id, and a field that ends in `_id`, is another entity, and the
//!   field's name the relation. `since` and `until` inside of such an object are the relation's times.
//! * An object with neither is part of its parent: `billing.currency` is `BILLING_CURRENCY`.
//! * A list holds many at a time.
//! * Bookkeeping (`updated_at`, `version`, `etag`, …), nothing (`null`, `""`) and what lies deeper
//!   than [`MAX_DEPTH`] is no fact.

mod field;
mod fields;
mod identity;
mod record;

use serde_json::Value;

use crate::draft::Draft;
use crate::state::Context;

/// How deep objects and lists are looked into.
pub(crate) const MAX_DEPTH: usize = 8;

/// Reads the JSON text of a record, or of a list of records.
pub(crate) fn read(draft: &mut Draft, body: &str, context: &Context) {
    match serde_json::from_str::<Value>(body) {
        Ok(value) => record::RecordReader::new(draft, &context.ontology).read(&value),
        Err(_) => draft.note("dropped: the body is not JSON"),
    }
}

#[cfg(test)]
mod tests;
