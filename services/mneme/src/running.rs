//! Parts that run side by side until one fails or all are told to stop.

use std::future::Future;

use anyhow::Context;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The parts of a process.
#[derive(Default)]
pub struct Running {
    tasks: JoinSet<anyhow::Result<()>>,
    shutdown: CancellationToken,
}

impl Running {
    /// Starts a part; it ends soon after the token that it is given is cancelled.
    pub fn start<E, F>(
        &mut self,
        name: impl std::fmt::Display,
        part: impl FnOnce(CancellationToken) -> F,
    ) where
        E: Into<anyhow::Error>,
        F: Future<Output = Result<(), E>> + Send + 'static,
    {
        let (name, part) = (name.to_string(), part(self.shutdown.clone()));
        self.tasks.spawn(async move {
            let ended = part.await.map_err(Into::into);
            ended.with_context(|| format!("the {name} ended"))
        });
    }

    /// Returns when a part has ended by itself, with the reason. Waits for ever where there is none.
    pub async fn failed(&mut self) -> anyhow::Error {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(Err(error))) => return error,
                Some(Err(panicked)) => return anyhow::anyhow!("a part panicked: {panicked}"),
                Some(Ok(Ok(()))) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// Stops all parts; each ends after the commit under way.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.context("a part panicked")??;
        }
        Ok(())
    }
}
