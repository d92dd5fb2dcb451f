//! The broker that `deploy/local` starts, as something that can be killed. Whatever a test does, the
//! broker is up again when this is dropped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mneme_conformance::Kafka;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

/// The local broker.
pub struct Broker {
    scripts: PathBuf,
    folder: PathBuf,
    port: String,
    is_down: AtomicBool,
}

impl Broker {
    /// The broker of these servers, which must be the one that `deploy/local` started.
    pub fn local(kafka: &Kafka) -> Self {
        let own = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let cache = own("XDG_CACHE_HOME").or_else(|| Some(own("HOME")?.join(".cache")));
        let servers = own("MNEME_SERVERS_DIR").unwrap_or_else(|| {
            cache
                .unwrap_or_else(|| ".cache".into())
                .join("mneme/servers")
        });
        let port = kafka.bootstrap.rsplit(':').next().unwrap().to_owned();
        let broker = Self {
            scripts: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/kafka"),
            folder: servers.join("kafka"),
            port,
            is_down: AtomicBool::new(false),
        };
        let at = std::fs::read_to_string(broker.folder.join("server.port"));
        let at = at.unwrap_or_default();
        assert_eq!(
            at.trim(),
            broker.port,
            "this test kills the broker, so it must be the one of deploy/local"
        );
        broker
    }

    /// Kills it (SIGKILL), as a crash of its machine would, and returns when it is gone.
    pub async fn kill(&self) {
        let pid = std::fs::read_to_string(self.folder.join("server.pid")).unwrap();
        let pid: i32 = pid.trim().parse().unwrap();
        assert!(is_broker(pid), "{pid} is no broker");
        self.is_down.store(true, Ordering::SeqCst);
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        // Its port is its own until the last of its threads is gone.
        let listens = || std::net::TcpStream::connect(format!("127.0.0.1:{}", self.port)).is_ok();
        while is_broker(pid) || listens() {
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Starts it and waits until it serves.
    pub async fn up(&self) {
        let mut command = self.command();
        let up = tokio::task::spawn_blocking(move || command.output()).await;
        let up = up.unwrap().unwrap();
        let told = String::from_utf8_lossy(&up.stderr);
        assert!(up.status.success(), "the broker does not start: {told}");
        self.is_down.store(false, Ordering::SeqCst);
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.scripts.join("up"));
        command.env("KAFKA_PORT", &self.port).stdin(Stdio::null());
        command
    }
}

fn is_broker(pid: i32) -> bool {
    let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline"));
    command.is_ok_and(|command| command.contains("-Dmneme.server="))
}

impl Drop for Broker {
    fn drop(&mut self) {
        if self.is_down.load(Ordering::SeqCst) {
            let _ = self.command().output();
        }
    }
}
