//! What both producers share: where the servers are, and how records are sent.
//!
//! - A record is sent once, in order, and acknowledged by all replicas, or the program ends with an
//!   error.
//! - A record's key decides its partition as everywhere in Mneme (murmur2), so a group's records keep
//!   their order.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use rdkafka::util::Timeout;

/// How long the broker is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The brokers.
pub fn bootstrap() -> String {
    setting("MNEME_KAFKA__BOOTSTRAP", "127.0.0.1:19092")
}

/// The base address of the schema registry.
pub fn registry() -> String {
    setting(
        "MNEME_KAFKA__REGISTRY",
        "http://127.0.0.1:18081/apis/ccompat/v7",
    )
}

/// What the names of Mneme's own topics begin with.
pub fn namespace() -> String {
    setting("MNEME_KAFKA__NAMESPACE", "mneme")
}

fn setting(name: &str, usual: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| usual.to_owned())
}

/// The settings of a client that says itself what goes wrong, once.
pub fn client() -> ClientConfig {
    let mut client = ClientConfig::new();
    client.set("bootstrap.servers", bootstrap());
    client.set_log_level(RDKafkaLogLevel::Emerg);
    client
}

/// How a program ends; the reason of a failure is told.
#[allow(clippy::print_stderr, reason = "the reason is for whoever runs it")]
pub fn exit_code(ended: anyhow::Result<()>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Sends records, each a key and a value, and waits until all are acknowledged. Tells where each is.
#[allow(clippy::print_stdout, reason = "this is what the programs are to tell")]
pub async fn send(topic: &str, records: Vec<(String, Vec<u8>)>) -> anyhow::Result<()> {
    let producer: FutureProducer = client()
        .set("enable.idempotence", "true")
        .set("acks", "all")
        .set("partitioner", "murmur2_random")
        .set("compression.type", "zstd")
        .set("message.timeout.ms", "30000")
        .create()?;
    check_topic(&producer, topic)?;
    let mut sent = Vec::with_capacity(records.len());
    for (key, value) in &records {
        let record = FutureRecord::to(topic).key(key).payload(value);
        // Handed over one after the other, so they are sent in this order.
        let delivery = producer.send_result(record);
        sent.push(
            delivery
                .map_err(|(error, _)| error)
                .context(topic.to_owned())?,
        );
    }
    producer
        .flush(Timeout::After(Duration::from_secs(35)))
        .context(topic.to_owned())?;
    for delivery in sent {
        let delivered = delivery.await?.map_err(|(error, _)| error);
        let delivered = delivered.context(topic.to_owned())?;
        let (partition, offset) = (delivered.partition, delivered.offset);
        println!("{topic} partition {partition} offset {offset}");
    }
    Ok(())
}

/// A topic that is not there is told at once, not when the time of the first record is over.
fn check_topic(producer: &FutureProducer, topic: &str) -> anyhow::Result<()> {
    let found = producer
        .client()
        .fetch_metadata(Some(topic), PATIENCE)
        .with_context(|| format!("the broker at {} can't be reached", bootstrap()))?;
    let error = found.topics().iter().find_map(|found| found.error());
    let error = error.map(RDKafkaErrorCode::from);
    ensure!(
        error.is_none(),
        "{topic}: {}",
        error.map(|error| error.to_string()).unwrap_or_default()
    );
    Ok(())
}
