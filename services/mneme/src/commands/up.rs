//! `mneme up`: a whole memory in one process, until it is told to stop.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::configuration::Configuration;
use crate::node::Node;
use crate::output;
use crate::server::Server;

/// Runs the server until SIGTERM or Ctrl-C.
pub async fn run(
    mut configuration: Configuration,
    data: Option<PathBuf>,
    listen: Option<SocketAddr>,
    stub: Option<PathBuf>,
) -> anyhow::Result<()> {
    configuration.data = data.unwrap_or(configuration.data);
    configuration.listen = listen.unwrap_or(configuration.listen);
    let _traces = configuration.start_telemetry("mneme")?;
    let stop = super::told_to_stop()?;
    let metrics = mneme_telemetry::start_metrics()?;
    let node = Node::open(&configuration, stub.as_deref()).await?;
    let server = Server::start(node, configuration.listen, Some(metrics)).await?;
    output::line(format!("listening on http://{}", server.address()?));
    server.serve(stop).await?;
    tracing::info!("stopped");
    Ok(())
}
