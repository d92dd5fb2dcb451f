//! One process of a server on a data folder of its own, which can be killed, stopped, paused and started
//! again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use rustix::process::Signal;
use tokio::sync::Mutex;
use tokio::time::sleep;

use crate::process::{Process, Program};
use crate::server::ServerError;

/// A process, running or not.
#[derive(Debug)]
pub struct Instance {
    name: String,
    program: Program,
    data: PathBuf,
    /// `host:port` to listen on; port 0 is any.
    listen: String,
    /// What the process told that runs, or ran last.
    base: RwLock<Option<String>>,
    process: Mutex<Option<Process>>,
}

impl Instance {
    /// One that does not run yet. The program is without `--data` and `--listen`.
    pub(crate) fn new(name: &str, program: Program, data: PathBuf) -> Self {
        Self {
            name: name.to_owned(),
            program,
            data,
            listen: "127.0.0.1:0".to_owned(),
            base: RwLock::new(None),
            process: Mutex::new(None),
        }
    }

    /// The same at a port that is always its own.
    pub(crate) fn at(mut self, port: u16) -> Self {
        self.listen = format!("127.0.0.1:{port}");
        self
    }

    /// The name, such as `extractor-2`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The address of the process that runs, or ran last.
    pub fn base(&self) -> Option<String> {
        let base = self.base.read().unwrap_or_else(PoisonError::into_inner);
        base.clone()
    }

    fn program(&self) -> Program {
        let mut program = self.program.clone();
        let more: [OsString; 4] = [
            "--data".into(),
            self.data.clone().into(),
            "--listen".into(),
            self.listen.clone().into(),
        ];
        program.arguments.extend(more);
        program
    }

    /// Starts it and waits until it is ready, the last process being stopped or killed.
    pub async fn start(&self) -> Result<(), ServerError> {
        let mut running = self.process.lock().await;
        let (process, base) = self.program().start().await?;
        *running = Some(process);
        *self.base.write().unwrap_or_else(PoisonError::into_inner) = Some(base);
        Ok(())
    }

    /// Starts it where no process runs.
    pub async fn start_if_stopped(&self) -> Result<(), ServerError> {
        let is_stopped = self.process.lock().await.is_none();
        if is_stopped {
            self.start().await
        } else {
            Ok(())
        }
    }

    /// Starts it and kills it so soon after that it may not be ready yet.
    pub async fn start_and_kill(&self, after: Duration) -> Result<(), ServerError> {
        let mut child = self.program().child()?;
        sleep(after).await;
        Ok(child.kill().await?)
    }

    /// Asks the process to stop (SIGTERM) and waits until it has; none where none runs.
    pub async fn stop(&self) -> Result<Option<ExitStatus>, ServerError> {
        match self.process.lock().await.take() {
            Some(mut process) => Ok(Some(process.stop().await?)),
            None => Ok(None),
        }
    }

    /// Kills the process (SIGKILL), as a crash would.
    pub async fn kill(&self) -> Result<(), ServerError> {
        match self.process.lock().await.take() {
            Some(mut process) => process.kill().await,
            None => Ok(()),
        }
    }

    /// Freezes the process (SIGSTOP): it is silent, and does not know it.
    pub async fn pause(&self) -> Result<(), ServerError> {
        self.signal(Signal::STOP).await
    }

    /// Lets a frozen process go on.
    pub async fn resume(&self) -> Result<(), ServerError> {
        self.signal(Signal::CONT).await
    }

    async fn signal(&self, signal: Signal) -> Result<(), ServerError> {
        match &*self.process.lock().await {
            Some(process) => Ok(process.signal(signal)?),
            None => Ok(()),
        }
    }

    /// How the process ended, if it ended by itself; it counts as stopped then.
    pub async fn ended(&self) -> Result<Option<ExitStatus>, ServerError> {
        let mut running = self.process.lock().await;
        let ended = match &mut *running {
            Some(process) => process.ended()?,
            None => None,
        };
        if ended.is_some() {
            *running = None;
        }
        Ok(ended)
    }

    /// Deletes the data folder, unless a process runs.
    pub async fn wipe(&self) -> Result<(), ServerError> {
        let running = self.process.lock().await;
        if running.is_some() {
            return Ok(());
        }
        match tokio::fs::remove_dir_all(&self.data).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
