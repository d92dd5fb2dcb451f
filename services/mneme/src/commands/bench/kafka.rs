//! `mneme bench --kafka`: the same load through a memory on the embedded log and through roles as
//! processes over Kafka, with one and with two instances of each stage, in one run.
//!
//! Every memory is new. All processes are gone and all that was made on Kafka is removed at the end,
//! also where something fails or it is told to stop.

mod broker;
mod child;
mod measure;
mod namespace;
mod print;
mod processes;
mod report;
mod sample;

use std::path::PathBuf;

use anyhow::bail;
use mneme_log_kafka::{KafkaConfig, TopicsConfig};
use tokio_util::sync::CancellationToken;

use crate::configuration::Configuration;
use crate::{output, roles};
use child::Launch;
use measure::{Size, measure};
use namespace::Namespace;
use processes::Processes;
use report::{Measured, OnKafka, Report};

const FULL: Size = Size {
    episodes: 20_000,
    groups: 60,
    singles: 200,
};
const QUICK: Size = Size {
    episodes: 400,
    groups: 12,
    singles: 10,
};

/// How many instances of each stage run over Kafka, one after the other.
const INSTANCES: [usize; 2] = [1, 2];

struct Bench<'b> {
    kafka: &'b KafkaConfig,
    topics: TopicsConfig,
    size: Size,
    config: Option<PathBuf>,
    folder: PathBuf,
    stop: CancellationToken,
}

/// Runs the bench and prints the figures. `config` is the settings file, for the processes.
pub async fn run(
    configuration: &Configuration,
    config: Option<PathBuf>,
    partitions: u32,
    quick: bool,
    json: bool,
) -> anyhow::Result<()> {
    let temporary = tempfile::tempdir()?;
    let stop = CancellationToken::new();
    let (stopping, told) = (stop.clone(), crate::commands::told_to_stop()?);
    tokio::spawn(async move {
        told.await;
        stopping.cancel();
    });
    let bench = Bench {
        kafka: roles::kafka(configuration)?,
        topics: TopicsConfig {
            partitions,
            ..configuration.topics.clone()
        },
        size: if quick { QUICK } else { FULL },
        config,
        folder: temporary.path().to_owned(),
        stop,
    };
    output::note("on the embedded log …");
    let embedded = bench.embedded().await?;
    let mut kafka = Vec::new();
    for instances in INSTANCES {
        output::note(format!("over Kafka, {instances} of each stage …"));
        let measured = bench.on_kafka(instances).await?;
        kafka.push(OnKafka::new(instances, measured, &embedded));
    }
    let report = Report {
        episodes: bench.size.episodes,
        groups: bench.size.groups,
        partitions,
        processors: std::thread::available_parallelism()?.get(),
        embedded,
        kafka,
    };
    if json {
        return output::json(&report);
    }
    print::print(&report);
    Ok(())
}

impl Bench<'_> {
    async fn embedded(&self) -> anyhow::Result<Measured> {
        let launch = self.launch("embedded")?;
        self.unless_stopped(async {
            let processes = Processes::embedded(&launch).await?;
            self.measure(processes).await
        })
        .await
    }

    async fn on_kafka(&self, instances: usize) -> anyhow::Result<Measured> {
        let namespace = Namespace::new(self.kafka);
        let launch = self.launch(&format!("kafka-{instances}"))?;
        let launch = launch.with("MNEME_KAFKA__NAMESPACE", namespace.name());
        let measured = self.unless_stopped(async {
            namespace.prepare(&self.topics).await?;
            let broker = broker::local_broker(&self.kafka.bootstrap);
            let processes = Processes::roles(&launch, instances, broker).await?;
            self.measure(processes).await
        });
        let measured = measured.await;
        let removed = namespace.remove().await;
        if let (Err(_), Err(left_over)) = (&measured, &removed) {
            output::error(left_over);
        }
        let measured = measured?;
        removed?;
        Ok(measured)
    }

    async fn measure(&self, processes: Processes) -> anyhow::Result<Measured> {
        let measured = tokio::select! {
            measured = measure(&processes, &self.size) => measured?,
            failed = processes.failed() => return Err(failed),
        };
        processes.kill().await?;
        Ok(measured)
    }

    /// What is dropped here kills its processes.
    async fn unless_stopped(
        &self,
        measured: impl Future<Output = anyhow::Result<Measured>>,
    ) -> anyhow::Result<Measured> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => bail!("told to stop"),
            measured = measured => measured,
        }
    }

    /// How processes are started in a folder of their own.
    fn launch(&self, name: &str) -> anyhow::Result<Launch> {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(Launch {
            folder,
            config: self.config.clone(),
            environment: Vec::new(),
        })
    }
}
