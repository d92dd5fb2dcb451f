//! The processes of a memory: all in one on the embedded log, or each role over Kafka.

use std::time::Duration;

use futures::future::{join_all, try_join_all};

use super::child::{Child, Launch};
use super::sample::Sample;

/// The stages, in the order of the flow.
pub const STAGES: [&str; 4] = [
    "extractor",
    "resolver",
    "temporal-invalidator",
    "community-updater",
];

/// How often it is looked whether all still run.
const LOOK: Duration = Duration::from_millis(200);

/// Processes that are ready.
pub struct Processes {
    children: Vec<Child>,
    /// Where clients talk to them.
    pub address: String,
    broker: Option<u32>,
    http: reqwest::Client,
}

impl Processes {
    /// A memory in one process.
    pub async fn embedded(launch: &Launch) -> anyhow::Result<Self> {
        let node = launch.start("up", &["up"]).await?;
        let address = node.address.clone();
        Self::ready(vec![node], address, None).await
    }

    /// A memory over Kafka, with so many instances of each stage. The environment names the namespace;
    /// the broker's process is given where it is on this machine.
    pub async fn roles(
        launch: &Launch,
        instances: usize,
        broker: Option<u32>,
    ) -> anyhow::Result<Self> {
        let query = role(launch, "query", 1).await?;
        let for_gateway = launch.with("MNEME_QUERY_URL", query.address.clone());
        let stages = (1..=instances).flat_map(|number| STAGES.map(|stage| (stage, number)));
        let stages = try_join_all(stages.map(|(stage, number)| role(launch, stage, number)));
        let (gateway, mut children) = futures::try_join!(role(&for_gateway, "gateway", 1), stages)?;
        let address = gateway.address.clone();
        children.extend([query, gateway]);
        Self::ready(children, address, broker).await
    }

    async fn ready(
        children: Vec<Child>,
        address: String,
        broker: Option<u32>,
    ) -> anyhow::Result<Self> {
        let http = reqwest::Client::new();
        try_join_all(children.iter().map(|child| child.ready(&http))).await?;
        Ok(Self {
            children,
            address,
            broker,
            http,
        })
    }

    /// Returns when one has ended by itself, with the reason.
    pub async fn failed(&self) -> anyhow::Error {
        loop {
            if let Err(error) = self.children.iter().try_for_each(Child::check) {
                return error;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// What all tell of themselves now.
    pub async fn sample(&self) -> anyhow::Result<Sample> {
        let texts = self.children.iter().map(async |child| {
            let answer = self.http.get(format!("{}/metrics", child.address));
            answer.send().await?.text().await
        });
        let texts = try_join_all(texts).await?;
        let processes = self.children.iter().map(|child| {
            // Instances of a role count as one.
            let role = child
                .name
                .trim_end_matches(|last: char| !last.is_alphabetic());
            (role, child.id)
        });
        let broker = self.broker.map(|id| ("the broker", id));
        let others = [("this load", std::process::id())]
            .into_iter()
            .chain(broker);
        Sample::new(&texts, processes.chain(others))
    }

    /// Kills all, and returns when they are gone.
    pub async fn kill(self) -> anyhow::Result<()> {
        let killed = join_all(self.children.into_iter().map(Child::kill)).await;
        killed.into_iter().collect()
    }
}

async fn role(launch: &Launch, role: &str, number: usize) -> anyhow::Result<Child> {
    let name = format!("{role}-{number}");
    let launch = launch.with("MNEME_KAFKA__INSTANCE", name.clone());
    launch.start(&name, &["run", role]).await
}
