//! The figures.

use std::collections::BTreeMap;
use std::time::Duration;

use mneme_telemetry::metric;
use serde::Serialize;

use super::super::latency::Latency;
use super::processes::STAGES;
use super::sample::Sample;

/// What was seen of a memory.
pub struct Observed {
    /// Before and after episodes came one by one.
    pub alone: [Sample; 2],
    /// How long each of these took.
    pub latency: Latency,
    /// Before and after many came.
    pub many: [Sample; 2],
    /// How many these were.
    pub episodes: usize,
    /// Until all of them were accepted.
    pub accepted: Duration,
    /// Until all of them were applied.
    pub applied: Duration,
    /// Until the last stage had written its last of them.
    pub through: Duration,
}

/// The figures of all runs.
#[derive(Debug, Serialize)]
pub struct Report {
    pub episodes: usize,
    pub groups: usize,
    pub partitions: u32,
    pub processors: usize,
    pub embedded: Measured,
    pub kafka: Vec<OnKafka>,
}

/// The figures over Kafka.
#[derive(Debug, Serialize)]
pub struct OnKafka {
    /// Of each stage.
    pub instances: usize,
    #[serde(flatten)]
    pub measured: Measured,
    pub ratios: Ratios,
}

/// What Kafka's figures are of those of the embedded log.
#[derive(Debug, Serialize)]
pub struct Ratios {
    pub episodes_per_second: f64,
    pub events_per_second: f64,
    pub p50: f64,
    pub p99: f64,
}

/// The figures of one memory.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// Until all were accepted; what comes after goes on at the same time.
    pub accepted_per_second: f64,
    /// Until all were applied.
    pub episodes_per_second: f64,
    /// The events of all topics, until the last stage had written its last.
    pub events_per_second: f64,
    /// Those of the stages.
    pub transactions_per_second: f64,
    /// From the request with one episode to the answer that it is applied.
    pub latency: Latency,
    pub stages: Vec<StageFigures>,
    /// By role.
    pub processor_seconds: BTreeMap<String, f64>,
    /// How many processors were busy with it all, on average.
    pub busy_processors: f64,
}

/// The figures of one stage, over all its instances.
#[derive(Debug, Serialize)]
pub struct StageFigures {
    pub stage: &'static str,
    pub commits_per_second: f64,
    pub inputs_per_commit: f64,
    /// How long a transaction takes on Kafka.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_ms: Option<f64>,
    /// The same while episodes come one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_ms_alone: Option<f64>,
    /// The share of the time that is spent in transactions, added up over the instances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_share: Option<f64>,
}

/// The sum and the count of a histogram of a stage between two samples.
fn between(samples: &[Sample; 2], name: &str, stage: &str) -> (f64, f64) {
    let [before, after] = samples;
    let of = |part: &str| {
        let name = format!("{name}_{part}");
        after.of_stage(&name, stage) - before.of_stage(&name, stage)
    };
    (of("sum"), of("count"))
}

impl StageFigures {
    fn new(stage: &'static str, observed: &Observed) -> Self {
        let seconds = observed.through.as_secs_f64();
        let (inputs, commits) = between(&observed.many, metric::BATCH_INPUTS, stage);
        let (in_commits, transactions) = between(&observed.many, metric::COMMIT_SECONDS, stage);
        let (alone, count_alone) = between(&observed.alone, metric::COMMIT_SECONDS, stage);
        Self {
            stage,
            commits_per_second: commits / seconds,
            inputs_per_commit: inputs / commits.max(1.0),
            commit_ms: (transactions > 0.0).then(|| in_commits * 1_000.0 / transactions),
            commit_ms_alone: (count_alone > 0.0).then(|| alone * 1_000.0 / count_alone),
            commit_share: (transactions > 0.0).then(|| in_commits / seconds),
        }
    }
}

impl Measured {
    /// What follows from what was seen.
    pub fn new(observed: Observed) -> Self {
        let [before, after] = &observed.many;
        let (episodes, seconds) = (observed.episodes as f64, observed.through.as_secs_f64());
        let all = |name| after.of_all(name) - before.of_all(name);
        let processor_seconds = after.processor_seconds_since(before);
        Self {
            accepted_per_second: episodes / observed.accepted.as_secs_f64(),
            episodes_per_second: episodes / observed.applied.as_secs_f64(),
            events_per_second: (episodes + all(metric::OUTPUTS)) / seconds,
            transactions_per_second: all(metric::TRANSACTIONS) / seconds,
            stages: STAGES
                .map(|stage| StageFigures::new(stage, &observed))
                .into(),
            busy_processors: processor_seconds.values().sum::<f64>() / seconds,
            processor_seconds,
            latency: observed.latency,
        }
    }
}

impl OnKafka {
    /// The figures beside those of the embedded log.
    pub fn new(instances: usize, measured: Measured, embedded: &Measured) -> Self {
        let (own, other) = (&measured.latency, &embedded.latency);
        let ratios = Ratios {
            episodes_per_second: measured.episodes_per_second / embedded.episodes_per_second,
            events_per_second: measured.events_per_second / embedded.events_per_second,
            p50: own.p50_ms / other.p50_ms,
            p99: own.p99_ms / other.p99_ms,
        };
        Self {
            instances,
            measured,
            ratios,
        }
    }
}
