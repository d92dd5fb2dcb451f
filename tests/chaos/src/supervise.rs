//! Starts what has ended by itself again, as the supervisor of processes does that operators have.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mneme_conformance::Server;
use tokio::time::sleep;

use crate::disturb::start;

/// How often it is looked whether all run.
const LOOK: Duration = Duration::from_millis(500);

/// What ended by itself.
#[derive(Debug, Default)]
pub struct Ended(Mutex<Vec<String>>);

impl Ended {
    /// Each with how it ended.
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Does `work` while the processes of the server are supervised.
    pub async fn started_again_during<T>(
        &self,
        server: &Server,
        work: impl Future<Output = T>,
    ) -> T {
        let is_over = AtomicBool::new(false);
        let supervise = async {
            while !is_over.load(Ordering::Acquire) {
                for instance in server.instances() {
                    if let Some(status) = instance.ended().await.unwrap() {
                        let ended = format!("{} ({status})", instance.name());
                        self.0.lock().unwrap().push(ended);
                        start(instance).await;
                    }
                }
                sleep(LOOK).await;
            }
        };
        let work = async {
            let done = work.await;
            is_over.store(true, Ordering::Release);
            done
        };
        futures::join!(supervise, work).1
    }
}
