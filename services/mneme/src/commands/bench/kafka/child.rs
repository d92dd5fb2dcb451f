//! A process of this very program, for a bench. It is killed when it is dropped; what it prints goes
//! to a file, and where it ends early the error shows the last of it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::process::Command;

/// How long a start may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether it is ready.
const LOOK: Duration = Duration::from_millis(20);
/// How many lines of what it printed an error shows.
const LINES: usize = 10;

/// Where processes keep what they have, and what they all are started with.
#[derive(Debug, Clone)]
pub struct Launch {
    pub folder: PathBuf,
    /// The settings file that the bench was given.
    pub config: Option<PathBuf>,
    pub environment: Vec<(&'static str, String)>,
}

/// A process that is ready.
pub struct Child {
    pub name: String,
    pub id: u32,
    /// Where it is reached.
    pub address: String,
    output: PathBuf,
    process: Mutex<tokio::process::Child>,
}

impl Launch {
    /// The same with a variable more.
    pub fn with(&self, name: &'static str, value: impl Into<String>) -> Self {
        let mut launch = self.clone();
        launch.environment.push((name, value.into()));
        launch
    }

    /// Starts a process under a name of its own, and returns when it listens.
    pub async fn start(&self, name: &str, words: &[&str]) -> anyhow::Result<Child> {
        let output = self.folder.join(format!("{name}.log"));
        let file = File::create(&output)?;
        let mut command = Command::new(std::env::current_exe()?);
        if let Some(config) = &self.config {
            command.arg("--config").arg(config);
        }
        command
            .args(words)
            .arg("--data")
            .arg(self.folder.join(name))
            .args(["--listen", "127.0.0.1:0"])
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .kill_on_drop(true);
        let process = command
            .spawn()
            .with_context(|| format!("{name} can't be started"))?;
        let mut child = Child {
            name: name.to_owned(),
            id: process.id().unwrap_or_default(),
            address: String::new(),
            output,
            process: Mutex::new(process),
        };
        let deadline = Instant::now() + PATIENCE;
        child.address = loop {
            if let Some(address) = address(&child.output) {
                break address;
            }
            child.check()?;
            if Instant::now() > deadline {
                bail!("{name} does not listen; its last lines:\n{}", child.tail());
            }
            tokio::time::sleep(LOOK).await;
        };
        Ok(child)
    }
}

impl Child {
    /// Fails where the process has ended.
    pub fn check(&self) -> anyhow::Result<()> {
        match self.ended()? {
            None => Ok(()),
            Some(status) => bail!(
                "{} ended ({status}); its last lines:\n{}",
                self.name,
                self.tail()
            ),
        }
    }

    /// Returns when it can do its work.
    pub async fn ready(&self, http: &reqwest::Client) -> anyhow::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = http.get(format!("{}/readyz", self.address)).send().await;
            let reason = match answer {
                Ok(answer) if answer.status().is_success() => return Ok(()),
                Ok(answer) => answer.text().await?,
                Err(error) => error.to_string(),
            };
            self.check()?;
            if Instant::now() > deadline {
                let (name, tail) = (&self.name, self.tail());
                bail!("{name} is not ready: {reason}; its last lines:\n{tail}");
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Kills it, and returns when it is gone.
    pub async fn kill(self) -> anyhow::Result<()> {
        let process = self.process.into_inner();
        Ok(process
            .unwrap_or_else(PoisonError::into_inner)
            .kill()
            .await?)
    }

    fn ended(&self) -> std::io::Result<Option<ExitStatus>> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.try_wait()
    }

    fn tail(&self) -> String {
        let text = std::fs::read_to_string(&self.output).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}

/// The address that a process has told, if it has.
fn address(output: &Path) -> Option<String> {
    let text = std::fs::read_to_string(output).ok()?;
    let (_, rest) = text.split_once("listening on ")?;
    // The line is there as a whole when its end is.
    let (address, _) = rest.split_once('\n')?;
    Some(address.trim().to_owned())
}
