//! `mneme bench --kafka` gives its figures and leaves nothing behind, also where it is told to stop:
//! no topics, no processes. Needs a broker and a registry, and `MNEME_SERVERS=1`.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]
#![allow(clippy::print_stderr, reason = "it tells that it is skipped")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);

/// The servers, and what the names of all that a test makes there begin with.
struct Servers {
    bootstrap: String,
    registry: String,
    namespace: String,
}

impl Servers {
    fn find(test: &str) -> Option<Self> {
        if std::env::var("MNEME_SERVERS").as_deref() != Ok("1") {
            eprintln!("skipped: needs the servers of `make servers-up` and MNEME_SERVERS=1");
            return None;
        }
        let or = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| usual.to_owned());
        let registry = "http://127.0.0.1:18081/apis/ccompat/v7";
        Some(Self {
            bootstrap: or("MNEME_KAFKA__BOOTSTRAP", "127.0.0.1:19092"),
            registry: or("MNEME_KAFKA__REGISTRY", registry),
            namespace: format!("test-{test}-{}", uuid::Uuid::new_v4().simple()),
        })
    }

    fn bench(&self) -> Child {
        let arguments = ["bench", "--kafka", "--quick", "--json", "--partitions", "2"];
        Command::new(env!("CARGO_BIN_EXE_mneme"))
            .args(arguments)
            .env("MNEME_KAFKA__BOOTSTRAP", &self.bootstrap)
            .env("MNEME_KAFKA__REGISTRY", &self.registry)
            .env("MNEME_KAFKA__NAMESPACE", &self.namespace)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn topics(&self) -> usize {
        let mut client = ClientConfig::new();
        client.set("bootstrap.servers", &self.bootstrap);
        let consumer: BaseConsumer = client.create().unwrap();
        let metadata = consumer.fetch_metadata(None, PATIENCE).unwrap();
        let names = metadata.topics().iter().map(|topic| topic.name());
        names
            .filter(|name| name.starts_with(&self.namespace))
            .count()
    }

    /// How many roles run.
    fn roles(&self) -> usize {
        let variable = format!("MNEME_KAFKA__NAMESPACE={}-bench-", self.namespace);
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let is_role = |process: &std::fs::DirEntry| {
            let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|found| found.starts_with(variable.as_bytes()))
        };
        processes.filter(is_role).count()
    }
}

fn until(what: &str, is: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < deadline, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn assert_all_positive(path: &str, figures: &Value) {
    match figures {
        Value::Object(inner) => {
            for (name, value) in inner {
                assert_all_positive(&format!("{path}.{name}"), value);
            }
        }
        Value::Array(inner) => {
            for value in inner {
                assert_all_positive(path, value);
            }
        }
        Value::Number(figure) => assert!(figure.as_f64().unwrap() > 0.0, "{path}: {figure}"),
        _ => {}
    }
}

#[test]
fn it_gives_its_figures_and_leaves_nothing() {
    let Some(servers) = Servers::find("bench") else {
        return;
    };
    let output = servers.bench().wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["partitions"], 2);
    let runs = report["kafka"].as_array().unwrap();
    let instances: Vec<&Value> = runs.iter().map(|run| &run["instances"]).collect();
    assert_eq!(instances, [1, 2]);
    for run in runs.iter().chain([&report["embedded"]]) {
        for figure in [
            "episodes_per_second",
            "events_per_second",
            "busy_processors",
            "accepted_per_second",
        ] {
            assert_all_positive(figure, &run[figure]);
        }
        assert_all_positive("latency", &run["latency"]);
        assert_eq!(run["stages"].as_array().unwrap().len(), 4);
        assert_all_positive("stages", &run["stages"]);
    }
    for run in runs {
        assert_all_positive("ratios", &run["ratios"]);
        assert_all_positive("transactions_per_second", &run["transactions_per_second"]);
        assert!(run["processor_seconds"]["resolver"].is_number(), "{run}");
    }
    assert_eq!(servers.roles(), 0);
    until("the topics to be gone", || servers.topics() == 0);
}

#[test]
fn told_to_stop_it_leaves_nothing() {
    let Some(servers) = Servers::find("stopped") else {
        return;
    };
    let bench = servers.bench();
    until("roles to run", || servers.roles() >= 6);
    assert!(servers.topics() > 0);
    let id = Pid::from_raw(bench.id().cast_signed()).unwrap();
    kill_process(id, Signal::TERM).unwrap();
    let output = bench.wait_with_output().unwrap();
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("told to stop"), "{told}");
    until("the roles to be gone", || servers.roles() == 0);
    until("the topics to be gone", || servers.topics() == 0);
}
