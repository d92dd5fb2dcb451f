//! What operators ask: status, replay, verify.

use std::process::ExitCode;

use mneme_projector::{Comparison, Rebuilt};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;
use crate::output;

/// How far the memory, or an episode, is.
pub async fn status(
    client: &Client,
    episode: Option<(String, String)>,
    json: bool,
) -> anyhow::Result<()> {
    let answer: Value = match &episode {
        Some((group, episode)) => {
            client
                .get(&["v1", "groups", group, "episodes", episode], &[])
                .await?
        }
        None => client.get(&["v1", "admin", "status"], &[]).await?,
    };
    if json {
        return output::json(&answer);
    }
    if episode.is_some() {
        output::line(answer["state"].as_str().unwrap_or_default());
        if let Some(reason) = answer["reason"].as_str() {
            output::line(reason);
        }
        for note in answer["notes"].as_array().into_iter().flatten() {
            output::line(note.as_str().unwrap_or_default());
        }
        return Ok(());
    }
    output::line(format!(
        "mneme {}",
        answer["version"].as_str().unwrap_or_default()
    ));
    output::line(format!("generation {}", answer["generation"]));
    output::line(format!("bytes on disk {}", answer["disk_bytes"]));
    let records = answer["records"].as_object().cloned().unwrap_or_default();
    output::table(
        &["topic", "records"],
        records
            .into_iter()
            .map(|(topic, records)| vec![topic, records.to_string()]),
    );
    Ok(())
}

/// Rebuilds the projections; fails if they did not change over.
pub async fn replay(client: &Client, force: bool, json: bool) -> anyhow::Result<ExitCode> {
    let query = [("force", force.to_string())];
    let rebuilt: Rebuilt = client
        .call(Method::POST, &["v1", "admin", "replay"], &query, &json!({}))
        .await?;
    if json {
        output::json(&rebuilt)?;
    } else {
        print_comparison(&rebuilt.comparison);
        output::line(if rebuilt.activated {
            format!("generation {} is read now", rebuilt.generation)
        } else {
            "the digests differ, so the old generation stays; --force changes over".to_owned()
        });
    }
    Ok(if rebuilt.activated {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Compares the projections with the log; fails if they differ.
pub async fn verify(client: &Client, json: bool) -> anyhow::Result<ExitCode> {
    let comparison: Comparison = client
        .call(Method::POST, &["v1", "admin", "verify"], &[], &json!({}))
        .await?;
    if json {
        output::json(&comparison)?;
    } else {
        print_comparison(&comparison);
    }
    Ok(if comparison.equal {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn print_comparison(comparison: &Comparison) {
    output::table(
        &["store", "groups", "different"],
        comparison.stores.iter().map(|store| {
            let different: Vec<&str> = store.different.iter().map(|group| group.as_str()).collect();
            vec![
                store.store.clone(),
                store.groups.to_string(),
                different.join(", "),
            ]
        }),
    );
    let verdict = if comparison.equal {
        "equal"
    } else {
        "different"
    };
    output::line(format!("{} records, digests {verdict}", comparison.records));
}
