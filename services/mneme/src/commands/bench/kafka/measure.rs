//! What is measured of a memory, the same on the embedded log and over Kafka: how long one episode
//! takes where there is nothing else to do, then how fast many go.

use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use reqwest::Method;
use serde_json::Value;

use super::super::latency::Latency;
use super::super::load::{self, Kind};
use super::processes::Processes;
use super::report::{Measured, Observed};
use super::sample::Sample;
use crate::client::Client;
use mneme_telemetry::metric;

/// How much is sent.
pub struct Size {
    pub episodes: usize,
    pub groups: usize,
    /// Those that are sent one by one.
    pub singles: usize,
}

/// When nothing was written for so long, all stages have done what there was to do.
const QUIET: Duration = Duration::from_secs(1);
/// How often it is looked whether something was.
const LOOK: Duration = Duration::from_millis(100);
/// When something still is written after so long, something is wrong.
const LONGEST: Duration = Duration::from_secs(300);

/// Measures.
pub async fn measure(processes: &Processes, size: &Size) -> anyhow::Result<Measured> {
    let client = Client::new(&processes.address)?;
    // Each group has its first episode before, so that no first look at anything counts.
    let (first, singles) = (size.groups, size.groups + size.singles);
    load::send(&client, episodes(size, 0..first)).await?;
    let before = quiet(processes).await?;
    let mut times = Vec::with_capacity(size.singles);
    for episode in episodes(size, first..singles) {
        let started = Instant::now();
        send_one(&client, &episode).await?;
        times.push(started.elapsed());
    }
    let alone = [before, quiet(processes).await?];
    let before = processes.sample().await?;
    let started = Instant::now();
    let many = episodes(size, singles..singles + size.episodes);
    let accepted = load::send(&client, many).await?;
    let applied = started.elapsed();
    let after = quiet(processes).await?;
    Ok(Measured::new(Observed {
        latency: Latency::of(times),
        episodes: size.episodes,
        accepted,
        applied,
        through: after.at.saturating_duration_since(started).max(applied),
        alone,
        many: [before, after],
    }))
}

fn episodes(size: &Size, numbers: std::ops::Range<usize>) -> impl Iterator<Item = Value> + use<> {
    let groups = size.groups;
    numbers.map(move |number| load::episode(Kind::Facts, &format!("g{}", number % groups), number))
}

/// Returns when the episode is applied.
async fn send_one(client: &Client, episode: &Value) -> anyhow::Result<()> {
    let wait = [("wait", "applied".to_owned())];
    let path = ["v1", "episodes"];
    let answer: Value = client.call(Method::POST, &path, &wait, episode).await?;
    ensure!(
        answer["state"] == "done",
        "an episode was not applied: {answer}"
    );
    Ok(())
}

/// Waits until nothing is written any more, and tells how it was just after the last was.
async fn quiet(processes: &Processes) -> anyhow::Result<Sample> {
    let started = Instant::now();
    let mut last = processes.sample().await?;
    loop {
        tokio::time::sleep(LOOK).await;
        let now = processes.sample().await?;
        if now.of_all(metric::OUTPUTS) != last.of_all(metric::OUTPUTS) {
            last = now;
        } else if last.at.elapsed() > QUIET {
            return Ok(last);
        }
        if started.elapsed() > LONGEST {
            bail!("the stages still write after {} s", LONGEST.as_secs());
        }
    }
}
