//! `mneme bench`: what one machine can do, end to end through the HTTP API of a node in this process:
//! episodes until they can be searched, searches while nothing else runs, replay, disk and memory.

pub mod kafka;
mod latency;
mod load;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::Target;
use crate::client::{Client, Connection};
use crate::configuration::Configuration;
use crate::{machine, output};
use latency::Latency;
use load::Kind;

/// How many episodes of each kind, and how many searches.
struct Size {
    facts: usize,
    messages: usize,
    groups: usize,
    per_group: usize,
    slot: usize,
    searches: usize,
}

const FULL: Size = Size {
    facts: 100_000,
    messages: 50_000,
    groups: 1_000,
    per_group: 100,
    slot: 20_000,
    searches: 500,
};
const QUICK: Size = Size {
    facts: 4_000,
    messages: 2_000,
    groups: 50,
    per_group: 40,
    slot: 2_000,
    searches: 100,
};

#[derive(Debug, Default, Serialize)]
struct Report {
    facts_per_second: f64,
    messages_per_second: f64,
    search_one_group: Option<Latency>,
    spread_facts_per_second: f64,
    search_spread: Option<Latency>,
    slot_first_half_per_second: f64,
    slot_second_half_per_second: f64,
    replay_seconds: f64,
    disk_bytes_per_episode: f64,
    peak_memory_mib: f64,
}

/// Runs the bench and prints the figures.
pub async fn run(
    configuration: &Configuration,
    quick: bool,
    data: Option<PathBuf>,
    json: bool,
) -> anyhow::Result<()> {
    let size = if quick { QUICK } else { FULL };
    let temporary = tempfile::tempdir()?;
    let data = data.unwrap_or_else(|| temporary.path().join("data"));
    let target = Target {
        url: None,
        data: Some(data.clone()),
    };
    let connection = Connection::open(&target, configuration, true).await?;
    let measured = measure(&connection.client, &size).await;
    connection.close().await?;
    let mut report = measured?;
    let episodes = size.facts + size.messages + size.groups * size.per_group + size.slot;
    report.disk_bytes_per_episode = machine::folder_bytes(&data)? as f64 / episodes as f64;
    report.peak_memory_mib = machine::peak_memory_mib();
    if json {
        return output::json(&report);
    }
    print(&report);
    Ok(())
}

async fn measure(client: &Client, size: &Size) -> anyhow::Result<Report> {
    let mut report = Report::default();
    output::note("facts episodes into one group …");
    report.facts_per_second = load(client, Kind::Facts, "big", 0..size.facts).await?;
    output::note("messages into the same group …");
    report.messages_per_second = load(client, Kind::Messages, "big", 0..size.messages).await?;
    output::note("searches in it …");
    machine::settle().await?;
    let one = |_| "big".to_owned();
    report.search_one_group = Some(search(client, size.searches, one).await?);
    output::note("facts episodes over many groups …");
    report.spread_facts_per_second = spread(client, size).await?;
    machine::settle().await?;
    let groups = size.groups;
    let any = move |number: usize| format!("spread-{}", number * 7_919 % groups);
    report.search_spread = Some(search(client, size.searches, any).await?);
    output::note("one slot with many statements …");
    let half = size.slot / 2;
    report.slot_first_half_per_second = load(client, Kind::Slot, "slot", 0..half).await?;
    report.slot_second_half_per_second = load(client, Kind::Slot, "slot", half..size.slot).await?;
    output::note("replay …");
    let started = Instant::now();
    let path = ["v1", "admin", "replay"];
    let rebuilt: Value = client.call(Method::POST, &path, &[], &json!({})).await?;
    report.replay_seconds = started.elapsed().as_secs_f64();
    anyhow::ensure!(rebuilt["equal"] == true, "the replay's digests differ");
    Ok(report)
}

/// Episodes a second from the first request until the last can be searched.
async fn load(
    client: &Client,
    kind: Kind,
    group: &str,
    numbers: std::ops::Range<usize>,
) -> anyhow::Result<f64> {
    let count = numbers.len();
    let started = Instant::now();
    load::send(
        client,
        numbers.map(|number| load::episode(kind, group, number)),
    )
    .await?;
    Ok(count as f64 / started.elapsed().as_secs_f64())
}

async fn spread(client: &Client, size: &Size) -> anyhow::Result<f64> {
    let count = size.groups * size.per_group;
    let groups = size.groups;
    let started = Instant::now();
    let episodes = (0..count).map(move |number| {
        load::episode(Kind::Facts, &format!("spread-{}", number % groups), number)
    });
    load::send(client, episodes).await?;
    Ok(count as f64 / started.elapsed().as_secs_f64())
}

async fn search(
    client: &Client,
    count: usize,
    group_of: impl Fn(usize) -> String,
) -> anyhow::Result<Latency> {
    let mut times: Vec<Duration> = Vec::with_capacity(count);
    for number in 0..count {
        let body = json!({
            "group_ids": [group_of(number)],
            "query": load::question(number),
            "limit": 10,
        });
        let started = Instant::now();
        client
            .call::<Value>(Method::POST, &["v1", "search"], &[], &body)
            .await?;
        times.push(started.elapsed());
    }
    Ok(Latency::of(times))
}

fn print(report: &Report) {
    let rate = |value: f64| format!("{value:.0} /s");
    let latency =
        |latency: &Option<Latency>| latency.as_ref().map(Latency::to_string).unwrap_or_default();
    let rows = [
        (
            "facts episodes until searchable, one group",
            rate(report.facts_per_second),
        ),
        (
            "messages until searchable, same group",
            rate(report.messages_per_second),
        ),
        ("search in that group", latency(&report.search_one_group)),
        (
            "facts episodes over many groups",
            rate(report.spread_facts_per_second),
        ),
        ("search over many groups", latency(&report.search_spread)),
        (
            "one slot, first half",
            rate(report.slot_first_half_per_second),
        ),
        (
            "one slot, second half",
            rate(report.slot_second_half_per_second),
        ),
        ("replay of all", format!("{:.1} s", report.replay_seconds)),
        (
            "disk for an episode",
            format!("{:.0} bytes", report.disk_bytes_per_episode),
        ),
        ("peak memory", format!("{:.0} MiB", report.peak_memory_mib)),
    ];
    let rows = rows
        .into_iter()
        .map(|(what, figure)| vec![what.to_owned(), figure]);
    output::table(&["what", "figure"], rows);
}
