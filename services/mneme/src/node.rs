//! A whole memory in one process: the log, the stages, the projections and the services over them.
//! Building binds no port and starts nothing; [`Node::start`] gives a handle that stops it all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use mneme_community_updater::CommunityUpdater;
use mneme_extractor::{Extractor, ExtractorConfig, ModelReader};
use mneme_gateway::intake::Mappings;
use mneme_gateway::{Gateway, GatewayConfig};
use mneme_inference::{Embedder, StaticEmbedder};
use mneme_log::{EmbeddedLog, EmbeddedLogConfig, EventLog};
use mneme_model::{Clock, SystemClock};
use mneme_projector::{Generations, Progress, Projections};
use mneme_query::{QueryService, QueryStores};
use mneme_resolver::Resolver;
use mneme_runtime::{Answerer, NoModel, RunnerConfig, StageRunner};
use mneme_stage::Stage;
use mneme_state::StateStore;
use mneme_stores::Projection;
use mneme_stores::embedded::{EmbeddedStores, StoresMemory};
use mneme_temporal_invalidator::TemporalInvalidator;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::configuration::Configuration;
use crate::stub::StubModel;

/// What the stores keep in memory of groups that are read.
const STORES_MEMORY: StoresMemory = StoresMemory {
    graph: 96 << 20,
    text: 192 << 20,
    vectors: 192 << 20,
};

/// A memory that is built but does not run.
pub struct Node {
    pub gateway: Gateway,
    pub query: QueryService,
    pub projections: Arc<Projections>,
    pub log: Arc<EmbeddedLog>,
    pub data: PathBuf,
    pub progress: Arc<Progress>,
    stages: Vec<Arc<dyn Stage>>,
    state: StateStore,
    answerer: Arc<dyn Answerer>,
}

/// A memory that runs.
pub struct Running {
    tasks: JoinSet<anyhow::Result<()>>,
    shutdown: CancellationToken,
}

impl Node {
    /// Opens what is in the folder, or makes it. Refused while another process has it.
    pub async fn open(configuration: &Configuration, stub: Option<&Path>) -> anyhow::Result<Self> {
        let data = &configuration.data;
        std::fs::create_dir_all(data)
            .with_context(|| format!("the data folder {} can't be made", data.display()))?;
        let log = Arc::new(EmbeddedLog::open(EmbeddedLogConfig {
            fsync: configuration.fsync,
            ..EmbeddedLogConfig::new(data.join("log"))
        })?);
        let state = StateStore::open(data.join("state"))?;
        let embedder: Arc<dyn Embedder> = Arc::new(StaticEmbedder::shipped()?);
        let EmbeddedStores {
            graph,
            text,
            vectors,
        } = EmbeddedStores::open(&data.join("stores"), Arc::clone(&embedder), STORES_MEMORY)?;
        let projected: Vec<Arc<dyn Projection>> =
            vec![graph.clone(), text.clone(), vectors.clone()];
        let generations = Generations::open(data)?;
        let port: Arc<dyn EventLog> = Arc::clone(&log) as Arc<dyn EventLog>;
        let projections = Arc::new(Projections::new(Arc::clone(&port), projected, generations));
        let progress = Arc::new(Progress::new(Arc::clone(&port), Arc::clone(&projections)));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());

        let query_stores = QueryStores {
            graph: graph.clone(),
            text,
            vectors,
            embedder,
            generation: projections.active(),
        };
        let gateway = Gateway::with_mappings(
            GatewayConfig::default(),
            Arc::clone(&port),
            graph,
            projections.active(),
            progress.clone(),
            Arc::clone(&clock),
            mappings(configuration.intake.as_deref())?,
        );
        let model = stub.map(|_| ModelReader::new("stub", "1"));
        let extractor = ExtractorConfig {
            model,
            ..ExtractorConfig::default()
        };
        let answerer: Arc<dyn Answerer> = match stub {
            Some(file) => Arc::new(StubModel::load(file)?),
            None => Arc::new(NoModel),
        };
        Ok(Self {
            gateway,
            query: QueryService::new(query_stores, configuration.query, clock),
            projections,
            log,
            data: data.clone(),
            progress,
            stages: vec![
                Arc::new(Extractor::new(extractor)),
                Arc::new(Resolver),
                Arc::new(TemporalInvalidator),
                Arc::new(CommunityUpdater),
            ],
            state,
            answerer,
        })
    }

    /// Starts the stages and projections.
    pub fn start(&self) -> anyhow::Result<Running> {
        let shutdown = CancellationToken::new();
        let mut tasks = JoinSet::new();
        for stage in &self.stages {
            let runner = StageRunner::new(
                Arc::clone(stage),
                Arc::clone(&self.log) as Arc<dyn EventLog>,
                self.state.stage(stage.name())?,
                Arc::clone(&self.answerer),
                RunnerConfig::default(),
            );
            let (name, token) = (stage.name(), shutdown.clone());
            tasks.spawn(async move {
                runner
                    .run(token)
                    .await
                    .with_context(|| format!("the {name} ended"))
            });
        }
        let (projections, token) = (Arc::clone(&self.projections), shutdown.clone());
        tasks.spawn(async move { projections.run(token).await.context("the projectors ended") });
        let (progress, token) = (Arc::clone(&self.progress), shutdown.clone());
        tasks.spawn(async move { progress.run(token).await.context("the progress ended") });
        Ok(Running { tasks, shutdown })
    }
}

fn mappings(file: Option<&Path>) -> anyhow::Result<Mappings> {
    let Some(file) = file else {
        return Ok(Mappings::default());
    };
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the intake file {} can't be read", file.display()))?;
    Mappings::parse(&text).with_context(|| format!("the intake file {}", file.display()))
}

impl Running {
    /// Returns when a part has ended by itself, with the reason.
    pub async fn failed(&mut self) -> anyhow::Error {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(Err(error))) => return error,
                Some(Err(panicked)) => return anyhow::anyhow!("a part panicked: {panicked}"),
                Some(Ok(Ok(()))) => {}
                None => return anyhow::anyhow!("all parts ended"),
            }
        }
    }

    /// Stops all parts; each ends after the commit under way.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.context("a part panicked")??;
        }
        Ok(())
    }
}
