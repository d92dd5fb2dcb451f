//! The example programs that publish, as their users run them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use mneme_conformance::{Kafka, find_program};
use tokio::process::Command;

/// The two programs in one language.
pub struct Programs {
    pub name: &'static str,
    send_episode: Vec<OsString>,
    send_contacts: Vec<OsString>,
    environment: Vec<(&'static str, String)>,
}

impl Programs {
    /// Those in Rust, and those in Python where MNEME_PYTHON names an interpreter.
    pub fn all(kafka: &Kafka, namespace: &str) -> Vec<Self> {
        let environment = vec![
            ("MNEME_KAFKA__BOOTSTRAP", kafka.bootstrap.clone()),
            ("MNEME_KAFKA__REGISTRY", kafka.registry.clone()),
            ("MNEME_KAFKA__NAMESPACE", namespace.to_owned()),
        ];
        let rust = |name: &str| {
            let program = find_program(name).unwrap_or_else(|error| panic!("{error}"));
            vec![program.into()]
        };
        let mut all = vec![Self {
            name: "rust",
            send_episode: rust("send-episode"),
            send_contacts: rust("send-contacts"),
            environment: environment.clone(),
        }];
        let python = std::env::var_os("MNEME_PYTHON").filter(|path| !path.is_empty());
        let Some(python) = python else {
            eprintln!("the producers in Python are skipped: MNEME_PYTHON names no interpreter");
            return all;
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/producers/python");
        let script = |name: &str| vec![python.clone(), PathBuf::from(&folder).join(name).into()];
        all.push(Self {
            name: "python",
            send_episode: script("send_episode.py"),
            send_contacts: script("send_contacts.py"),
            environment,
        });
        all
    }

    /// Publishes an episode.
    pub async fn send_episode(&self, arguments: &[&str]) {
        self.run(&self.send_episode, arguments).await;
    }

    /// Publishes the contacts of the example as those of a tenant.
    pub async fn send_contacts(&self, topic: &str, tenant: &str) {
        let arguments = ["--topic", topic, "--make-topic", "3", "--tenant", tenant];
        self.run(&self.send_contacts, &arguments).await;
    }

    async fn run(&self, program: &[OsString], arguments: &[&str]) {
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).args(arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let ended = command.output().await.unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{}: {told}", self.name);
    }
}
