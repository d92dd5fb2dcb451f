//! A context for a model: facts with their dates, entities, communities and verbatim episodes,
//! written into a budget of tokens.
//!
//! Guarantees: the text never has more tokens than the budget, as [`tokens`] counts; what is told
//! of as in it is in it; each part is chosen by relevance and shown in order of time.

mod build;
mod dates;
mod passage;
pub mod tokens;
mod write;

use serde::{Deserialize, Serialize};

/// How the budget is shared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextSettings {
    /// The most of the budget that facts may take before episodes are chosen. Facts are short and
    /// dated and join what several episodes say; but what was said holds more than what was drawn
    /// from it, so most is left to the episodes: measured on LoCoMo, 0.15 in place of 0.10 costs two
    /// points of evidence in a context of 347 tokens. What is left over at the end goes to facts
    /// again.
    pub facts: f64,
    /// The same for entities with their summaries.
    pub entities: f64,
    /// The same for communities.
    pub communities: f64,
}

impl Default for ContextSettings {
    fn default() -> Self {
        Self {
            facts: 0.10,
            entities: 0.03,
            communities: 0.03,
        }
    }
}
