//! A broker that goes away and comes back. `MNEME_KAFKA_RESTART` is the command that makes it so; the
//! test has the broker for itself and is run alone: `cargo test … restart -- --ignored`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mneme_events::Topic;
use mneme_log::conformance::material::{all, group, record};
use mneme_log::{CommitError, EventLog, LogError, StageInput};
use mneme_log_kafka::KafkaLog;

use crate::sharing::work;
use crate::support::Namespace;

/// Appends one record after the other, each until it is acknowledged; tells the names and the longest
/// time until a failure was told.
async fn append_all(log: KafkaLog, stop: Arc<AtomicBool>) -> (Vec<String>, Duration) {
    let (mut names, mut longest) = (Vec::new(), Duration::ZERO);
    while !stop.load(Ordering::SeqCst) {
        let name = format!("e{}", names.len());
        loop {
            let asked = Instant::now();
            let one = vec![record(Topic::Episodes, &group("g"), &name)];
            match log.append(one).await {
                Ok(_) => break,
                Err(LogError::Unavailable(_)) => longest = longest.max(asked.elapsed()),
                Err(error) => panic!("{error}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        names.push(format!("x-{name}"));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    (names, longest)
}

/// Works as an instance, and joins again as its process would that was started anew.
async fn work_on(log: KafkaLog) {
    loop {
        let Ok(mut stage) = log.join("extractor", Topic::Episodes).await else {
            tokio::time::sleep(Duration::from_millis(500)).await;
            continue;
        };
        loop {
            let heard = stage.next().await.unwrap();
            let StageInput::Records(handed) = heard else {
                println!("{heard:?}");
                continue;
            };
            let (outputs, consumed) = work(&handed);
            match stage.commit(outputs, consumed).await {
                Ok(_) => {}
                Err(error @ CommitError::Abort(_)) => println!("{error}"),
                Err(error) => {
                    println!("{error}");
                    break;
                }
            }
        }
    }
}

#[test]
#[ignore = "restarts the broker"]
fn a_restart_loses_and_doubles_nothing() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    let Ok(command) = std::env::var("MNEME_KAFKA_RESTART") else {
        eprintln!("skipped: MNEME_KAFKA_RESTART is not set");
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        namespace.apply(1).await;
        let log = namespace.open("0").await;
        let stop = Arc::new(AtomicBool::new(false));
        let appending = tokio::spawn(append_all(log.clone(), Arc::clone(&stop)));
        let working = tokio::spawn(work_on(log.clone()));
        tokio::time::sleep(Duration::from_secs(2)).await;
        let restarted = tokio::process::Command::new("sh")
            .args(["-c", &command])
            .status();
        assert!(restarted.await.unwrap().success());
        let back = Instant::now();
        tokio::time::sleep(Duration::from_secs(5)).await;
        stop.store(true, Ordering::SeqCst);
        let (expected, longest) = appending.await.unwrap();
        println!("{} records; a failure took {longest:?}", expected.len());
        let mut written = Vec::new();
        while written.len() < expected.len() && back.elapsed() < Duration::from_secs(90) {
            written = all(&log, Topic::Extractions, 0).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        println!("all done {:?} after the broker was back", back.elapsed());
        working.abort();
        let differ = written.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!((differ, written.len()), (None, expected.len()));
    });
}
