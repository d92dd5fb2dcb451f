//! How long a batch waits for models: a time that begins with the first input that was taken, so
//! that what is finished is committed and what never had a chance is not cut short.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) struct Deadline {
    at: watch::Sender<Option<Instant>>,
    patience: Duration,
    shutdown: CancellationToken,
}

impl Deadline {
    /// Passes a time after the first input was taken, or on shutdown.
    pub fn after_first(patience: Duration, shutdown: CancellationToken) -> Self {
        Self {
            at: watch::Sender::new(None),
            patience,
            shutdown,
        }
    }

    /// Passes a time from now, or on shutdown.
    pub fn from_now(patience: Duration, shutdown: CancellationToken) -> Self {
        let deadline = Self::after_first(patience, shutdown);
        deadline.note_taken();
        deadline
    }

    /// Notes that an input was taken.
    pub fn note_taken(&self) {
        self.at.send_if_modified(|at| {
            let is_first = at.is_none();
            at.get_or_insert_with(|| Instant::now() + self.patience);
            is_first
        });
    }

    /// Returns when it has passed.
    pub async fn passed(&self) {
        let passes = async {
            let mut at = self.at.subscribe();
            let at = at.wait_for(Option::is_some).await.ok().and_then(|at| *at);
            match at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = passes => {}
            () = self.shutdown.cancelled() => {}
        }
    }
}
