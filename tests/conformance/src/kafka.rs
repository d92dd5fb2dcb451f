//! Where Kafka and the schema registry are that tests run against, and a namespace on them that is gone
//! when it is dropped.
//!
//! `make servers-up` starts the servers; `MNEME_SERVERS=1` says that they are there. The variables
//! `MNEME_KAFKA__BOOTSTRAP` and `MNEME_KAFKA__REGISTRY` say where, as they do for the product.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::client::DefaultClientContext;

/// What is told where a test is skipped.
pub const SKIPPED: &str = "skipped: needs the servers of `make servers-up` and MNEME_SERVERS=1";

/// The servers, and how a memory on them is laid out.
#[derive(Debug, Clone)]
pub struct Kafka {
    /// The broker, as `host:port`.
    pub bootstrap: String,
    /// The base address of the registry.
    pub registry: String,
    /// How many partitions each topic has.
    pub partitions: u32,
    /// How many processes of each stage run.
    pub instances: usize,
    /// How long a process may be silent before its partitions go to others.
    pub session: Duration,
    /// The mappings of a process that takes what other systems publish, if there is to be one.
    pub intake: Option<PathBuf>,
}

impl Kafka {
    /// The servers where there are some to test with; else none.
    pub fn find() -> Option<Self> {
        (std::env::var("MNEME_SERVERS").as_deref() == Ok("1")).then(Self::named)
    }

    /// The servers that the environment names, or the local ones.
    pub fn named() -> Self {
        let or = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| usual.to_owned());
        Self {
            bootstrap: or("MNEME_KAFKA__BOOTSTRAP", "127.0.0.1:19092"),
            registry: or(
                "MNEME_KAFKA__REGISTRY",
                "http://127.0.0.1:18081/apis/ccompat/v7",
            ),
            partitions: 2,
            instances: 1,
            session: Duration::from_secs(6),
            intake: None,
        }
    }

    /// A namespace that nobody has.
    pub fn namespace(&self) -> Namespace {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let micros = since.unwrap_or_default().as_micros();
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Namespace {
            name: format!("test-{micros:x}-{process}-{count}"),
            bootstrap: self.bootstrap.clone(),
        }
    }
}

/// A namespace; its topics are deleted when it is dropped.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    bootstrap: String,
}

impl Namespace {
    /// What the names of all topics and groups begin with.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // For whoever wants to look at what a test left.
        if std::env::var_os("MNEME_TEST_KEEP").is_some() {
            return;
        }
        let (prefix, bootstrap) = (format!("{}.", self.name), self.bootstrap.clone());
        // A thread, since this may be dropped on one that must not block.
        let deleting = std::thread::spawn(move || delete_topics(&bootstrap, &prefix));
        let _ = deleting.join();
    }
}

/// Deletes what begins so. What can't be deleted stays: the servers are for tests.
fn delete_topics(bootstrap: &str, prefix: &str) -> Option<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .ok()?;
    let admin: AdminClient<DefaultClientContext> = ClientConfig::new()
        .set("bootstrap.servers", bootstrap)
        .set_log_level(rdkafka::config::RDKafkaLogLevel::Emerg)
        .create()
        .ok()?;
    let metadata = admin
        .inner()
        .fetch_metadata(None, Duration::from_secs(5))
        .ok()?;
    let names: Vec<&str> = metadata
        .topics()
        .iter()
        .map(|topic| topic.name())
        .filter(|name| name.starts_with(prefix))
        .collect();
    let patience = Some(Duration::from_secs(5));
    let options = AdminOptions::new().request_timeout(patience);
    let _ = runtime.block_on(admin.delete_topics(&names, &options));
    Some(())
}
