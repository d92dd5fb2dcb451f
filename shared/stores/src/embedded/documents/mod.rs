//! What the text and the vector adapter share: documents with the little that time views and filters
//! look at, on an LSM store.
//!
//! - Every row is written from one topic, and an erasure touches only the rows of its topic, so any
//!   interleaving of the topics leaves the same rows and the same digest.
//! - A document has a slot, a small number within its group and kind that it keeps as long as it is
//!   there; the index of words and the table of vectors know it by that number.
//! - A group has a number too, which is never given to another group: what an index still holds of
//!   an erased group belongs to nobody.
//! - The text of episodes and facts is not kept here, only its digest: indexing the same text again
//!   does nothing.
//!
//! | file | idea |
//! | --- | --- |
//! | `row` | what is stored of a document, and its canonical bytes |
//! | `key` | the order of rows |
//! | `store` | the database |
//! | `stored` | the rows of a generation |
//! | `pending` | rows as a batch leaves them, before it is committed |
//! | `fold` | changes to rows, and to what must be indexed |
//! | `folded` | what a batch does |
//! | `wording` | what text stands for a document |
//! | `shelf` | the documents of one kind of one group, in memory |
//! | `shelves` | which shelves are in memory |
//! | `thread_order` | neighbours and sessions |
//! | `passing` | time view and filter |
//! | `best` | the best hits |

mod best;
mod fold;
mod folded;
mod key;
mod passing;
mod pending;
mod row;
mod shelf;
mod shelves;
mod store;
mod stored;
mod thread_order;
mod wording;

pub(super) use best::{Found, best, merge, sort};
pub(super) use fold::Fold;
pub(super) use folded::{Address, Edit};
pub(super) use passing::Passing;
pub(super) use row::{Attributes, DocumentId};
pub(super) use shelf::Shelf;
pub(super) use shelves::{Shelves, Weighed};
pub(super) use store::{DocumentStore, broken, compact, decode, store_error};
pub(super) use stored::Documents;
pub(super) use thread_order::ThreadOrder;
pub(super) use wording::Wording;
