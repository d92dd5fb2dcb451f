//! Publishes records of a CRM as the CRM itself has them: plain JSON on the CRM's own topic.
//!
//! - Nothing of Mneme is in here. The mapping `crm-contact` of examples/company/intake.toml tells Mneme
//!   how such a record becomes an episode.
//! - The key is the tenant, which is the group that the mapping names, so a tenant's records keep their
//!   order.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Parser;
use mneme_producers_example::{bootstrap, client, exit_code, send};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::error::RDKafkaErrorCode;
use serde_json::Value;

/// What is sent where no file is named.
const CONTACTS: &str = include_str!("../../../contacts.jsonl");

/// Publishes contacts of a CRM to its topic.
#[derive(Debug, Parser)]
struct Arguments {
    /// In place of the tenant in the records.
    #[arg(long)]
    tenant: Option<String>,
    /// The topic.
    #[arg(long, default_value = "crm.contacts")]
    topic: String,
    /// Make the topic with so many partitions, if it is not there.
    #[arg(long, value_name = "PARTITIONS")]
    make_topic: Option<i32>,
    /// One record a line [default: the contacts of the example].
    file: Option<PathBuf>,
}

/// Makes the topic, unless it is there: it is the CRM's, so Mneme does not make it.
async fn make_topic(topic: &str, partitions: i32) -> anyhow::Result<()> {
    let admin: AdminClient<DefaultClientContext> = client().create()?;
    let wanted = NewTopic::new(topic, partitions, TopicReplication::Fixed(-1));
    let patience = AdminOptions::new().request_timeout(Some(Duration::from_secs(10)));
    let made = admin.create_topics([&wanted], &patience).await;
    let made = made.with_context(|| format!("the broker at {} can't be reached", bootstrap()))?;
    match made.into_iter().next() {
        Some(Err((_, code))) if code != RDKafkaErrorCode::TopicAlreadyExists => {
            Err(anyhow!("{topic}: {code}"))
        }
        _ => Ok(()),
    }
}

/// A record and its key.
fn record(line: &str, tenant: Option<&str>) -> anyhow::Result<(String, Vec<u8>)> {
    let mut record: Value = serde_json::from_str(line)?;
    if let Some(tenant) = tenant {
        record["tenant"] = tenant.into();
    }
    let key = record["tenant"]
        .as_str()
        .context("it has no tenant")?
        .to_owned();
    Ok((key, serde_json::to_vec(&record)?))
}

async fn run() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(partitions) = arguments.make_topic {
        make_topic(&arguments.topic, partitions).await?;
    }
    let text = match &arguments.file {
        Some(file) => std::fs::read_to_string(file)
            .with_context(|| format!("{} can't be read", file.display()))?,
        None => CONTACTS.to_owned(),
    };
    let tenant = arguments.tenant.as_deref();
    let records = text
        .lines()
        .enumerate()
        .map(|(index, line)| record(line, tenant).with_context(|| format!("line {}", index + 1)));
    send(&arguments.topic, records.collect::<anyhow::Result<_>>()?).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    exit_code(run().await)
}
