//! What has to be there before a role can run over Kafka: topics and schemas.

use mneme_log_kafka::{TopicOutcome, apply_schemas, apply_topics};
use serde_json::json;

use crate::configuration::Configuration;
use crate::output;
use crate::roles::kafka;

/// Makes and checks the topics.
pub async fn topics(configuration: &Configuration, json: bool) -> anyhow::Result<()> {
    let rows = apply_topics(kafka(configuration)?, &configuration.topics).await?;
    let told = |outcome: &TopicOutcome| match outcome {
        TopicOutcome::Created => "made".to_owned(),
        TopicOutcome::Unchanged => "as it should be".to_owned(),
        TopicOutcome::Changed(settings) => format!("changed: {}", settings.join(", ")),
    };
    if json {
        let rows = rows
            .iter()
            .map(|row| json!({ "topic": row.topic, "outcome": told(&row.outcome) }));
        return output::json(&rows.collect::<Vec<_>>());
    }
    let rows = rows
        .iter()
        .map(|row| vec![row.topic.clone(), told(&row.outcome)]);
    output::table(&["topic", "outcome"], rows);
    Ok(())
}

/// Registers the schemas.
pub async fn schemas(configuration: &Configuration, json: bool) -> anyhow::Result<()> {
    let rows = apply_schemas(kafka(configuration)?).await?;
    if json {
        let rows = rows
            .iter()
            .map(|row| json!({ "subject": row.subject, "id": row.id }));
        return output::json(&rows.collect::<Vec<_>>());
    }
    let rows = rows
        .iter()
        .map(|row| vec![row.subject.clone(), row.id.to_string()]);
    output::table(&["subject", "id"], rows);
    Ok(())
}
