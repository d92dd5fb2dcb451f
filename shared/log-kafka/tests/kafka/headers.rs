//! What the tools of Kafka see of a record without decoding it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mneme_events::{DeadLettered, Event, RecordParked, Topic};
use mneme_log::conformance::material::{event, group, read, record};
use mneme_log::conformance::run;
use mneme_log::{EventLog, NewRecord};
use mneme_telemetry::TraceParent;
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Header, Headers, Message, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::support::Namespace;

/// The headers of the first record of partition 0 of a topic.
fn first_headers(namespace: &Namespace, topic: Topic) -> BTreeMap<String, String> {
    let consumer: BaseConsumer = ClientConfig::new()
        .set("bootstrap.servers", &namespace.config.bootstrap)
        .set("group.id", "headers")
        .set("isolation.level", "read_committed")
        .create()
        .unwrap();
    let mut place = TopicPartitionList::new();
    place
        .add_partition_offset(&namespace.topic(topic), 0, Offset::Beginning)
        .unwrap();
    consumer.assign(&place).unwrap();
    let found = consumer.poll(Duration::from_secs(20)).unwrap().unwrap();
    let text = |bytes: Option<&[u8]>| String::from_utf8(bytes.unwrap().to_vec()).unwrap();
    let headers = found.headers().unwrap().iter();
    headers
        .map(|header| (header.key.to_owned(), text(header.value)))
        .collect()
}

#[test]
fn letters_and_parked_records_say_where_they_come_from() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let log = namespace.open("0").await;
        let header = event(&group("g"), "e").header().clone();
        let letter = DeadLettered {
            header: header.clone(),
            stage: "extractor".to_owned(),
            source_topic: Topic::Episodes.name().to_owned(),
            source_offset: 41,
            kind: "undecodable".to_owned(),
            reason: "no event".to_owned(),
            payload: vec![1],
            source_partition: Some(0),
            source_key: Some(b"tenant".to_vec()),
            version: Some("0.1.0".to_owned()),
            attempts: Some(2),
            schema_id: Some(7),
        };
        let parked = RecordParked {
            header,
            stage: "resolver".to_owned(),
            source_offset: 12,
            waiting: true,
            reason: "the model is away".to_owned(),
            episode_id: None,
            payload: vec![1],
        };
        let trace = TraceParent::new(1, 2, 1);
        let letter = NewRecord::new(Topic::DeadLetters, Event::from(letter)).within(trace);
        let parked = NewRecord::new(Topic::Parked, Event::from(parked));
        log.append(vec![letter, parked]).await.unwrap();

        let expected = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            pairs.iter().map(owned).collect()
        };
        let episodes = namespace.topic(Topic::Episodes);
        assert_eq!(
            first_headers(&namespace, Topic::DeadLetters),
            expected(&[
                ("mneme.source.topic", &episodes),
                ("mneme.source.partition", "0"),
                ("mneme.source.offset", "41"),
                ("mneme.source.key", "tenant"),
                ("mneme.stage", "extractor"),
                ("mneme.version", "0.1.0"),
                ("mneme.kind", "undecodable"),
                ("mneme.attempts", "2"),
                ("mneme.schema.id", "7"),
                ("traceparent", &trace.unwrap().to_string()),
            ])
        );
        let extractions = namespace.topic(Topic::Extractions);
        assert_eq!(
            first_headers(&namespace, Topic::Parked),
            expected(&[
                ("mneme.source.topic", &extractions),
                ("mneme.source.partition", "0"),
                ("mneme.source.offset", "12"),
                ("mneme.source.key", "g"),
                ("mneme.stage", "resolver"),
                ("mneme.version", env!("CARGO_PKG_VERSION")),
                ("mneme.kind", "waiting"),
            ])
        );
    });
}

/// A header that others wrote badly costs the record its trace and nothing else.
#[test]
fn a_malformed_trace_is_none() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let log = namespace.open("0").await;
        log.append(vec![record(Topic::Episodes, &group("g"), "ours")])
            .await
            .unwrap();
        let producer: FutureProducer = ClientConfig::new()
            .set("bootstrap.servers", &namespace.config.bootstrap)
            .create()
            .unwrap();
        let topic = namespace.topic(Topic::Episodes);
        let good = TraceParent::new(5, 6, 0).unwrap().to_string();
        let values: [&[u8]; 3] = [b"\xff\x00", b"00-zz", good.as_bytes()];
        for value in values {
            let headers = OwnedHeaders::new().insert(Header {
                key: TraceParent::HEADER,
                value: Some(value),
            });
            let record = FutureRecord::to(&topic)
                .partition(0)
                .key("g")
                .payload("no event")
                .headers(headers);
            let sent = producer.send(record, Duration::from_secs(10)).await;
            sent.unwrap();
        }
        let found = read(&log, Topic::Episodes, 0, 0, 100).await;
        let traces: Vec<_> = found.iter().map(|record| record.trace).collect();
        assert_eq!(traces, [None, None, None, TraceParent::new(5, 6, 0)]);
    });
}

#[test]
fn a_letter_names_the_key_and_the_schema_of_its_record() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        namespace.apply(1).await;
        let log = Arc::new(namespace.open("0").await);
        let value = [&[0][..], &987_654_u32.to_be_bytes(), b"x"].concat();
        let produced = namespace.produce(Topic::Episodes, 0, Some("tenant 1"), &value);
        produced.await.unwrap();
        let found = read(log.as_ref(), Topic::Episodes, 0, 0, 1).await;
        let bad = found.first().unwrap().event.as_ref().unwrap_err();
        assert_eq!(bad.key.as_deref(), Some(&b"tenant 1"[..]));
        assert_eq!(bad.schema_id, Some(987_654));
    });
}
