//! `mneme run ROLE`: one role of a memory over Kafka in a process of its own. Each listens for health
//! and metrics; the gateway and the owner of the stores listen for what they are there for.

mod gateway;
mod intake;
mod probes;
mod query;
mod stage;

use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use mneme_log::EventLog;
use mneme_log_kafka::{KafkaConfig, KafkaLog};

use crate::configuration::Configuration;
use crate::output;
use crate::remote::Owner;
use crate::server::{Server, listen_on};

/// What a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Takes what is written, and passes reads on to the query role.
    Gateway,
    /// Takes what other systems publish on topics of their own, by the mappings of the file `intake`.
    Intake,
    /// Reads episodes.
    Extractor,
    /// Finds out who is meant.
    Resolver,
    /// Places facts in time.
    TemporalInvalidator,
    /// Summarises.
    CommunityUpdater,
    /// Fills the stores and answers questions from them; they have one owner, so there is one of it.
    Query,
}

impl Role {
    /// The name of the service in traces.
    pub fn service(self) -> String {
        let name = self.to_possible_value();
        format!(
            "mneme-{}",
            name.as_ref().map_or("role", PossibleValue::get_name)
        )
    }

    /// The name under which it appends. Roles that do so beside each other have different ones.
    fn writer(self) -> &'static str {
        match self {
            Self::Intake => "intake",
            Self::Query => "query",
            _ => "gateway",
        }
    }
}

/// What every role is built on.
struct Base {
    configuration: Configuration,
    kafka: KafkaLog,
    log: Arc<dyn EventLog>,
}

impl Base {
    /// The process that owns the stores, as another one asks it; with the client and its address.
    fn owner(&self) -> anyhow::Result<(Arc<Owner>, reqwest::Client, String)> {
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(2))
            .build()?;
        let query = &self.configuration.query_url;
        let query = query.trim_end_matches('/').to_owned();
        let owner = Owner::new(http.clone(), query.clone());
        Ok((Arc::new(owner), http, query))
    }
}

/// Runs a role until SIGTERM or Ctrl-C.
pub async fn run(
    role: Role,
    configuration: Configuration,
    stub: Option<std::path::PathBuf>,
) -> anyhow::Result<()> {
    let stop = crate::commands::told_to_stop()?;
    let metrics = mneme_telemetry::start_metrics()?;
    let listener = listen_on(configuration.listen).await?;
    let kafka = KafkaLog::connect_as(role.writer(), kafka(&configuration)?.clone()).await?;
    let base = Base {
        log: Arc::new(kafka.clone()),
        kafka,
        configuration,
    };
    let (router, running) = match role {
        Role::Gateway => gateway::build(&base, metrics)?,
        Role::Intake => intake::build(&base, metrics)?,
        Role::Query => query::build(&base, metrics)?,
        Role::Extractor => stage::build(&base, "extractor", stub.as_deref(), metrics)?,
        Role::Resolver => stage::build(&base, "resolver", None, metrics)?,
        Role::TemporalInvalidator => stage::build(&base, "temporal-invalidator", None, metrics)?,
        Role::CommunityUpdater => stage::build(&base, "community-updater", None, metrics)?,
    };
    let server = Server::new(listener, router, running);
    output::line(format!("listening on http://{}", server.address()?));
    server.serve(stop).await?;
    tracing::info!("stopped");
    Ok(())
}

/// The settings of Kafka, which must be there.
pub fn kafka(configuration: &Configuration) -> anyhow::Result<&KafkaConfig> {
    configuration.kafka.as_ref().ok_or_else(|| {
        anyhow::anyhow!(
            "this needs Kafka: set kafka.bootstrap and kafka.registry in the settings file, or \
             MNEME_KAFKA__BOOTSTRAP and MNEME_KAFKA__REGISTRY"
        )
    })
}
