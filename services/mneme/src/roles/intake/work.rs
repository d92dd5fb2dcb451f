//! The work of the intake.
//!
//! 1. Records of a partition are submitted in their order, and one of a group never before those of
//!    the group that came earlier.
//! 2. A record is done when its episode, or its dead letter, is in the log. Only then its position is
//!    committed, so a crash repeats some; the gateway knows an episode again by its id.
//! 3. Where something that is needed is away, records wait. None is passed over.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::join_all;
use mneme_api::Problem;
use mneme_events::{DeadLettered, Event, Topic};
use mneme_gateway::intake::{Mapping, Mappings, read_record};
use mneme_gateway::{Gateway, RawRecord, Taken};
use mneme_log::{EventLog, LogError, NewRecord};
use mneme_log_kafka::{ProducerRecord, ProducerRecords};
use mneme_telemetry::metric;
use tokio_util::sync::CancellationToken;

use super::INTAKE;
use super::letters::{letter, without_content};
use super::waiting::{Stopped, Waiting};

/// What the intake works with.
pub struct Intake {
    pub gateway: Gateway,
    pub mappings: Mappings,
    pub log: Arc<dyn EventLog>,
    pub waiting: Waiting,
}

/// A record that is JSON.
type Open<'b> = (&'b ProducerRecord, RawRecord);
/// A record that makes no episode, with its letter.
type Bad<'b> = (&'b ProducerRecord, DeadLettered);

impl Intake {
    /// Works until it is told to stop; what was begun then is finished, unless it waits.
    pub async fn run(
        self,
        mut records: ProducerRecords,
        stop: CancellationToken,
    ) -> Result<(), LogError> {
        loop {
            let batch = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                batch = records.next() => batch?,
            };
            if let Err(Stopped) = self.take(&records, &batch, &stop).await {
                return Ok(());
            }
            records.done(&batch);
            metrics::counter!(metric::INPUTS, "stage" => INTAKE).increment(batch.len() as u64);
        }
    }

    /// Brings a batch into the log: as episodes, else as dead letters.
    async fn take(
        &self,
        records: &ProducerRecords,
        batch: &[ProducerRecord],
        stop: &CancellationToken,
    ) -> Result<(), Stopped> {
        let (mut open, mut bad) = (Vec::new(), Vec::new());
        for record in batch {
            match read(record) {
                Ok(raw) => open.push((record, raw)),
                Err(reason) => bad.push((record, letter(record, None, &reason))),
            }
        }
        let mut attempts = self.waiting.attempts();
        loop {
            let (refused, later) = self.submit(open).await;
            bad.extend(refused);
            let Some((left, why)) = later else { break };
            attempts.pause(&why, stop).await?;
            // What is another instance's now is for that one to take.
            open = left;
            open.retain(|(record, _)| records.has(record));
        }
        drop(attempts);
        let filed = bad.into_iter().map(|bad| self.file(records, bad, stop));
        join_all(filed).await.into_iter().collect()
    }

    /// Submits records, those of each topic in their order. Returns those that are bad, and those
    /// that have to wait, with the reason.
    async fn submit<'b>(
        &self,
        open: Vec<Open<'b>>,
    ) -> (Vec<Bad<'b>>, Option<(Vec<Open<'b>>, String)>) {
        let mut topics: BTreeMap<&str, (Vec<&ProducerRecord>, Vec<RawRecord>)> = BTreeMap::new();
        for (record, raw) in open {
            let of_topic = topics.entry(&record.topic).or_default();
            of_topic.0.push(record);
            of_topic.1.push(raw);
        }
        let submitted = topics.into_iter().map(async |(topic, (records, raw))| {
            let taken = match self.mapping(topic) {
                Some(mapping) => self.gateway.take_traced(mapping, &raw).await,
                // Only topics of mappings are read.
                None => vec![unmapped(); raw.len()],
            };
            (records.into_iter().zip(raw), taken)
        });
        let (mut bad, mut left, mut why) = (Vec::new(), Vec::new(), None);
        for (records, taken) in join_all(submitted).await {
            for ((record, raw), taken) in records.zip(taken) {
                match taken {
                    Taken::Accepted | Taken::Duplicate => {}
                    Taken::Refused { group_id, problem } => {
                        bad.push((record, letter(record, group_id, &problem.detail)));
                    }
                    Taken::NotNow(problem) => {
                        why.get_or_insert(problem.detail);
                        left.push((record, raw));
                    }
                }
            }
        }
        (bad, why.map(|why| (left, why)))
    }

    fn mapping(&self, topic: &str) -> Option<&Mapping> {
        self.mappings.iter().find(|one| one.topic() == topic)
    }

    /// Writes a dead letter, trying until it is in the log.
    async fn file(
        &self,
        records: &ProducerRecords,
        (record, mut letter): Bad<'_>,
        stop: &CancellationToken,
    ) -> Result<(), Stopped> {
        let mut attempts = self.waiting.attempts();
        while records.has(record) {
            let event = Event::from(letter.clone());
            let new = NewRecord::new(Topic::DeadLetters, event).within(record.trace());
            match self.log.append(vec![new]).await {
                Ok(_) => {
                    tracing::warn!(
                        topic = &*record.topic,
                        partition = record.partition,
                        offset = record.offset,
                        "a producer's record is a dead letter"
                    );
                    metrics::counter!(metric::DEAD_LETTERS, "stage" => INTAKE, "kind" => INTAKE)
                        .increment(1);
                    return Ok(());
                }
                Err(LogError::Refused(_))
                    if !letter.payload.is_empty() || letter.source_key.is_some() =>
                {
                    letter = without_content(letter);
                }
                Err(error) => attempts.pause(&error.to_string(), stop).await?,
            }
        }
        Ok(())
    }
}

/// What becomes of a record that no mapping reads.
fn unmapped() -> Taken {
    Taken::Refused {
        group_id: None,
        problem: Problem::not_found("no mapping reads this topic"),
    }
}

/// What a record holds, or why it is of no use.
fn read(record: &ProducerRecord) -> Result<RawRecord, String> {
    if record.key.is_none() {
        return Err(
            "the record has no key: the key is its group, which keeps the order".to_owned(),
        );
    }
    let value = record.value.as_deref().ok_or("the record has no value")?;
    Ok(RawRecord {
        value: read_record(value).map_err(|problem| problem.detail)?,
        trace: record.trace(),
    })
}
