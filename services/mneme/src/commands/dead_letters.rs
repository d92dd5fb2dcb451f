//! `mneme dlq`: what could not be taken and what waits.

use reqwest::Method;
use serde_json::{Value, json};

use crate::arguments::Again;
use crate::client::Client;
use crate::output;

const PATH: [&str; 3] = ["v1", "admin", "dlq"];

/// Lists letters, the newest first.
pub async fn list(
    client: &Client,
    all: bool,
    limit: Option<usize>,
    json: bool,
) -> anyhow::Result<()> {
    let mut query = vec![("all", all.to_string())];
    query.extend(limit.map(|limit| ("limit", limit.to_string())));
    let answer: Value = client.get(&PATH, &query).await?;
    if json {
        return output::json(&answer);
    }
    let letters = answer["letters"].as_array().cloned().unwrap_or_default();
    let text = |letter: &Value, name: &str| letter[name].as_str().unwrap_or_default().to_owned();
    output::table(
        &["id", "kind", "stage", "group", "source", "reason"],
        letters.iter().map(|letter| {
            let kind = text(letter, "kind");
            let is_replayed = letter["replayed"] == true;
            vec![
                text(letter, "id"),
                if is_replayed {
                    format!("{kind} (replayed)")
                } else {
                    kind
                },
                text(letter, "stage"),
                text(letter, "group_id"),
                source_of(letter),
                text(letter, "reason"),
            ]
        }),
    );
    output::line(format!("{} dead letters were not replayed", answer["open"]));
    Ok(())
}

/// Shows a letter with its content.
pub async fn show(client: &Client, id: &str, json: bool) -> anyhow::Result<()> {
    let letter: Value = client.get(&[&PATH[..], &[id]].concat(), &[]).await?;
    if json {
        return output::json(&letter);
    }
    let fields = letter.as_object().cloned().unwrap_or_default();
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match value.as_str() {
            _ if name == "content" => {}
            Some(text) => output::line(format!("{name}: {text}")),
            None => output::line(format!("{name}: {value}")),
        }
    }
    output::line("");
    output::json(&letter["content"])
}

/// Has a letter, or what is held of a group, taken again.
pub async fn replay(client: &Client, again: Again) -> anyhow::Result<()> {
    let Again { id, group, stage } = again;
    match (id, group, stage) {
        (Some(id), ..) => {
            let path = [&PATH[..], &[&id, "replay"]].concat();
            client
                .call::<Value>(Method::POST, &path, &[], &json!({}))
                .await?;
            output::line(format!("asked to take {id} again"));
        }
        (None, Some(group), Some(stage)) => {
            let body = json!({ "group_id": group, "stage": stage });
            let path = [&PATH[..], &["replay"]].concat();
            client
                .call::<Value>(Method::POST, &path, &[], &body)
                .await?;
            output::line(format!("asked the {stage} to try {group} again"));
        }
        (None, ..) => anyhow::bail!("name a letter by its ID, or --group and --stage"),
    }
    Ok(())
}

/// The topic, the partition where it is known, and the offset.
fn source_of(letter: &Value) -> String {
    let topic = letter["source_topic"].as_str().unwrap_or_default();
    let partition = letter["source_partition"].as_i64();
    let partition = partition.map_or_else(|| "?".to_owned(), |number| number.to_string());
    format!("{topic}/{partition}/{}", letter["source_offset"])
}
