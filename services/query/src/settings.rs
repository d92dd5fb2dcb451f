//! What an operator may set. Every default has its reason beside it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::context::ContextSettings;
use crate::rank::evidence::{EvidenceWeights, TextWeights};
use crate::rank::fusion::FusionSettings;
use crate::rank::mmr::MmrSettings;

/// How questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuerySettings {
    /// How long a store has for one call, in milliseconds. A slower one is named in `partial`.
    pub store_timeout_ms: u64,
    /// How many hits each list of a search has at the most. Measured on LoCoMo, recall at 10 is the
    /// same to half a point from 100 to 2000, so it is what keeps the cost down.
    pub pool: usize,
    /// How many of the best of the pool are read to be weighed by what they say. Measured on
    /// LoCoMo, 50 rank as well as all.
    pub shortlist: usize,
    /// The least raw cosine of a hit by meaning, unless a request says otherwise.
    pub min_cosine: f32,
    /// How many steps a walk goes: a fact of what the best hits are about, and one beyond.
    pub walk_depth: u32,
    /// How many facts a walk brings at the most.
    pub walk_facts: usize,
    /// The weights for episodes.
    pub episodes: EvidenceWeights,
    /// The weights for facts, entities and communities.
    pub texts: TextWeights,
    /// Reciprocal rank fusion.
    pub fusion: FusionSettings,
    /// Maximal marginal relevance.
    pub mmr: MmrSettings,
    /// The context builder.
    pub context: ContextSettings,
}

impl Default for QuerySettings {
    fn default() -> Self {
        Self {
            store_timeout_ms: 2_000,
            pool: 100,
            shortlist: 100,
            min_cosine: 0.1,
            walk_depth: 2,
            walk_facts: 50,
            episodes: EvidenceWeights::default(),
            texts: TextWeights::default(),
            fusion: FusionSettings::default(),
            mmr: MmrSettings::default(),
            context: ContextSettings::default(),
        }
    }
}

impl QuerySettings {
    /// How long a store has for one call.
    pub fn store_timeout(&self) -> Duration {
        Duration::from_millis(self.store_timeout_ms)
    }
}
