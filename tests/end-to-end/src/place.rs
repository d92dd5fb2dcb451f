//! A server on a data folder of its own, gone with all it held when the place is dropped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mneme_conformance::{Client, Kafka, Launch, Server, find_binary};
use serde_json::Value;
use tempfile::TempDir;

/// How a server is set up.
#[derive(Debug, Default)]
pub struct Setup {
    /// The servers for roles as processes over Kafka.
    pub kafka: Option<Kafka>,
    /// What a stub in place of a model answers.
    pub stub: Option<Value>,
    /// Settings, as variables of the environment.
    pub environment: Vec<(&'static str, String)>,
}

/// A folder and the server on it.
#[derive(Debug)]
pub struct Place {
    /// The server.
    pub server: Server,
    // After the server, so that the process is gone before its folder.
    folder: TempDir,
}

impl Place {
    /// Starts a server on an empty folder.
    pub async fn new() -> Self {
        Self::on(tempfile::tempdir().unwrap(), None).await
    }

    /// Starts one with its roles as processes over Kafka.
    pub async fn over(kafka: Kafka) -> Self {
        Self::on(tempfile::tempdir().unwrap(), Some(kafka)).await
    }

    /// Starts a server on the folder `data` of a folder, where something may be.
    pub async fn on(folder: TempDir, kafka: Option<Kafka>) -> Self {
        let setup = Setup {
            kafka,
            ..Setup::default()
        };
        Self::set_up(folder, setup).await
    }

    /// The same with more of a set-up.
    pub async fn set_up(mut folder: TempDir, setup: Setup) -> Self {
        // For whoever wants to look at what a test left.
        if std::env::var_os("MNEME_TEST_KEEP").is_some() {
            folder.disable_cleanup(true);
        }
        let launch = Launch {
            binary: binary(),
            data: folder.path().join("data"),
            output: folder.path().join("output"),
            stub: setup.stub.is_some().then(|| stub_file(folder.path())),
            kafka: setup.kafka,
            environment: setup.environment,
        };
        if let Some(answers) = setup.stub {
            write_stub(folder.path(), &answers);
        }
        let server = Server::start(launch)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        Self { server, folder }
    }

    /// Has the stub answer otherwise, after the next start.
    pub fn set_stub(&self, answers: &Value) {
        write_stub(self.folder(), answers);
    }

    /// A client of the server.
    pub fn client(&self) -> Arc<Client> {
        self.server.client()
    }

    /// The folder above the data folder, for a test's own files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the command line and waits for its end.
    pub async fn mneme(&self, arguments: &[&str]) -> std::process::Output {
        tokio::process::Command::new(binary())
            .args(arguments)
            .env_remove("MNEME_URL")
            .env_remove("MNEME_DATA")
            .output()
            .await
            .unwrap()
    }
}

fn stub_file(folder: &Path) -> PathBuf {
    folder.join("stub-extractions.json")
}

fn write_stub(folder: &Path, answers: &Value) {
    std::fs::write(stub_file(folder), answers.to_string()).unwrap();
}

/// The binary under test.
fn binary() -> PathBuf {
    find_binary().unwrap_or_else(|error| panic!("{error}"))
}

/// A number from the environment, for tests that can run longer than they do by default.
pub fn number_from(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) if !text.is_empty() => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} must be a whole number")),
        _ => default,
    }
}
