//! The one task that appends to the `episodes` topic.
//!
//! What waits while an append runs goes with the next one, so that many clients share one fsync;
//! and since the instants of reception are given just before, they grow in the order of the log.

use std::sync::Arc;

use mneme_api::Problem;
use mneme_events::Topic;
use mneme_log::{EventLog, NewRecord};
use mneme_model::{Clock, GroupId};
use mneme_telemetry::TraceParent;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::{Claim, Draft, Known};
use crate::gateway::log_problem;
use crate::measures;

/// How many requests may wait to be appended; more wait for a place.
const WAITING_REQUESTS: usize = 1_024;

/// What is to be appended to a group, and the trace that it belongs to.
pub type Entry = (GroupId, Draft, Option<TraceParent>);

struct Write {
    drafts: Vec<Entry>,
    /// Held until what was appended is remembered.
    claims: Vec<Claim>,
    reply: oneshot::Sender<Result<Vec<u64>, Problem>>,
}

/// Hands writes to the task that appends.
pub struct Writer {
    requests: mpsc::Sender<Write>,
}

impl Writer {
    /// Starts the task; it ends when the writer is dropped and all is appended.
    pub fn start(
        log: Arc<dyn EventLog>,
        clock: Arc<dyn Clock>,
        known: Arc<Known>,
        append_max: usize,
    ) -> Self {
        let (requests, receiver) = mpsc::channel(WAITING_REQUESTS);
        let task = Appender {
            log,
            clock,
            known,
            append_max,
        };
        tokio::spawn(task.run(receiver));
        Self { requests }
    }

    /// Appends in order, all or nothing; returns the positions when they are durable. What was handed
    /// over is appended even if the caller goes away.
    pub async fn append(
        &self,
        drafts: Vec<Entry>,
        claims: Vec<Claim>,
    ) -> Result<Vec<u64>, Problem> {
        let (reply, answer) = oneshot::channel();
        let write = Write {
            drafts,
            claims,
            reply,
        };
        let gone = |_| Problem::unavailable(1);
        self.requests
            .send(write)
            .await
            .map_err(|_| Problem::unavailable(1))?;
        answer.await.map_err(gone)?
    }
}

struct Appender {
    log: Arc<dyn EventLog>,
    clock: Arc<dyn Clock>,
    known: Arc<Known>,
    append_max: usize,
}

impl Appender {
    async fn run(self, mut requests: mpsc::Receiver<Write>) {
        while let Some(first) = requests.recv().await {
            let mut count = first.drafts.len();
            let mut writes = vec![first];
            while count < self.append_max
                && let Ok(next) = requests.try_recv()
            {
                count += next.drafts.len();
                writes.push(next);
            }
            self.append(writes).await;
        }
    }

    async fn append(&self, writes: Vec<Write>) {
        let started = Instant::now();
        let mut records = Vec::new();
        let mut replies = Vec::with_capacity(writes.len());
        for write in writes {
            replies.push((write.drafts.len(), write.claims, write.reply));
            for (group, draft, trace) in write.drafts {
                let event = draft.seal(group, self.clock.now());
                records.push(NewRecord::new(Topic::Episodes, event).within(trace));
            }
        }
        let events: Vec<_> = records.iter().map(|record| record.event.clone()).collect();
        let positions = match self.log.append(records).await {
            Ok(positions) => positions,
            Err(error) => {
                let problem = log_problem(&error);
                for (_, _, reply) in replies {
                    // Who asked may have gone away.
                    let _ = reply.send(Err(problem.clone()));
                }
                return;
            }
        };
        measures::appended(events.len(), started.elapsed());
        for (event, &position) in events.iter().zip(&positions) {
            self.known.note(event, position);
        }
        let mut positions = positions.into_iter();
        for (count, claims, reply) in replies {
            drop(claims);
            let _ = reply.send(Ok(positions.by_ref().take(count).collect()));
        }
    }
}
