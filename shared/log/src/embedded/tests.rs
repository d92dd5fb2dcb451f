use std::sync::Mutex;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::*;
use crate::Consumed;
use crate::conformance::Harness;
use crate::conformance::material::*;

/// Keeps the folders of its logs until the test is over.
#[derive(Default)]
struct InFolder {
    folders: Mutex<Vec<(TempDir, Partition)>>,
    cache_records: usize,
}

impl InFolder {
    fn config(&self, folder: &TempDir, partitions: Partition) -> EmbeddedLogConfig {
        EmbeddedLogConfig {
            partitions,
            cache_records: self.cache_records,
            ..EmbeddedLogConfig::new(folder.path())
        }
    }
}

impl Harness for InFolder {
    type Log = EmbeddedLog;

    async fn make(&self, partitions: Partition) -> EmbeddedLog {
        let folder = tempfile::tempdir().unwrap();
        let log = EmbeddedLog::open(self.config(&folder, partitions)).unwrap();
        self.folders.lock().unwrap().push((folder, partitions));
        log
    }

    async fn reopen(&self, log: EmbeddedLog) -> EmbeddedLog {
        drop(log);
        let folders = self.folders.lock().unwrap();
        let (folder, partitions) = folders.last().unwrap();
        EmbeddedLog::open(self.config(folder, *partitions)).unwrap()
    }

    async fn append_raw(
        &self,
        log: &EmbeddedLog,
        topic: Topic,
        group: &GroupId,
        bytes: Vec<u8>,
    ) -> Result<u64, LogError> {
        log.append_raw(topic, group, bytes).await
    }
}

mod cached {
    use super::InFolder;
    crate::log_conformance!(InFolder {
        cache_records: 10_000,
        ..InFolder::default()
    });
}

mod with_a_short_tail {
    use super::InFolder;
    crate::log_conformance!(InFolder {
        cache_records: 7,
        ..InFolder::default()
    });
}

#[test]
fn topics_are_listed_in_the_order_of_their_numbers() {
    for (number, topic) in Topic::ALL.into_iter().enumerate() {
        assert_eq!(topic as usize, number);
    }
}

#[tokio::test]
async fn the_folder_is_for_one_at_a_time_and_one_partition_count() {
    let folder = tempfile::tempdir().unwrap();
    let config = EmbeddedLogConfig::new(folder.path());
    let log = EmbeddedLog::open(config.clone()).unwrap();
    let second = EmbeddedLog::open(config.clone()).map(|_| ());
    assert!(matches!(second, Err(LogError::Locked(_))), "{second:?}");
    drop(log);
    let more = EmbeddedLogConfig {
        partitions: 2,
        ..config.clone()
    };
    let refused = EmbeddedLog::open(more).map(|_| ()).unwrap_err();
    assert!(refused.to_string().contains("1 partitions"), "{refused}");
    EmbeddedLog::open(config).unwrap();
}

#[tokio::test]
async fn a_stage_keeps_the_log_open() {
    let folder = tempfile::tempdir().unwrap();
    let config = EmbeddedLogConfig::new(folder.path());
    let log = EmbeddedLog::open(config.clone()).unwrap();
    let mut stage = log.join("extractor", Topic::Episodes).await.unwrap();
    drop(log);
    let consumed = Consumed {
        topic: Topic::Episodes,
        partition: 0,
        next: 3,
    };
    stage.commit(Vec::new(), vec![consumed]).await.unwrap();
    drop(stage);
    let log = EmbeddedLog::open(config).unwrap();
    let position = log.position("extractor", Topic::Episodes, 0).await;
    assert_eq!(position.unwrap(), 3);
}

/// Prints what the log does on this machine; run it with `--ignored --nocapture`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn speed() {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let log = EmbeddedLog::open(EmbeddedLogConfig::new(folder.path())).unwrap();
    let group = group("g");
    let started = Instant::now();
    for number in 0..200 {
        log.append(records(Topic::Facts, &group, &format!("{number}-"), 500))
            .await
            .unwrap();
    }
    println!("100,000 records in batches of 500: {:?}", started.elapsed());
    let mut slowest = Duration::ZERO;
    let started = Instant::now();
    for number in 0..200 {
        let one = Instant::now();
        log.append(records(Topic::Episodes, &group, &format!("{number}-"), 1))
            .await
            .unwrap();
        slowest = slowest.max(one.elapsed());
    }
    println!(
        "one append: {:?}, slowest {slowest:?}",
        started.elapsed() / 200
    );
    let started = Instant::now();
    let tasks: Vec<_> = (0..64)
        .map(|caller| {
            let (log, group) = (log.clone(), group.clone());
            tokio::spawn(async move {
                for number in 0..100 {
                    let name = format!("{caller}-{number}");
                    log.append(vec![record(Topic::Episodes, &group, &name)])
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    println!(
        "6,400 single appends of 64 callers: {:?}",
        started.elapsed()
    );
    drop(log);
    let started = Instant::now();
    let log = EmbeddedLog::open(EmbeddedLogConfig::new(folder.path())).unwrap();
    println!("reopened in {:?}", started.elapsed());
    let started = Instant::now();
    let mut from = 0;
    while let read = log.read(Topic::Facts, 0, from, 500).await.unwrap()
        && let Some(last) = read.last()
    {
        from = last.offset + 1;
    }
    println!(
        "{from} records read from disk and decoded: {:?}",
        started.elapsed()
    );
    println!("{} bytes on disk", log.disk_bytes().unwrap());
}
