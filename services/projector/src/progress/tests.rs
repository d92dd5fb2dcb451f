#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use mneme_log::conformance::material::{group, joined, record};
use mneme_log::{Consumed, MemoryLog};

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

#[tokio::test(start_paused = true)]
async fn a_change_is_applied_when_the_communities_are_too() {
    let folder = tempfile::tempdir().unwrap();
    let log = MemoryLog::new(1);
    let shared: Arc<dyn EventLog> = Arc::new(log.clone());
    let generations = Generations::open(folder.path()).unwrap();
    let projections = Arc::new(Projections::new(
        Arc::clone(&shared),
        Vec::new(),
        generations,
    ));
    let progress = Arc::new(Progress::new(shared, projections));
    let stop = CancellationToken::new();
    let running = tokio::spawn(Arc::clone(&progress).run(stop.clone()));

    let group = group("g");
    let erasure = record(Topic::Episodes, &group, "erased");
    let position = log.append(vec![erasure]).await.unwrap()[0];
    let wait = |up_to| progress.wait(&group, position, up_to, LONG);
    assert_eq!(wait(UpTo::Facts).await, Err(NotApplied::TimedOut));

    for link in CHAIN {
        takes(&log, link).await;
    }
    assert_eq!(wait(UpTo::Facts).await, Ok(()));
    assert_eq!(wait(UpTo::Communities).await, Err(NotApplied::TimedOut));

    takes(&log, LAST).await;
    assert_eq!(wait(UpTo::Communities).await, Ok(()));

    stop.cancel();
    running.await.unwrap().unwrap();
}
