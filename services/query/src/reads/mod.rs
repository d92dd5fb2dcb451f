//! The plain reads of a group: episodes, facts, entities, communities, history. A group that holds
//! nothing reads as empty.

mod communities;
mod entities;
mod episodes;
mod facts;
mod history;

use crate::QueryError;

const DEFAULT_LIMIT: usize = 1_000;
const MAX_LIMIT: usize = 10_000;

/// The limit of a list.
fn limit(given: Option<usize>) -> Result<usize, QueryError> {
    match given.unwrap_or(DEFAULT_LIMIT) {
        limit @ 1..=MAX_LIMIT => Ok(limit),
        _ => Err(QueryError::invalid("limit", "must be from 1 to 10000")),
    }
}
