//! A whole memory in one process: the log, the stages, the projections and the services over them.
//! Building binds no port and starts nothing; [`Node::start`] gives a handle that stops it all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mneme_gateway::Gateway;
use mneme_log::{EmbeddedLog, EmbeddedLogConfig, EventLog};
use mneme_state::StateStore;

use crate::configuration::Configuration;
use crate::parts::{Reading, Stages, gateway};
use crate::running::Running;

/// A memory that is built but does not run.
pub struct Node {
    pub gateway: Gateway,
    pub reading: Reading,
    pub log: Arc<dyn EventLog>,
    pub data: PathBuf,
    stages: Stages,
    state: StateStore,
}

impl Node {
    /// Opens what is in the folder, or makes it. Refused while another process has it.
    pub async fn open(configuration: &Configuration, stub: Option<&Path>) -> anyhow::Result<Self> {
        configuration.make_data_folder()?;
        let data = &configuration.data;
        let log: Arc<dyn EventLog> = Arc::new(EmbeddedLog::open(EmbeddedLogConfig {
            fsync: configuration.fsync,
            ..EmbeddedLogConfig::new(data.join("log"))
        })?);
        let state = StateStore::open(data.join("state"))?;
        let reading = Reading::open(configuration, &log)?;
        let (records, applied) = (reading.records(), Arc::clone(&reading.progress));
        Ok(Self {
            gateway: gateway(configuration, &log, records, applied)?,
            reading,
            log,
            data: data.clone(),
            stages: Stages::new(stub)?,
            state,
        })
    }

    /// Starts the stages and projections.
    pub fn start(&self) -> anyhow::Result<Running> {
        let mut running = Running::default();
        let all = |_: &str| true;
        self.stages
            .start(&self.log, &self.state, &mut running, all)?;
        self.reading.start(&mut running);
        Ok(running)
    }
}
