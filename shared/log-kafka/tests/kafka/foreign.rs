//! Records that others wrote.

use mneme_events::{EventKind, Topic, encode_datum, schema_texts};
use mneme_log::conformance::material::{event, group, joined, names, read, record, records};
use mneme_log::conformance::run;
use mneme_log::{EventLog, LogError, NewRecord, StageInput};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use crate::support::{Namespace, register};

/// The text of the schema of the suite's events with one field more.
fn of_the_future() -> String {
    let text = schema_texts(EventKind::EpisodeErased).pop().unwrap();
    let mut schema: serde_json::Value = serde_json::from_str(text).unwrap();
    let field = serde_json::json!({ "name": "why", "type": "string", "default": "" });
    schema["fields"].as_array_mut().unwrap().push(field);
    schema.to_string()
}

fn with_id(id: u32, datum: &[u8]) -> Vec<u8> {
    [&[0][..], &id.to_be_bytes(), datum].concat()
}

#[test]
fn what_is_no_event_of_ours_is_told_from_what_is() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(2).await;
        let log = namespace.open("0").await;
        let group = group("g");
        let partition = log.partition_of(&group);
        let datum = |name: &str| encode_datum(&event(&group, name), &[]).unwrap();
        let subject = format!(
            "{}-{}",
            namespace.topic(Topic::Episodes),
            EventKind::EpisodeErased.full_name()
        );
        let future = register(&namespace, &subject, &of_the_future()).await;
        let text = schema_texts(EventKind::EpisodeErased).pop().unwrap();
        let ours = register(&namespace, &subject, text).await;
        let order = r#"{"type":"record","name":"Order","namespace":"acme","fields":[]}"#;
        let foreign = register(&namespace, &format!("{subject}-order"), order).await;
        assert_ne!(ours, future);

        let key = Some("g");
        let mut from_tomorrow = datum("from tomorrow");
        from_tomorrow.extend(encode_text("because"));
        let cut = datum("cut");
        let (other, cut) = (1 - partition, &cut[..cut.len() - 1]);
        let sent = [
            (
                partition,
                key,
                b"{\"not\": \"ours\"}".to_vec(),
                "number of a schema",
            ),
            (partition, key, Vec::new(), "number of a schema"),
            (partition, key, with_id(987_654, &datum("u")), "987654"),
            (partition, key, with_id(ours, cut), "EpisodeErased"),
            (partition, key, with_id(foreign, &[]), "acme.Order"),
            (partition, None, with_id(ours, &datum("no key")), "key"),
            (partition, Some("h"), with_id(ours, &datum("h")), "key"),
            (other, key, with_id(ours, &datum("elsewhere")), "partition"),
            (partition, key, with_id(ours, &datum("good")), ""),
            (partition, key, with_id(future, &from_tomorrow), ""),
        ];
        for (partition, key, value, _) in &sent {
            let produced = namespace.produce(Topic::Episodes, *partition, *key, value);
            produced.await.unwrap();
        }

        let mut found = read(&log, Topic::Episodes, other, 0, 100).await;
        assert_eq!(found.len(), 1);
        let elsewhere = found.pop().unwrap();
        let mut found = read(&log, Topic::Episodes, partition, 0, 100).await;
        found.insert(7, elsewhere);
        assert_eq!(found.len(), sent.len());
        for (record, (_, key, value, reason)) in found.iter().zip(&sent).take(8) {
            let bad = record.event.as_ref().unwrap_err();
            assert_eq!(&bad.bytes, value);
            assert!(bad.reason.contains(reason), "{} lacks {reason}", bad.reason);
            assert!(!bad.reason.contains("not\""), "content in {}", bad.reason);
            let group = record.group_id.as_ref().map(|group| group.as_str());
            assert_eq!(group, *key);
        }
        assert_eq!(names(&found[8..]), ["good", "from tomorrow"]);

        // A stage hears of them in the same way.
        let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
        let (mut good, mut bad) = (0, 0);
        while good + bad < sent.len() {
            let StageInput::Records(records) = stage.next().await.unwrap() else {
                panic!("records come after the assignment");
            };
            for record in records {
                match record.event {
                    Ok(_) => good += 1,
                    Err(_) => bad += 1,
                }
            }
        }
        assert_eq!((good, bad), (2, 8));
    });
}

fn encode_text(text: &str) -> Vec<u8> {
    // Avro: the length in zigzag, then the bytes.
    let mut bytes = vec![2 * text.len() as u8];
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// What is too large is refused, with the reason, and nothing else suffers.
#[test]
fn too_large_is_refused() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let log = namespace.open("0").await;
        let produced = namespace
            .produce(Topic::Episodes, 0, Some("g"), &vec![7; 2 << 20])
            .await;
        let too_large = KafkaError::MessageProduction(RDKafkaErrorCode::MessageSizeTooLarge);
        assert_eq!(produced.unwrap_err(), too_large);

        let large = |bytes: usize| {
            let header = event(&group("g"), "large").header().clone();
            let letter = mneme_events::DeadLettered {
                header,
                stage: String::new(),
                source_topic: String::new(),
                source_offset: 0,
                kind: String::new(),
                reason: String::new(),
                payload: vec![7; bytes],
                source_partition: None,
                source_key: None,
                version: None,
                attempts: None,
                schema_id: None,
            };
            std::sync::Arc::new(letter.into())
        };
        let append = |topic, bytes| {
            let event = large(bytes);
            log.append(vec![NewRecord::new(topic, event)])
        };
        let (refused, small, taken) = tokio::join!(
            append(Topic::Episodes, 2 << 20),
            log.append(records(Topic::Episodes, &group("g"), "e", 2)),
            append(Topic::DeadLetters, 2 << 20),
        );
        assert!(matches!(refused, Err(LogError::Refused(_))), "{refused:?}");
        assert_eq!(small.unwrap().len(), 2);
        assert_eq!(taken.unwrap(), [0]);
        let refused = append(Topic::DeadLetters, 9 << 20).await;
        assert!(matches!(refused, Err(LogError::Refused(_))), "{refused:?}");
        let found = read(&log, Topic::DeadLetters, 0, 0, 10).await;
        assert_eq!(found.len(), 1);

        let (mut stage, _) = joined(&log, "extractor", Topic::Episodes).await;
        let output = NewRecord::new(Topic::Extractions, large(9 << 20));
        let refused = stage.commit(vec![output], Vec::new()).await;
        assert!(refused.unwrap_err().to_string().contains("bytes"));
        let output = record(Topic::Extractions, &group("g"), "small");
        stage.commit(vec![output], Vec::new()).await.unwrap();
    });
}
