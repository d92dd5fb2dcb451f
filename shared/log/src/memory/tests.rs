use super::*;
use crate::conformance::Harness;
use crate::conformance::material::*;
use crate::{CommitError, Consumed, StageInput, Written};

struct InMemory;

impl Harness for InMemory {
    type Log = MemoryLog;

    async fn make(&self, partitions: Partition) -> MemoryLog {
        MemoryLog::new(partitions)
    }

    async fn reopen(&self, log: MemoryLog) -> MemoryLog {
        log.crash();
        log.reopen()
    }

    async fn append_raw(
        &self,
        log: &MemoryLog,
        topic: Topic,
        group: &GroupId,
        bytes: Vec<u8>,
    ) -> Result<u64, LogError> {
        log.append_raw(topic, group, bytes).await
    }
}

crate::log_conformance!(InMemory);

const NEXT: Consumed = Consumed {
    topic: Topic::Episodes,
    partition: 0,
    next: 1,
};

async fn commit_with(
    fault: Fault,
) -> (
    MemoryLog,
    Box<dyn StageLog>,
    Result<Vec<Written>, CommitError>,
) {
    let log = MemoryLog::default();
    log.fail_commit(1, fault);
    let mut stage = log.join("extractor", Topic::Episodes).await.unwrap();
    stage.next().await.unwrap();
    let outputs = records(Topic::Extractions, &group("g"), "x", 1);
    let committed = stage.commit(outputs, vec![NEXT]).await;
    (log, stage, committed)
}

async fn written(log: &MemoryLog) -> (u64, u64) {
    let position = log.position("extractor", Topic::Episodes, 0).await.unwrap();
    (log.end(Topic::Extractions, 0).await.unwrap(), position)
}

#[tokio::test]
async fn a_retry_wrote_nothing_and_may_be_tried_again() {
    let (log, mut stage, committed) = commit_with(Fault::Retry).await;
    assert!(matches!(committed, Err(CommitError::Retry(_))));
    assert_eq!(written(&log).await, (0, 0));
    let outputs = records(Topic::Extractions, &group("g"), "x", 1);
    stage.commit(outputs, vec![NEXT]).await.unwrap();
    assert_eq!(written(&log).await, (1, 1));
}

#[tokio::test]
async fn an_abort_wrote_nothing_and_assigns_anew() {
    let (log, mut stage, committed) = commit_with(Fault::Abort).await;
    assert!(matches!(committed, Err(CommitError::Abort(_))));
    assert_eq!(written(&log).await, (0, 0));
    let next = stage.next().await.unwrap();
    assert!(matches!(next, StageInput::Assigned(positions) if positions[0].next == 0));
}

#[tokio::test]
async fn a_crash_ends_the_handle_and_keeps_what_took_effect() {
    for (fault, expected) in [(Fault::CrashBefore, (0, 0)), (Fault::CrashAfter, (1, 1))] {
        let (log, mut stage, committed) = commit_with(fault).await;
        assert!(committed.is_err());
        assert!(log.has_crashed());
        assert!(stage.next().await.is_err());
        assert!(log.end(Topic::Episodes, 0).await.is_err());
        assert_eq!(written(&log.reopen()).await, expected);
    }
}

#[tokio::test]
async fn appends_fail_when_ordered() {
    let log = MemoryLog::default();
    log.fail_append(2, Fault::Retry);
    log.fail_append(3, Fault::CrashAfter);
    let one = || records(Topic::Episodes, &group("g"), "e", 1);
    log.append(one()).await.unwrap();
    assert!(matches!(
        log.append(one()).await,
        Err(LogError::Unavailable(_))
    ));
    assert!(matches!(log.append(one()).await, Err(LogError::Broken(_))));
    assert_eq!(log.reopen().end(Topic::Episodes, 0).await.unwrap(), 2);
}
