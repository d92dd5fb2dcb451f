//! One process that tells when it is ready. It never outlives its owner, and all that it prints is
//! kept in files, over restarts too.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::server::ServerError;

/// How long a start or a stop may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// What the line of a process that is ready begins with.
const READY: &str = "listening on ";

/// What is run, and where what it prints is kept.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub binary: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, String)>,
    /// The folder for what it prints; made if it is not there.
    pub output: PathBuf,
}

/// A process that was ready.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    printing: JoinHandle<()>,
}

impl Program {
    /// Starts it; it is killed when it is dropped.
    pub fn child(&self) -> Result<Child, ServerError> {
        if !self.binary.is_file() {
            return Err(ServerError::NoBinary(self.binary.clone()));
        }
        std::fs::create_dir_all(&self.output)?;
        let mut command = Command::new(&self.binary);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(append(&self.output.join("stderr"))?)
            .kill_on_drop(true);
        Ok(command.spawn()?)
    }

    /// Starts it and waits until it tells its address, which is returned too.
    pub async fn start(&self) -> Result<(Process, String), ServerError> {
        let mut child = self.child()?;
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("no standard output"))?;
        let mut lines = BufReader::new(stdout).lines();
        let mut copy = tokio::fs::File::from_std(append(&self.output.join("stdout"))?);
        let address = timeout(PATIENCE, address(&mut lines, &mut copy)).await;
        let base = match address {
            Err(_) => return Err(self.not_ready(format!("no address within {PATIENCE:?}"))),
            Ok(Ok(Some(base))) => base,
            Ok(Ok(None)) => {
                let ended = timeout(PATIENCE, child.wait()).await;
                let why = match ended {
                    Ok(status) => status?.to_string(),
                    Err(_) => "it closed its output".to_owned(),
                };
                return Err(self.not_ready(why));
            }
            Ok(Err(error)) => return Err(error.into()),
        };
        let printing = tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                if keep(&mut copy, &line).await.is_err() {
                    return;
                }
            }
        });
        Ok((Process { child, printing }, base))
    }

    /// Runs it to its end, which must be a good one.
    pub async fn run(&self) -> Result<(), ServerError> {
        let child = self.child()?;
        let ended = timeout(PATIENCE, child.wait_with_output()).await;
        match ended {
            Err(_) => Err(self.not_ready(format!("it ran for more than {PATIENCE:?}"))),
            Ok(output) => match output?.status {
                status if status.success() => Ok(()),
                status => Err(self.not_ready(status.to_string())),
            },
        }
    }

    fn not_ready(&self, why: String) -> ServerError {
        let named = self
            .arguments
            .iter()
            .take(2)
            .map(|word| word.to_string_lossy());
        ServerError::NotReady {
            what: named.collect::<Vec<_>>().join(" "),
            why,
            printed: tail(&self.output.join("stderr")),
        }
    }
}

impl Process {
    /// Asks it to stop (SIGTERM) and waits until it has.
    pub async fn stop(&mut self) -> Result<ExitStatus, ServerError> {
        self.signal(Signal::TERM)?;
        let status = timeout(PATIENCE, self.child.wait())
            .await
            .map_err(|_| ServerError::NotStopped(PATIENCE))??;
        // The pipe is at its end now; what is in it still belongs to the output.
        let _ = (&mut self.printing).await;
        Ok(status)
    }

    /// Kills it (SIGKILL), as a crash would.
    pub async fn kill(&mut self) -> Result<(), ServerError> {
        self.child.kill().await?;
        let _ = (&mut self.printing).await;
        Ok(())
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        let id = self
            .child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        match id {
            Some(id) => Ok(kill_process(id, signal)?),
            None => Ok(()),
        }
    }
}

/// Reads up to the line that tells the address; none when the output ends before.
async fn address(
    lines: &mut Lines<BufReader<ChildStdout>>,
    copy: &mut tokio::fs::File,
) -> io::Result<Option<String>> {
    while let Some(line) = lines.next_line().await? {
        keep(copy, &line).await?;
        if let Some(address) = line.strip_prefix(READY) {
            return Ok(Some(address.trim().to_owned()));
        }
    }
    Ok(None)
}

async fn keep(file: &mut tokio::fs::File, line: &str) -> io::Result<()> {
    file.write_all(format!("{line}\n").as_bytes()).await?;
    file.flush().await
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// The last lines of a file, on one line.
fn tail(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(5)..].join(" / ")
}
