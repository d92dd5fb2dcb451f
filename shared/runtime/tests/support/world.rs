//! The probe on a log, with a model and a state, to be stopped and started.

use std::sync::Arc;
use std::time::Duration;

use mneme_events::{Event, Topic};
use mneme_log::{EventLog, MemoryLog};
use mneme_runtime::{RunError, RunnerConfig, StageRunner};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{
    Kept, Loss, Model, Probe, episode_erased, events, group_erased, header, on_episodes, received,
    release,
};

pub struct World {
    pub log: MemoryLog,
    pub model: Arc<Model>,
    pub probe: Arc<Probe>,
    pub state: Kept,
    pub config: RunnerConfig,
    running: Option<(CancellationToken, JoinHandle<Result<(), RunError>>)>,
    inputs: usize,
}

impl World {
    pub fn new() -> Self {
        Self::on(MemoryLog::new(2))
    }

    pub fn on(log: MemoryLog) -> Self {
        Self {
            log,
            model: Arc::default(),
            probe: Arc::default(),
            state: Kept::default(),
            config: RunnerConfig::default(),
            running: None,
            inputs: 0,
        }
    }

    /// A runner that was started.
    pub fn started() -> Self {
        let mut world = Self::new();
        world.start();
        world
    }

    pub fn start(&mut self) {
        self.log = self.log.reopen();
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(self.runner().run(shutdown.clone()));
        self.running = Some((shutdown, task));
    }

    pub fn runner(&self) -> StageRunner<Kept> {
        StageRunner::new(
            self.probe.clone(),
            Arc::new(self.log.clone()),
            self.state.clone(),
            self.model.clone(),
            self.config,
        )
    }

    pub async fn stop(&mut self) {
        let (shutdown, task) = self.running.take().unwrap();
        shutdown.cancel();
        task.await.unwrap().unwrap();
    }

    pub async fn restart(&mut self, loss: Loss) {
        self.stop().await;
        self.state.lose(loss);
        self.start();
    }

    /// What the runner ended with.
    pub async fn ended(&mut self) -> Result<(), RunError> {
        self.running.take().unwrap().1.await.unwrap()
    }

    /// Sends an episode whose name is its body.
    pub async fn say(&mut self, of: &str, body: &str) {
        self.inputs += 1;
        let event = received(header(of, self.inputs), body, body, Vec::new());
        self.send(event).await;
    }

    /// Sends episodes in one append, so that they are in one batch; `erase` is the erasure of the
    /// group, `erase <body>` that of an episode.
    pub async fn say_all(&mut self, episodes: &[(&str, &str)]) {
        let mut records = Vec::new();
        for (of, body) in episodes {
            self.inputs += 1;
            let header = header(of, self.inputs);
            let event = match (*body, body.strip_prefix("erase ")) {
                (_, Some(name)) => episode_erased(header, name),
                ("erase", None) => group_erased(header),
                (body, None) => received(header, body, body, Vec::new()),
            };
            records.push(on_episodes(event));
        }
        self.log.append(records).await.unwrap();
    }

    pub async fn erase(&mut self, of: &str) {
        self.say_all(&[(of, "erase")]).await;
    }

    async fn send(&mut self, event: Event) {
        self.log.append(vec![on_episodes(event)]).await.unwrap();
    }

    pub async fn ask_release(&mut self, of: &str) {
        self.inputs += 1;
        let request = release(header(of, self.inputs), "probe");
        self.log.append(vec![request]).await.unwrap();
    }

    /// Lets time pass.
    pub async fn pass(&self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }

    /// What came out of a group: `<body> <notes>`, `<body> failed`, `erased` or `<body> erased`.
    pub async fn said(&self, of: &str) -> Vec<String> {
        let mut said = Vec::new();
        let outputs = events(&self.log, Topic::Extractions).await;
        let of_group = outputs
            .iter()
            .filter(|event| event.group_id().as_str() == of);
        for (number, event) in of_group.enumerate() {
            assert_eq!(
                event.header().seq,
                number as i64 + 1,
                "no gap and no repeat"
            );
            said.push(match event {
                Event::EpisodeExtracted(extracted) => {
                    format!("{}: {}", extracted.episode.body, extracted.notes.join(" "))
                }
                Event::ExtractionFailed(failed) => format!("{} failed", failed.episode.body),
                Event::GroupErased(_) => "erased".to_owned(),
                Event::EpisodeErased(erased) => format!("{} erased", erased.episode_id),
                other => panic!("{}", other.kind().name()),
            });
        }
        said
    }

    /// How many records of a group are parked now, by the log.
    pub async fn parked(&self, of: &str) -> usize {
        self.reasons(of).await.len()
    }

    /// Why the records of a group are parked now, by the log.
    pub async fn reasons(&self, of: &str) -> Vec<String> {
        let held = self.held(of).await.into_iter();
        held.map(|(_, reason)| reason).collect()
    }

    /// Whether each parked record of a group waits, and why, by the log.
    pub async fn held(&self, of: &str) -> Vec<(bool, String)> {
        let mut parked = std::collections::BTreeMap::new();
        for event in events(&self.log, Topic::Parked).await {
            match event {
                Event::RecordParked(record) if record.header.group_id.as_str() == of => {
                    parked.insert(record.source_offset, (record.waiting, record.reason));
                }
                Event::RecordReleased(record) if record.header.group_id.as_str() == of => {
                    parked.remove(&record.source_offset);
                }
                _ => {}
            }
        }
        parked.into_values().collect()
    }
}
