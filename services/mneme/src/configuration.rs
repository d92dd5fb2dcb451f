//! The settings of a server: defaults, then a file, then the environment (`MNEME_…`), then the
//! command line. Unknown settings are refused.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use mneme_log_kafka::{KafkaConfig, TopicsConfig};
use mneme_query::QuerySettings;
use mneme_telemetry::{Exporter, TelemetryError, TracesConfig};
use serde::{Deserialize, Serialize};

/// The settings of a server.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Configuration {
    /// The folder that holds everything.
    pub data: PathBuf,
    /// Where HTTP is served.
    pub listen: SocketAddr,
    /// Whether an episode is acknowledged only when it is fsynced.
    pub fsync: bool,
    /// The filter of the logs, such as `info` or `warn,mneme_runtime=debug`.
    pub log: String,
    /// Whether logs are JSON.
    pub log_json: bool,
    /// A file of intake mappings.
    pub intake: Option<PathBuf>,
    /// How questions are answered.
    pub query: QuerySettings,
    /// Where the gateway reaches the query role, when they are processes of their own.
    pub query_url: String,
    /// Kafka and the schema registry, for roles that are processes of their own.
    #[serde(skip_serializing)]
    pub kafka: Option<KafkaConfig>,
    /// Where spans are exported to; nowhere by default.
    pub traces: TracesConfig,
    /// The topics, for `mneme topics apply`.
    #[serde(skip_serializing)]
    pub topics: TopicsConfig,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            data: PathBuf::from("mneme-data"),
            listen: SocketAddr::from(([127, 0, 0, 1], 7878)),
            fsync: true,
            // The storage engine tells much at info that is of no use to an operator.
            log: "info,fjall=warn,lsm_tree=warn,tantivy=warn".to_owned(),
            log_json: false,
            intake: None,
            query: QuerySettings::default(),
            query_url: "http://127.0.0.1:7879".to_owned(),
            kafka: None,
            traces: TracesConfig::default(),
            topics: TopicsConfig::default(),
        }
    }
}

impl Configuration {
    /// Makes the data folder where it is not there.
    pub fn make_data_folder(&self) -> anyhow::Result<()> {
        let data = &self.data;
        std::fs::create_dir_all(data)
            .with_context(|| format!("the data folder {} can't be made", data.display()))
    }

    /// Starts logs and traces; spans are exported as long as what is returned is kept.
    pub fn start_telemetry(&self, service: &str) -> Result<Option<Exporter>, TelemetryError> {
        mneme_telemetry::start(&self.log, self.log_json, &self.traces, service)
    }

    /// Reads the settings; `file` must exist where it is named.
    pub fn load(file: Option<&Path>) -> anyhow::Result<Self> {
        let mut settings = Figment::from(Serialized::defaults(Self::default()));
        if let Some(file) = file {
            anyhow::ensure!(
                file.exists(),
                "there is no settings file {}",
                file.display()
            );
            settings = settings.merge(Toml::file(file));
        }
        // Other variables that begin so are of commands (MNEME_URL) or of tests.
        let known = [
            "data",
            "listen",
            "fsync",
            "log",
            "log_json",
            "intake",
            "query",
            "query_url",
            "kafka",
            "topics",
            "traces",
        ];
        let is_known = move |key: &str| {
            let first = key.split("__").next().unwrap_or(key);
            known.iter().any(|known| first.eq_ignore_ascii_case(known))
        };
        let env = Env::prefixed("MNEME_")
            .filter(move |key| is_known(key.as_str()))
            .split("__");
        settings
            .merge(env)
            .extract()
            .context("the settings can't be read")
    }
}
