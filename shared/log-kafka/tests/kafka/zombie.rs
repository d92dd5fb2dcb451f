//! A process that was stopped, whose partitions moved, and that wakes up again.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mneme_events::Topic;
use mneme_log::conformance::material::{all, group, joined, records};
use mneme_log::conformance::run;
use mneme_log::{Consumed, EventLog, StageInput};

use crate::support::Namespace;

/// Tells the child process which namespace it works in.
const CHILD: &str = "MNEME_TEST_ZOMBIE";

fn consumed(next: u64) -> Vec<Consumed> {
    let (topic, partition) = (Topic::Episodes, 0);
    vec![Consumed {
        topic,
        partition,
        next,
    }]
}

/// The other process: takes records, waits for a line, commits, and tells how that went.
#[test]
fn the_child() {
    let (Ok(name), Some(mut namespace)) = (std::env::var(CHILD), Namespace::new()) else {
        return;
    };
    namespace.config.namespace = name;
    run(async {
        let log = namespace.open("child").await;
        let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
        let Ok(StageInput::Records(_)) = stage.next().await else {
            panic!("records come after the assignment");
        };
        println!("\nready");
        let line =
            tokio::task::spawn_blocking(|| std::io::stdin().lock().read_line(&mut String::new()));
        line.await.unwrap().unwrap();
        let outputs = records(Topic::Extractions, &group("g"), "zombie", 1);
        match stage.commit(outputs, consumed(2)).await {
            Ok(_) => println!("\nwritten"),
            Err(error) => println!("\nrefused: {error}"),
        }
    });
    // The topics are the parent's to delete.
    std::mem::forget(namespace);
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn line_with(child: &mut impl BufRead, wanted: &[&str]) -> String {
    loop {
        let mut line = String::new();
        assert!(child.read_line(&mut line).unwrap() > 0, "the child ended");
        if wanted.iter().any(|wanted| line.starts_with(wanted)) {
            return line;
        }
    }
}

#[test]
fn a_zombie_writes_nothing() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let log = namespace.open("living").await;
        let batch = records(Topic::Episodes, &group("g"), "e", 2);
        log.append(batch).await.unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["zombie::the_child", "--exact", "--nocapture"])
            .env(CHILD, &namespace.config.namespace)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        line_with(&mut said, &["ready"]);
        signal(&child, "-STOP");

        let (mut stage, positions) = joined(&log, "extractor", Topic::Episodes).await;
        assert_eq!(positions, consumed(0));
        let outputs = records(Topic::Extractions, &group("g"), "living", 1);
        stage.commit(outputs, consumed(1)).await.unwrap();

        signal(&child, "-CONT");
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        let line = line_with(&mut said, &["written", "refused"]);
        assert!(line.starts_with("refused"), "{line}");
        // It has not taken the partition back from one that lives.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let outputs = records(Topic::Extractions, &group("g"), "later", 1);
        stage.commit(outputs, consumed(2)).await.unwrap();
        let said = all(&log, Topic::Extractions, 0).await;
        assert_eq!(said, ["living0", "later0"]);
        let position = log.position("extractor", Topic::Episodes, 0).await;
        assert_eq!(position.unwrap(), 2);
        let _ = child.wait();
    });
}
