//! One store following the log in one generation: read, turn into changes, apply with the
//! checkpoints.

use std::collections::BTreeMap;
use std::sync::Arc;

use mneme_events::Topic;
use mneme_log::{EventLog, LogError, Partition};
use mneme_model::GroupId;
use mneme_stores::change::changes_of;
use mneme_stores::{Change, Checkpoint, Generation, Projection};
use mneme_telemetry::metric;
use tracing::{Instrument, Span};

use crate::ProjectorError;
use crate::told::Told;

/// How many records of a partition of a topic are read at once.
const CHUNK: usize = 2_000;

/// Next offsets by topic and partition.
pub(crate) type Positions = BTreeMap<(Topic, Partition), u64>;

/// A store's place in the log.
pub(crate) struct Follower {
    pub log: Arc<dyn EventLog>,
    pub store: Arc<dyn Projection>,
    pub generation: Generation,
    pub positions: Positions,
    /// What is told where it follows for readers. A rebuild applies what was applied before.
    told: Option<Told>,
}

impl Follower {
    /// Starts at the store's checkpoints.
    pub async fn open(
        log: Arc<dyn EventLog>,
        store: Arc<dyn Projection>,
        generation: Generation,
    ) -> Result<Self, ProjectorError> {
        let mut positions = Positions::new();
        for topic in Topic::PROJECTED {
            for partition in 0..log.partitions() {
                let next = store.checkpoint(generation, topic, partition).await?;
                let end = log.end(topic, partition).await?;
                if next > end {
                    return Err(ProjectorError::Ahead {
                        store: store.name(),
                        topic,
                        next,
                        end,
                    });
                }
                positions.insert((topic, partition), next);
            }
        }
        Ok(Self {
            log,
            store,
            generation,
            positions,
            told: None,
        })
    }

    /// Tells from now on how long things take.
    pub fn telling(self) -> Self {
        let told = Some(Told::new(self.store.name()));
        Self { told, ..self }
    }

    /// Applies what there is next, up to `limits` where given. Returns how many records that were.
    pub async fn advance(&mut self, limits: Option<&Positions>) -> Result<usize, ProjectorError> {
        let mut changes: Vec<(GroupId, Change)> = Vec::new();
        let mut checkpoints = Vec::new();
        let mut count = 0;
        for (&(topic, partition), next) in &mut self.positions {
            let limit = limits.map(|limits| limits.get(&(topic, partition)).copied().unwrap_or(0));
            if limit.is_some_and(|limit| *next >= limit) {
                continue;
            }
            let records = self.log.read(topic, partition, *next, CHUNK).await?;
            let mut moved = false;
            for record in records {
                if limit.is_some_and(|limit| record.offset >= limit) {
                    break;
                }
                *next = record.offset + 1;
                moved = true;
                count += 1;
                // What does not decode is a dead letter of the stage that reads the topic.
                let Ok(event) = record.event else { continue };
                if let Some(told) = &mut self.told {
                    told.read(topic, &event, record.trace);
                }
                let group = event.group_id().clone();
                let of_event = changes_of(topic, &event, record.offset);
                changes.extend(of_event.into_iter().map(|change| (group.clone(), change)));
            }
            if moved {
                checkpoints.push(Checkpoint {
                    topic,
                    partition,
                    next: *next,
                });
            }
        }
        if !checkpoints.is_empty() {
            let started = std::time::Instant::now();
            let store = self.store.name();
            let spans = self.told.as_mut().map(|told| told.spans(count));
            let (batch, _parts) = spans.unwrap_or((Span::none(), Vec::new()));
            let applied = self.store.apply(self.generation, &changes, &checkpoints);
            applied.instrument(batch).await?;
            if let Some(told) = &mut self.told {
                told.applied();
            }
            metrics::counter!(metric::CHANGES, "store" => store).increment(changes.len() as u64);
            metrics::histogram!(metric::APPLY_SECONDS, "store" => store).record(started.elapsed());
        }
        Ok(count)
    }

    /// Whether the store has passed these positions.
    pub fn has_passed(&self, limits: &Positions) -> bool {
        limits
            .iter()
            .all(|(at, limit)| self.positions.get(at).is_some_and(|next| next >= limit))
    }
}

/// The ends of all projected topics.
pub(crate) async fn ends(log: &dyn EventLog) -> Result<Positions, LogError> {
    let mut ends = Positions::new();
    for topic in Topic::PROJECTED {
        for partition in 0..log.partitions() {
            ends.insert((topic, partition), log.end(topic, partition).await?);
        }
    }
    Ok(ends)
}

/// Waits until any projected topic may have grown beyond the positions.
pub(crate) async fn grown(log: &dyn EventLog, positions: &Positions) -> Result<(), LogError> {
    let waits = positions
        .iter()
        .map(|(&(topic, partition), &next)| log.grown(topic, partition, next));
    let (first, _, _) = futures::future::select_all(waits).await;
    first
}
