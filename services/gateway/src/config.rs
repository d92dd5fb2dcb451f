//! The settings of the gateway.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How the gateway behaves; the defaults fit one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GatewayConfig {
    /// How long `?wait=applied` waits where the request does not say, in milliseconds.
    pub wait_ms: u64,
    /// How long a change that names something unknown waits for the graph to catch up with the log
    /// before it is refused, in milliseconds.
    pub catch_up_ms: u64,
    /// How many accepted episodes that the graph does not have yet are remembered. Beyond it new ones
    /// are refused until the projections have caught up: some 250 bytes each.
    pub unprojected_max: usize,
    /// How many records go to the log in one append at the most.
    pub append_max: usize,
}

impl Default for GatewayConfig {
    fn default() -> Self {
        Self {
            wait_ms: 30_000,
            catch_up_ms: 10_000,
            unprojected_max: 500_000,
            append_max: 4_096,
        }
    }
}

impl GatewayConfig {
    pub(crate) fn wait(&self) -> Duration {
        Duration::from_millis(self.wait_ms)
    }

    pub(crate) fn catch_up(&self) -> Duration {
        Duration::from_millis(self.catch_up_ms)
    }
}
