//! The owner of the stores: fills them from Kafka, answers questions, and answers what the gateway
//! looks up.

use std::sync::Arc;

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;

use super::Base;
use crate::parts::Reading;
use crate::remote;
use crate::running::Running;
use crate::server::{admin, described, routes_with};

/// Builds and starts it.
pub fn build(base: &Base, metrics: PrometheusHandle) -> anyhow::Result<(Router, Running)> {
    let data = base.configuration.data.clone();
    base.configuration.make_data_folder()?;
    let reading = Reading::open(&base.configuration, &base.log)?;
    let mut running = Running::default();
    reading.start(&mut running);
    let internal = remote::router(reading.records(), reading.progress.clone());
    let operators = admin::Operators {
        projections: reading.projections,
        log: Arc::clone(&base.log),
        data,
    };
    let routes = described()
        .merge(reading.query.router())
        .merge(admin::router(operators));
    let router = routes_with(routes, base.log_probes(metrics));
    let router = router.merge(internal).fallback(mneme_api::no_such_route);
    Ok((router, running))
}
