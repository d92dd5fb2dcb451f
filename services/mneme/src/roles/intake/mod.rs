//! Takes what other systems publish on topics of their own, and makes episodes of it by the mappings.
//! Several processes of it share the partitions.

mod letters;
mod waiting;
mod work;

use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;

use super::Base;
use crate::parts;
use crate::running::Running;
use crate::server::{Probes, described, routes_with};
use waiting::Waiting;
use work::Intake;

/// The name of the role in its group, in dead letters and in metrics.
const INTAKE: &str = "intake";

/// Builds and starts it.
pub fn build(base: &Base, metrics: PrometheusHandle) -> anyhow::Result<(Router, Running)> {
    let file =
        base.configuration.intake.as_deref().context(
            "this needs mappings: name their file with the setting intake, or MNEME_INTAKE",
        )?;
    let mappings = parts::mappings(Some(file))?;
    let topics: Vec<String> = mappings.iter().map(|one| one.topic().to_owned()).collect();
    anyhow::ensure!(
        !topics.is_empty(),
        "the intake file {} has no mapping",
        file.display()
    );
    let (owner, ..) = base.owner()?;
    let gateway = parts::gateway(&base.configuration, &base.log, owner.clone(), owner)?;
    let waiting = Waiting::default();
    let records = base.kafka.read_producers(INTAKE, topics)?;
    let intake = Intake {
        gateway,
        mappings,
        log: Arc::clone(&base.log),
        waiting: waiting.clone(),
    };
    let mut running = Running::default();
    running.start(INTAKE, |stop| intake.run(records, stop));
    let probes = base.stage_probes(INTAKE, metrics);
    let router = routes_with(described(), ready_unless(waiting, probes));
    Ok((router.fallback(mneme_api::no_such_route), running))
}

/// Not ready while records wait for something that is away.
fn ready_unless(waiting: Waiting, probes: Probes) -> Probes {
    let ready = probes.ready;
    Probes {
        ready: Arc::new(move || {
            let (waiting, ready) = (waiting.clone(), ready());
            Box::pin(async move {
                ready.await?;
                waiting.told()
            })
        }),
        ..probes
    }
}
