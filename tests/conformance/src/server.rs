//! A `mneme up` process on a data folder. It never outlives its [`Server`], and all that it prints
//! is kept in files, over restarts too.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::client::{Client, ClientError};

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The `mneme` binary.
    pub binary: PathBuf,
    /// Its data folder; made by the process if it is not there.
    pub data: PathBuf,
    /// The folder for what it prints; made if it is not there.
    pub output: PathBuf,
    /// The file with what the stub model answers, if a model is to be played.
    pub stub: Option<PathBuf>,
}

/// Why a server can't be started, stopped or reached.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// There is no binary to start.
    #[error("no mneme binary at {0}: build it with `cargo build -p mneme`, or set MNEME_BIN")]
    NoBinary(PathBuf),
    /// The process ended, or did not tell its address in time.
    #[error("the server is not ready ({why}); it printed: {printed}")]
    NotReady {
        /// What happened.
        why: String,
        /// The end of its standard error.
        printed: String,
    },
    /// The process did not end after SIGTERM.
    #[error("the server did not stop on SIGTERM within {0:?}")]
    NotStopped(Duration),
    /// The machine refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The address that it told is none.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    launch: Launch,
    client: RwLock<Client>,
    process: Mutex<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    printing: JoinHandle<()>,
}

/// How long a start or a stop may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// What the first line of a server that is ready begins with.
const READY: &str = "listening on ";

/// The binary that tests run: `MNEME_BIN`, else `mneme` in the target folder of this test itself.
pub fn find_binary() -> Result<PathBuf, ServerError> {
    if let Some(path) = std::env::var_os("MNEME_BIN").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(ServerError::NoBinary(path))
        };
    }
    let own = std::env::current_exe()?;
    let folder = own.parent().unwrap_or(Path::new("."));
    // A test lies in `deps` below the folder of the binaries, a binary beside them.
    let beside = folder.join("mneme");
    let above = folder.parent().unwrap_or(folder).join("mneme");
    [beside, above.clone()]
        .into_iter()
        .find(|path| path.is_file())
        .ok_or(ServerError::NoBinary(above))
}

impl Server {
    /// Starts a process and waits until it tells its address.
    pub async fn start(launch: Launch) -> Result<Self, ServerError> {
        let (process, client) = spawn(&launch).await?;
        Ok(Self {
            launch,
            client: RwLock::new(client),
            process: Mutex::new(process),
        })
    }

    /// A client of the process that runs now.
    pub fn client(&self) -> Arc<Client> {
        let client = self
            .client
            .read()
            .unwrap_or_else(|broken| broken.into_inner());
        Arc::new(client.clone())
    }

    /// The files that hold what it printed.
    pub fn output(&self) -> &Path {
        &self.launch.output
    }

    /// The data folder.
    pub fn data(&self) -> &Path {
        &self.launch.data
    }

    /// Asks the process to stop (SIGTERM) and waits until it has.
    pub async fn stop(&self) -> Result<ExitStatus, ServerError> {
        let mut process = self.process.lock().await;
        signal(&process.child, Signal::TERM)?;
        let status = timeout(PATIENCE, process.child.wait())
            .await
            .map_err(|_| ServerError::NotStopped(PATIENCE))??;
        // The pipe is at its end now; what is in it still belongs to the output.
        let _ = (&mut process.printing).await;
        Ok(status)
    }

    /// Kills the process (SIGKILL), as a crash would.
    pub async fn kill(&self) -> Result<(), ServerError> {
        let mut process = self.process.lock().await;
        process.child.kill().await?;
        let _ = (&mut process.printing).await;
        Ok(())
    }

    /// Starts a new process on the same folder, the last one being stopped or killed.
    pub async fn start_again(&self) -> Result<(), ServerError> {
        let mut process = self.process.lock().await;
        let (new, client) = spawn(&self.launch).await?;
        *process = new;
        *self
            .client
            .write()
            .unwrap_or_else(|broken| broken.into_inner()) = client;
        Ok(())
    }

    /// Starts a new process, as [`Self::start_again`] does, and kills it so soon after that it may
    /// not be ready yet.
    pub async fn start_and_kill(&self, after: Duration) -> Result<(), ServerError> {
        let mut child = child(&self.launch)?;
        sleep(after).await;
        Ok(child.kill().await?)
    }

    /// Stops and starts.
    pub async fn restart(&self) -> Result<(), ServerError> {
        self.stop().await?;
        self.start_again().await
    }
}

async fn spawn(launch: &Launch) -> Result<(Process, Client), ServerError> {
    let stderr = launch.output.join("stderr");
    let mut child = child(launch)?;
    let stdout = child
        .stdout
        .take()
        .ok_or_else(|| io::Error::other("no standard output"))?;
    let mut lines = BufReader::new(stdout).lines();
    let mut copy = tokio::fs::File::from_std(append(&launch.output.join("stdout"))?);
    let address = timeout(PATIENCE, address(&mut lines, &mut copy)).await;
    let not_ready = |why: String| ServerError::NotReady {
        why,
        printed: tail(&stderr),
    };
    let base = match address {
        Err(_) => return Err(not_ready(format!("no address within {PATIENCE:?}"))),
        Ok(Ok(Some(base))) => base,
        Ok(Ok(None)) => {
            let ended = timeout(PATIENCE, child.wait()).await;
            let why = match ended {
                Ok(status) => status?.to_string(),
                Err(_) => "it closed its output".to_owned(),
            };
            return Err(not_ready(why));
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
    Ok((Process { child, printing }, Client::new(&base)?))
}

/// The process, not ready yet; it is killed when it is dropped.
fn child(launch: &Launch) -> Result<Child, ServerError> {
    if !launch.binary.is_file() {
        return Err(ServerError::NoBinary(launch.binary.clone()));
    }
    std::fs::create_dir_all(&launch.output)?;
    let mut command = Command::new(&launch.binary);
    command.arg("up").arg("--data").arg(&launch.data);
    command.args(["--listen", "127.0.0.1:0"]);
    if let Some(stub) = &launch.stub {
        command.arg("--stub-extractions").arg(stub);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(append(&launch.output.join("stderr"))?)
        .kill_on_drop(true);
    Ok(command.spawn()?)
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

fn signal(child: &Child, signal: Signal) -> io::Result<()> {
    let id = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(Pid::from_raw);
    match id {
        Some(id) => Ok(kill_process(id, signal)?),
        None => Ok(()),
    }
}

/// The last lines of a file, on one line.
fn tail(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(5)..].join(" / ")
}
