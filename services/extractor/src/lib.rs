//! Reads episodes: what they name and what they state.
//!
//! The reading without a model is a function of the episode, of the last messages of its thread and
//! of the group's ontology, and of nothing else. Its rule is precision first: what is not clearly
//! stated gives no statement, since the episode itself is always stored and searched verbatim, and a
//! wrong fact is worse than none.
//!
//! * [`facts`](mneme_model::Source::Facts) episodes give their statements as they are;
//! * `json` records give their own entity, its scalar fields as values that replace each other, and
//!   its references and nested objects as relations (see the `json` module);
//! * `message` and `text` episodes give what common clauses say plainly (see the `message` module);
//! * with a [`ModelReader`] configured, `message`, `text` and `json` are read by a model instead,
//!   whose answer is checked item by item (see the `answer` module).

mod answer;
mod config;
mod draft;
mod facts;
mod json;
mod message;
mod stage;
mod state;
pub mod time;

pub use config::{ExtractorConfig, ModelReader};
pub use stage::Extractor;
