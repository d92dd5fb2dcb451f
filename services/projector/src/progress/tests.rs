#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::collections::BTreeMap;

use mneme_log::conformance::material::{group, joined, record};
use mneme_log::{Consumed, MemoryLog};
use mneme_stores::{Change, Checkpoint, Digest, Generation, Projection, StoreError};

use super::*;
use crate::Generations;

const LONG: Duration = Duration::from_secs(60);

/// A stage takes all of its input and writes one record.
async fn takes(log: &MemoryLog, (stage, input, output): Link) {
    let next = log.end(input, 0).await.unwrap();
    let (mut instance, _) = joined(log, stage, input).await;
    let consumed = Consumed {
        topic: input,
        partition: 0,
        next,
    };
    let forwarded = record(output, &group("g"), "forwarded");
    instance
        .commit(vec![forwarded], vec![consumed])
        .await
        .unwrap();
}

/// A store that keeps nothing, and takes no communities until it is open.
struct Gated(watch::Sender<bool>);

#[async_trait]
impl Projection for Gated {
    fn name(&self) -> &'static str {
        "gated"
    }

    async fn apply(
        &self,
        _: Generation,
        _: &[(GroupId, Change)],
        checkpoints: &[Checkpoint],
    ) -> Result<(), StoreError> {
        let is_gated = |at: &Checkpoint| at.topic == Topic::Communities;
        if checkpoints.iter().any(is_gated) {
            let mut open = self.0.subscribe();
            open.wait_for(|open| *open).await.unwrap();
        }
        Ok(())
    }

    async fn checkpoint(&self, _: Generation, _: Topic, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn drop_generation(&self, _: Generation) -> Result<(), StoreError> {
        Ok(())
    }

    async fn digests(&self, _: Generation) -> Result<BTreeMap<GroupId, Digest>, StoreError> {
        Ok(BTreeMap::new())
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_is_applied_when_the_communities_are_too() {
    let folder = tempfile::tempdir().unwrap();
    let log = MemoryLog::new(1);
    let shared: Arc<dyn EventLog> = Arc::new(log.clone());
    let store = Arc::new(Gated(watch::Sender::new(false)));
    let generations = Generations::open(folder.path()).unwrap();
    let stores: Vec<Arc<dyn Projection>> = vec![store.clone()];
    let projections = Projections::new(Arc::clone(&shared), stores, generations);
    let projections = Arc::new(projections);
    let progress = Arc::new(Progress::new(shared, Arc::clone(&projections)));
    let stop = CancellationToken::new();
    let projecting = tokio::spawn(projections.run(stop.clone()));
    let following = tokio::spawn(Arc::clone(&progress).run(stop.clone()));

    let erasure = record(Topic::Episodes, &group("g"), "erased");
    let position = log.append(vec![erasure]).await.unwrap()[0];
    let g = group("g");
    let wait = |up_to| progress.wait(&g, position, up_to, LONG);
    assert_eq!(wait(UpTo::Facts).await, Err(NotApplied::TimedOut));

    let [extractor, between @ .., last] = CHAIN;
    takes(&log, extractor).await;
    for link in between {
        takes(&log, link).await;
    }
    assert_eq!(wait(UpTo::Facts).await, Ok(()));
    assert_eq!(wait(UpTo::Communities).await, Err(NotApplied::TimedOut));

    takes(&log, last).await;
    assert_eq!(wait(UpTo::Communities).await, Err(NotApplied::TimedOut));

    store.0.send_replace(true);
    assert_eq!(wait(UpTo::Communities).await, Ok(()));
    assert_eq!(wait(UpTo::Facts).await, Ok(()));

    // What was held is released: the positions know nothing of it.
    takes(&log, extractor).await;
    assert_eq!(wait(UpTo::Facts).await, Ok(()));
    for up_to in [UpTo::FactsAnew, UpTo::Communities] {
        assert_eq!(wait(up_to).await, Err(NotApplied::TimedOut));
    }
    for link in between {
        takes(&log, link).await;
    }
    assert_eq!(wait(UpTo::FactsAnew).await, Ok(()));
    assert_eq!(wait(UpTo::Communities).await, Err(NotApplied::TimedOut));
    takes(&log, last).await;
    assert_eq!(wait(UpTo::Communities).await, Ok(()));

    stop.cancel();
    projecting.await.unwrap().unwrap();
    following.await.unwrap().unwrap();
}
