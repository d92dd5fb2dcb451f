//! One stage. Several processes of it share the partitions.

use std::path::Path;

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use mneme_state::StateStore;

use super::Base;
use crate::parts::Stages;
use crate::running::Running;
use crate::server::{described, routes_with};

/// Builds and starts it.
pub fn build(
    base: &Base,
    stage: &'static str,
    stub: Option<&Path>,
    metrics: PrometheusHandle,
) -> anyhow::Result<(Router, Running)> {
    base.configuration.make_data_folder()?;
    let state = StateStore::open(base.configuration.data.join("state"))?;
    let mut running = Running::default();
    Stages::new(stub)?.start(&base.log, &state, &mut running, |name| name == stage)?;
    let router = routes_with(described(), base.stage_probes(stage, metrics));
    Ok((router.fallback(mneme_api::no_such_route), running))
}
