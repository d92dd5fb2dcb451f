//! The processes of a memory over Kafka: how each role is started.

use std::ffi::OsString;
use std::io;
use std::net::TcpListener;

use crate::instance::Instance;
use crate::kafka::{Kafka, Namespace};
use crate::process::Program;
use crate::server::{Launch, ServerError};

/// The stages, in the order of the flow.
pub const STAGES: [&str; 4] = [
    "extractor",
    "resolver",
    "temporal-invalidator",
    "community-updater",
];

/// A memory that is laid out and not started.
pub(crate) struct Roles<'l> {
    launch: &'l Launch,
    kafka: &'l Kafka,
    pub namespace: Namespace,
}

impl<'l> Roles<'l> {
    pub fn new(launch: &'l Launch, kafka: &'l Kafka) -> Self {
        Self {
            launch,
            kafka,
            namespace: kafka.namespace(),
        }
    }

    /// Makes the topics and registers the schemas.
    pub async fn prepare(&self) -> Result<(), ServerError> {
        for what in ["topics", "schemas"] {
            let arguments = vec![what.into(), "apply".into()];
            self.program(what, arguments).run().await?;
        }
        Ok(())
    }

    /// The processes: those behind, and the one that clients talk to.
    pub fn instances(&self) -> Result<(Vec<Instance>, Instance), ServerError> {
        let stages = (1..=self.kafka.instances)
            .flat_map(|number| STAGES.map(|stage| self.stage(stage, number)));
        let mut behind: Vec<Instance> = stages.collect();
        let port = free_port()?;
        let query = self.role("query", "query");
        behind.push(self.instance("query", query).at(port));
        let mut gateway = self.role("gateway", "gateway");
        let query = format!("http://127.0.0.1:{port}");
        if let Some(mappings) = &self.kafka.intake {
            let mut intake = self.role("intake", "intake");
            let mappings = mappings.to_string_lossy().into_owned();
            intake.environment.push(("MNEME_INTAKE", mappings.clone()));
            // It takes dead letters again by the same mappings.
            gateway.environment.push(("MNEME_INTAKE", mappings));
            intake.environment.push(("MNEME_QUERY_URL", query.clone()));
            behind.push(self.instance("intake", intake));
        }
        gateway.environment.push(("MNEME_QUERY_URL", query));
        Ok((behind, self.instance("gateway", gateway)))
    }

    fn stage(&self, stage: &str, number: usize) -> Instance {
        let name = format!("{stage}-{number}");
        let mut program = self.role(stage, &name);
        if stage == "extractor"
            && let Some(stub) = &self.launch.stub
        {
            let stub = stub.clone().into_os_string();
            program
                .arguments
                .extend(["--stub-extractions".into(), stub]);
        }
        self.instance(&name, program)
    }

    fn instance(&self, name: &str, program: Program) -> Instance {
        Instance::new(name, program, self.launch.data.join(name))
    }

    fn role(&self, role: &str, name: &str) -> Program {
        self.program(name, vec!["run".into(), role.into()])
    }

    fn program(&self, name: &str, arguments: Vec<OsString>) -> Program {
        let kafka = self.kafka;
        let session = kafka.session.as_millis().to_string();
        Program {
            binary: self.launch.binary.clone(),
            arguments,
            environment: self
                .launch
                .environment
                .iter()
                .cloned()
                .chain([
                    ("MNEME_KAFKA__BOOTSTRAP", kafka.bootstrap.clone()),
                    ("MNEME_KAFKA__REGISTRY", kafka.registry.clone()),
                    ("MNEME_KAFKA__NAMESPACE", self.namespace.name().to_owned()),
                    ("MNEME_KAFKA__INSTANCE", name.to_owned()),
                    ("MNEME_KAFKA__SESSION_TIMEOUT_MS", session.clone()),
                    ("MNEME_KAFKA__MAX_POLL_INTERVAL_MS", session),
                    ("MNEME_TOPICS__PARTITIONS", kafka.partitions.to_string()),
                    ("MNEME_TOPICS__REPLICATION", "1".to_owned()),
                ])
                .collect(),
            output: self.launch.output.join(name),
        }
    }
}

/// A port that nobody has, below those that the system gives to connections: one of these could take
/// the port while its owner restarts.
fn free_port() -> io::Result<u16> {
    use std::sync::atomic::{AtomicU16, Ordering};
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = (std::process::id() % 8_000) as u16;
    for _ in 0..8_000 {
        let port = 20_000 + (own + NEXT.fetch_add(1, Ordering::Relaxed)) % 8_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::Error::other("no port is free"))
}
