//! Preparing a cluster and a registry.

use mneme_events::{EventKind, Topic};
use mneme_log::conformance::run;
use mneme_log_kafka::{KafkaLog, TopicOutcome, TopicsConfig, apply_schemas, apply_topics};
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, AlterConfig, ResourceSpecifier};
use rdkafka::client::DefaultClientContext;

use crate::support::{Namespace, register};

fn wanted(partitions: u32) -> TopicsConfig {
    TopicsConfig {
        partitions,
        replication: 1,
        ..TopicsConfig::default()
    }
}

#[test]
fn topics_are_made_checked_and_mended() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        let config = &namespace.config;
        let none = KafkaLog::connect(config.clone()).await.map(|_| ());
        let none = none.unwrap_err().to_string();
        assert!(none.contains("mneme topics apply"), "{none}");

        let made = apply_topics(config, &wanted(3)).await.unwrap();
        assert_eq!(made.len(), Topic::ALL.len());
        assert!(made.iter().all(|row| row.outcome == TopicOutcome::Created));
        let none = KafkaLog::connect(config.clone()).await.map(|_| ());
        let none = none.unwrap_err().to_string();
        assert!(none.contains("mneme schemas apply"), "{none}");

        let again = apply_topics(config, &wanted(3)).await.unwrap();
        assert!(
            again
                .iter()
                .all(|row| row.outcome == TopicOutcome::Unchanged)
        );
        let more = apply_topics(config, &wanted(4))
            .await
            .unwrap_err()
            .to_string();
        assert!(
            more.contains("3 partitions") && more.contains("order"),
            "{more}"
        );

        let admin: AdminClient<DefaultClientContext> = ClientConfig::new()
            .set("bootstrap.servers", &config.bootstrap)
            .create()
            .unwrap();
        let topic = namespace.topic(Topic::Facts);
        let altered = AlterConfig::new(ResourceSpecifier::Topic(&topic))
            .set("retention.ms", "1000")
            .set("segment.bytes", "100000000");
        let done = admin.alter_configs([&altered], &AdminOptions::new()).await;
        done.unwrap().pop().unwrap().unwrap();
        let mended = apply_topics(config, &wanted(3)).await.unwrap();
        let changed: Vec<_> = mended
            .iter()
            .filter(|row| row.outcome != TopicOutcome::Unchanged)
            .collect();
        let [changed] = changed[..] else {
            panic!("one topic is mended: {changed:?}");
        };
        assert_eq!(changed.topic, topic);
        let TopicOutcome::Changed(settings) = &changed.outcome else {
            panic!("{changed:?}");
        };
        assert!(settings.iter().any(|setting| setting == "retention.ms"));
        let which = [ResourceSpecifier::Topic(&topic)];
        let found = admin.describe_configs(&which, &AdminOptions::new()).await;
        let found = found.unwrap().pop().unwrap().unwrap();
        let value = |key: &str| found.get(key).and_then(|entry| entry.value.clone());
        assert_eq!(value("retention.ms").as_deref(), Some("-1"));
        assert_eq!(value("segment.bytes").as_deref(), Some("100000000"));
    });
}

#[test]
fn schemas_are_registered_once_and_guarded() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        let rows = apply_schemas(&namespace.config).await.unwrap();
        assert!(rows.len() >= EventKind::ALL.len());
        let again = apply_schemas(&namespace.config).await.unwrap();
        assert_eq!(rows, again);
        let ids = |kind: EventKind| {
            let ending = format!("-{}", kind.full_name());
            let own = rows
                .iter()
                .filter(move |row| row.subject.ends_with(&ending));
            own.map(|row| row.id).collect::<Vec<u32>>()
        };
        let erased = ids(EventKind::EpisodeErased);
        assert!(erased.len() > 1);
        assert!(erased.iter().all(|id| *id == erased[0]));
    });
}

#[test]
fn an_incompatible_schema_is_refused_by_name() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    run(async {
        let name = EventKind::EpisodeErased.full_name();
        let subject = format!("{}-{name}", namespace.topic(Topic::Episodes));
        let other = r#"{"type":"record","name":"EpisodeErased","namespace":"mneme.v1",
            "fields":[{"name":"header","type":"int"}]}"#;
        register(&namespace, &subject, other).await;
        let refused = apply_schemas(&namespace.config).await.unwrap_err();
        assert!(refused.to_string().contains(&subject), "{refused}");
    });
}
