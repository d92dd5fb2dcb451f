//! A registry that is away.

use std::time::Duration;

use mneme_events::{EventKind, Topic, encode_datum, schema_texts};
use mneme_log::conformance::material::{all, event, group, joined, names, record, records};
use mneme_log::conformance::run;
use mneme_log::{EventLog, LogError, StageInput};
use mneme_log_kafka::KafkaLog;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::{Namespace, register};

/// Passes on what comes to `port` until it is aborted.
async fn pass_on(port: u16, to: String) -> JoinHandle<()> {
    let listener = loop {
        match TcpListener::bind(("127.0.0.1", port)).await {
            Ok(listener) => break listener,
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    tokio::spawn(async move {
        let mut open = tokio::task::JoinSet::new();
        while let Ok((mut here, _)) = listener.accept().await {
            let to = to.clone();
            open.spawn(async move {
                let mut there = TcpStream::connect(to).await.unwrap();
                let _ = copy_bidirectional(&mut here, &mut there).await;
            });
        }
    })
}

#[test]
fn a_registry_that_goes_away_stops_nobody_and_loses_nothing() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let rest = namespace.config.registry.strip_prefix("http://").unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        let free = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut config = namespace.config.clone();
        config.registry = format!("http://127.0.0.1:{port}/{path}");
        config.registry_wait_s = 1;
        let away = KafkaLog::connect(config.clone()).await.map(|_| ());
        assert!(matches!(away, Err(LogError::Unavailable(_))), "{away:?}");

        // It is waited for.
        config.registry_wait_s = 20;
        let connecting = tokio::spawn(KafkaLog::connect(config));
        tokio::time::sleep(Duration::from_millis(500)).await;
        let passing = pass_on(port, host.to_owned()).await;
        let log = connecting.await.unwrap().unwrap();
        passing.abort();
        let _ = passing.await;

        // What this version writes needs nobody.
        let group = group("g");
        let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
        let batch = records(Topic::Episodes, &group, "e", 2);
        log.append(batch).await.unwrap();
        assert_eq!(all(&log, Topic::Episodes, 0).await, ["e0", "e1"]);
        let Ok(StageInput::Records(handed)) = stage.next().await else {
            panic!("records come after the assignment");
        };
        assert_eq!(handed.len(), 2);
        let output = record(Topic::Extractions, &group, "x");
        stage.commit(vec![output], Vec::new()).await.unwrap();

        // What another version wrote waits for it.
        let subject = format!(
            "{}-{}",
            namespace.topic(Topic::Episodes),
            EventKind::EpisodeErased.full_name()
        );
        let mut schema: serde_json::Value =
            serde_json::from_str(schema_texts(EventKind::EpisodeErased)[0]).unwrap();
        let field = serde_json::json!({ "name": "more", "type": "int", "default": 0 });
        schema["fields"].as_array_mut().unwrap().push(field);
        let id = register(&namespace, &subject, &schema.to_string()).await;
        let mut value = [&[0][..], &id.to_be_bytes()].concat();
        value.extend(encode_datum(&event(&group, "other"), &[]).unwrap());
        value.push(2);
        let produced = namespace.produce(Topic::Episodes, 0, Some("g"), &value);
        produced.await.unwrap();
        let waits = tokio::time::timeout(Duration::from_secs(2), stage.next()).await;
        assert!(waits.is_err(), "{waits:?}");
        let read = log.read(Topic::Episodes, 0, 0, 10).await;
        assert!(matches!(read, Err(LogError::Unavailable(_))), "{read:?}");
        let _passing = pass_on(port, host.to_owned()).await;
        let Ok(StageInput::Records(handed)) = stage.next().await else {
            panic!("the record comes when the registry is back");
        };
        assert_eq!(names(&handed), ["other"]);
    });
}
