//! Prints what the log does on this machine; run it with `--ignored --nocapture`.

use std::time::{Duration, Instant};

use mneme_events::Topic;
use mneme_log::conformance::material::{group, joined, record, records};
use mneme_log::conformance::run;
use mneme_log::{Consumed, EventLog};

use crate::support::Namespace;

/// Prints how long `count` rounds took, each and the slowest.
async fn timed(what: &str, count: usize, mut round: impl AsyncFnMut(usize)) {
    let (started, mut slowest) = (Instant::now(), Duration::ZERO);
    for number in 0..count {
        let one = Instant::now();
        round(number).await;
        slowest = slowest.max(one.elapsed());
    }
    let each = started.elapsed() / count as u32;
    println!("{what}: {each:?}, slowest {slowest:?}");
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        let started = Instant::now();
        namespace.apply(4).await;
        println!("topics and schemas: {:?}", started.elapsed());
        let started = Instant::now();
        let log = namespace.open("0").await;
        println!("opened in {:?}", started.elapsed());
        let group = group("g");
        let partition = log.partition_of(&group);

        timed("one append", 50, async |number| {
            let one = records(Topic::Episodes, &group, &format!("{number}-"), 1);
            log.append(one).await.unwrap();
        })
        .await;
        timed("the end after an append", 20, async |number| {
            let one = records(Topic::Episodes, &group, &format!("{number}-"), 1);
            log.append(one).await.unwrap();
            let asked = Instant::now();
            log.end(Topic::Episodes, partition).await.unwrap();
            println!("  of which {:?}", asked.elapsed());
        })
        .await;
        timed("the end again", 50, async |_| {
            log.end(Topic::Episodes, partition).await.unwrap();
        })
        .await;
        let started = Instant::now();
        let callers = (0..64).map(|caller| {
            let (log, group) = (log.clone(), group.clone());
            tokio::spawn(async move {
                for number in 0..20 {
                    let name = format!("{caller}-{number}");
                    let one = record(Topic::Episodes, &group, &name);
                    log.append(vec![one]).await.unwrap();
                }
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.unwrap();
        }
        println!("1,280 appends of 64 callers: {:?}", started.elapsed());
        timed("500 records appended", 20, async |number| {
            let batch = records(Topic::Facts, &group, &format!("{number}-"), 500);
            log.append(batch).await.unwrap();
        })
        .await;
        log.end(Topic::Facts, partition).await.unwrap();
        let (started, mut from, mut count) = (Instant::now(), 0, 0);
        loop {
            let read = log.read(Topic::Facts, partition, from, 500).await.unwrap();
            let Some(last) = read.last() else { break };
            from = last.offset + 1;
            count += read.len();
        }
        println!("{count} records read: {:?}", started.elapsed());
        let started = Instant::now();
        let read = log.read(Topic::Facts, partition, 0, 100_000).await.unwrap();
        println!(
            "{} records read at once: {:?}",
            read.len(),
            started.elapsed()
        );
        timed("a read at the end", 20, async |_| {
            log.read(Topic::Facts, partition, from, 500).await.unwrap();
        })
        .await;
        timed("a position", 50, async |_| {
            let asked = log.position("extractor", Topic::Episodes, partition);
            asked.await.unwrap();
        })
        .await;

        let started = Instant::now();
        let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
        println!("joined and assigned: {:?}", started.elapsed());
        timed("a commit of 200 records", 50, async |number| {
            let batch = records(Topic::Extractions, &group, &format!("{number}-"), 200);
            let next = Consumed {
                topic: Topic::Episodes,
                partition,
                next: number as u64,
            };
            stage.commit(batch, vec![next]).await.unwrap();
        })
        .await;
        let end = log.end(Topic::Episodes, partition).await.unwrap();
        timed("from an append to a follower", 20, async |number| {
            let end = match number {
                0 => end,
                _ => log.end(Topic::Episodes, partition).await.unwrap(),
            };
            let one = records(Topic::Episodes, &group, &format!("f{number}-"), 1);
            let (grown, _) =
                tokio::join!(log.grown(Topic::Episodes, partition, end), log.append(one));
            grown.unwrap();
            let read = log.read(Topic::Episodes, partition, end, 10).await.unwrap();
            assert_eq!(read.len(), 1);
        })
        .await;
    });
}
