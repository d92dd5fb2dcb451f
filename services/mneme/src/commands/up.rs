//! `mneme up`: a whole memory in one process, until it is told to stop.

use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::signal::unix::{SignalKind, signal};

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
    let stop = told_to_stop()?;
    let metrics = mneme_telemetry::start_metrics()?;
    let node = Node::open(&configuration, stub.as_deref()).await?;
    let server = Server::start(node, configuration.listen, Some(metrics)).await?;
    output::line(format!("listening on http://{}", server.address()?));
    server.serve(stop).await?;
    tracing::info!("stopped");
    Ok(())
}

/// Listens for the signals from now on; what is returned ends when one has come. Called before the
/// server says that it listens, so that whoever reads that may stop it at once.
fn told_to_stop() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
    })
}
