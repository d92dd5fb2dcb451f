//! The parts that processes are put together of, the same on the embedded log and on Kafka.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use mneme_community_updater::CommunityUpdater;
use mneme_extractor::{Extractor, ExtractorConfig, ModelReader};
use mneme_gateway::intake::Mappings;
use mneme_gateway::{Gateway, GatewayConfig, ProjectedRecords, Records};
use mneme_inference::{Embedder, StaticEmbedder};
use mneme_log::EventLog;
use mneme_model::SystemClock;
use mneme_projector::{Generations, Progress, Projections};
use mneme_query::{QueryService, QueryStores};
use mneme_resolver::Resolver;
use mneme_runtime::{Answerer, NoModel, RunnerConfig, StageRunner};
use mneme_stage::Stage;
use mneme_state::StateStore;
use mneme_stores::embedded::{EmbeddedStores, StoresMemory};
use mneme_stores::{GraphStore, Projection};
use mneme_temporal_invalidator::TemporalInvalidator;

use crate::configuration::Configuration;
use crate::running::Running;
use crate::stub::StubModel;

/// What the stores keep in memory of groups that are read.
const STORES_MEMORY: StoresMemory = StoresMemory {
    graph: 96 << 20,
    text: 192 << 20,
    vectors: 192 << 20,
};

/// The stores, what fills them and what reads them. They have one owner.
pub struct Reading {
    graph: Arc<dyn GraphStore>,
    pub query: QueryService,
    pub projections: Arc<Projections>,
    pub progress: Arc<Progress>,
}

impl Reading {
    /// Opens the stores in the data folder.
    pub fn open(configuration: &Configuration, log: &Arc<dyn EventLog>) -> anyhow::Result<Self> {
        let data = &configuration.data;
        let embedder: Arc<dyn Embedder> = Arc::new(StaticEmbedder::shipped()?);
        let EmbeddedStores {
            graph,
            text,
            vectors,
        } = EmbeddedStores::open(&data.join("stores"), Arc::clone(&embedder), STORES_MEMORY)?;
        let projected: Vec<Arc<dyn Projection>> =
            vec![graph.clone(), text.clone(), vectors.clone()];
        let generations = Generations::open(data)?;
        let projections = Projections::new(Arc::clone(log), projected, generations);
        let projections = Arc::new(projections);
        let progress = Progress::new(Arc::clone(log), Arc::clone(&projections));
        let stores = QueryStores {
            graph: graph.clone(),
            text,
            vectors,
            embedder,
            generation: projections.active(),
        };
        let clock = Arc::new(SystemClock::default());
        Ok(Self {
            graph,
            query: QueryService::new(stores, configuration.query, clock),
            projections,
            progress: Arc::new(progress),
        })
    }

    /// What the gateway looks up.
    pub fn records(&self) -> Arc<dyn Records> {
        let active = self.projections.active();
        Arc::new(ProjectedRecords::new(Arc::clone(&self.graph), active))
    }

    /// Starts filling the stores.
    pub fn start(&self, running: &mut Running) {
        running.start("projectors", |stop| Arc::clone(&self.projections).run(stop));
        running.start("progress", |stop| Arc::clone(&self.progress).run(stop));
    }
}

/// A gateway that looks up what was projected in `records`, and hears from `applied` what is.
pub fn gateway(
    configuration: &Configuration,
    log: &Arc<dyn EventLog>,
    records: Arc<dyn Records>,
    applied: Arc<dyn mneme_api::Applied>,
) -> anyhow::Result<Gateway> {
    Ok(Gateway::new(
        GatewayConfig::default(),
        Arc::clone(log),
        records,
        applied,
        Arc::new(SystemClock::default()),
        mappings(configuration.intake.as_deref())?,
    ))
}

/// The mappings of a file; none where none is named.
pub fn mappings(file: Option<&Path>) -> anyhow::Result<Mappings> {
    let Some(file) = file else {
        return Ok(Mappings::default());
    };
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the intake file {} can't be read", file.display()))?;
    Mappings::parse(&text).with_context(|| format!("the intake file {}", file.display()))
}

/// The stages, and what answers their questions.
pub struct Stages {
    stages: Vec<Arc<dyn Stage>>,
    answerer: Arc<dyn Answerer>,
}

impl Stages {
    /// All stages. A stub stands in for a model that extracts.
    pub fn new(stub: Option<&Path>) -> anyhow::Result<Self> {
        let extractor = ExtractorConfig {
            model: stub.map(|_| ModelReader::new("stub", "1")),
            ..ExtractorConfig::default()
        };
        Ok(Self {
            stages: vec![
                Arc::new(Extractor::new(extractor)),
                Arc::new(Resolver),
                Arc::new(TemporalInvalidator),
                Arc::new(CommunityUpdater),
            ],
            answerer: match stub {
                Some(file) => Arc::new(StubModel::load(file)?),
                None => Arc::new(NoModel),
            },
        })
    }

    /// Starts those stages that are `wanted`, by name.
    pub fn start(
        &self,
        log: &Arc<dyn EventLog>,
        state: &StateStore,
        running: &mut Running,
        wanted: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        for stage in self.stages.iter().filter(|stage| wanted(stage.name())) {
            let runner = StageRunner::new(
                Arc::clone(stage),
                Arc::clone(log),
                state.stage(stage.name())?,
                Arc::clone(&self.answerer),
                RunnerConfig::default(),
            );
            running.start(stage.name(), |stop| runner.run(stop));
        }
        Ok(())
    }
}
