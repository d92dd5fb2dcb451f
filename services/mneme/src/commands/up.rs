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
    mneme_telemetry::start_logs(&configuration.log, configuration.log_json)?;
    let metrics = mneme_telemetry::start_metrics()?;
    let node = Node::open(&configuration, stub.as_deref()).await?;
    let server = Server::start(node, configuration.listen, Some(metrics)).await?;
    output::line(format!("listening on http://{}", server.address()?));
    server.serve(told_to_stop()).await?;
    tracing::info!("stopped");
    Ok(())
}

async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let interrupted = tokio::signal::ctrl_c();
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => tokio::select! {
            _ = interrupted => {}
            _ = terminated.recv() => {}
        },
        Err(_) => {
            let _ = interrupted.await;
        }
    }
}
