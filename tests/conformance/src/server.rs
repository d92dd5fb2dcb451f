//! A memory as users run it: `mneme up` on a data folder, or all roles as processes over Kafka. Clients
//! know one address either way. No process outlives its [`Server`].

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::try_join_all;

use crate::client::{Client, ClientError};
use crate::instance::Instance;
use crate::kafka::{Kafka, Namespace};
use crate::process::Program;
use crate::roles::Roles;

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
    /// The servers for roles as processes; without them it is one process on the embedded log.
    pub kafka: Option<Kafka>,
    /// More settings for each process, as variables of its environment.
    pub environment: Vec<(&'static str, String)>,
}

/// Why a server can't be started, stopped or reached.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// There is no binary to start.
    #[error("no mneme binary at {0}: build it with `cargo build -p mneme`, or set MNEME_BIN")]
    NoBinary(PathBuf),
    /// Another program of the workspace is not built.
    #[error("no program at {0}: build it with `cargo build --workspace --bins`")]
    NoProgram(PathBuf),
    /// The process ended, or did not tell its address in time.
    #[error("the server is not ready ({what}: {why}); it printed: {printed}")]
    NotReady {
        /// What was run.
        what: String,
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
    /// The processes that clients don't talk to.
    behind: Vec<Instance>,
    /// The process that clients talk to.
    front: Instance,
    client: Mutex<Arc<Client>>,
    // After the processes, so that they are gone before their topics.
    namespace: Option<Namespace>,
}

/// The binary that tests run: `MNEME_BIN`, else `mneme` in the target folder of this test itself.
pub fn find_binary() -> Result<PathBuf, ServerError> {
    let named = std::env::var_os("MNEME_BIN").filter(|path| !path.is_empty());
    let path = named.map_or_else(|| beside("mneme"), |path| Ok(PathBuf::from(path)))?;
    match path.is_file() {
        true => Ok(path),
        false => Err(ServerError::NoBinary(path)),
    }
}

/// Another program of the workspace, in the target folder of this test itself.
pub fn find_program(name: &str) -> Result<PathBuf, ServerError> {
    let path = beside(name)?;
    match path.is_file() {
        true => Ok(path),
        false => Err(ServerError::NoProgram(path)),
    }
}

/// Where a binary of the workspace is, or would be.
fn beside(name: &str) -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().unwrap_or(Path::new("."));
    // A test lies in `deps` below the folder of the binaries, a binary beside them.
    let path = folder.join(name);
    if path.is_file() {
        return Ok(path);
    }
    Ok(folder.parent().unwrap_or(folder).join(name))
}

impl Server {
    /// Starts all processes and waits until each tells its address.
    pub async fn start(launch: Launch) -> Result<Self, ServerError> {
        let client = Mutex::new(Arc::new(Client::new("http://127.0.0.1")?));
        let server = match &launch.kafka {
            None => Self {
                behind: Vec::new(),
                front: whole(&launch),
                client,
                namespace: None,
                launch,
            },
            Some(kafka) => {
                let roles = Roles::new(&launch, kafka);
                roles.prepare().await?;
                let (behind, front) = roles.instances()?;
                Self {
                    behind,
                    front,
                    client,
                    namespace: Some(roles.namespace),
                    launch,
                }
            }
        };
        server.start_again().await?;
        Ok(server)
    }

    /// A client of what runs now.
    pub fn client(&self) -> Arc<Client> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that was started anew has another address.
        if let Some(base) = self.front.base().filter(|base| *base != client.base())
            && let Ok(new) = Client::new(&base)
        {
            *client = Arc::new(new);
        }
        Arc::clone(&client)
    }

    /// The files that hold what it printed.
    pub fn output(&self) -> &Path {
        &self.launch.output
    }

    /// The data folder; with roles as processes each has a folder in it.
    pub fn data(&self) -> &Path {
        &self.launch.data
    }

    /// The namespace on Kafka, with roles as processes.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_ref().map(Namespace::name)
    }

    /// All processes, the one that clients talk to last.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.behind.iter().chain([&self.front])
    }

    /// Asks all processes to stop (SIGTERM) and waits until they have; the status is one that is no
    /// success, where there is one.
    pub async fn stop(&self) -> Result<ExitStatus, ServerError> {
        let mut statuses = vec![self.front.stop().await?];
        statuses.extend(try_join_all(self.behind.iter().map(Instance::stop)).await?);
        let mut statuses = statuses.into_iter().flatten();
        let first = statuses.next().unwrap_or_default();
        Ok(statuses.fold(
            first,
            |worst, status| {
                if worst.success() { status } else { worst }
            },
        ))
    }

    /// Kills all processes (SIGKILL), as a crash would.
    pub async fn kill(&self) -> Result<(), ServerError> {
        try_join_all(self.instances().map(Instance::kill)).await?;
        Ok(())
    }

    /// Starts all that does not run on the same folders.
    pub async fn start_again(&self) -> Result<(), ServerError> {
        try_join_all(self.instances().map(Instance::start_if_stopped)).await?;
        Ok(())
    }

    /// Starts all processes, as [`Self::start_again`] does, and kills them so soon after that they may
    /// not be ready yet.
    pub async fn start_and_kill(&self, after: Duration) -> Result<(), ServerError> {
        let all = self.instances().map(|each| each.start_and_kill(after));
        try_join_all(all).await?;
        Ok(())
    }

    /// Stops and starts.
    pub async fn restart(&self) -> Result<(), ServerError> {
        self.stop().await?;
        self.start_again().await
    }
}

/// All in one process.
fn whole(launch: &Launch) -> Instance {
    let mut arguments = vec!["up".into()];
    if let Some(stub) = &launch.stub {
        arguments.extend(["--stub-extractions".into(), stub.clone().into_os_string()]);
    }
    let program = Program {
        binary: launch.binary.clone(),
        arguments,
        environment: launch.environment.clone(),
        output: launch.output.clone(),
    };
    Instance::new("up", program, launch.data.clone())
}
