//! The figures as tables, and what they tell of what limits it.

use super::report::{Measured, OnKafka, Report, StageFigures};
use crate::output;

/// Prints all.
pub fn print(report: &Report) {
    let Report {
        episodes,
        groups,
        partitions,
        processors,
        ..
    } = report;
    output::line(format!(
        "{episodes} facts episodes over {groups} groups, {partitions} partitions, {processors} \
         processors; in brackets, how many times the embedded log's figure"
    ));
    figures(report);
    stages(report);
    processor_time(report);
}

fn heads(first: &'static str, report: &Report) -> Vec<String> {
    let kafka = report.kafka.iter();
    let kafka = kafka.map(|run| format!("Kafka, {} of each stage", run.instances));
    let fixed = [first.to_owned(), "embedded".to_owned()];
    fixed.into_iter().chain(kafka).collect()
}

fn table(heads: &[String], rows: Vec<Vec<String>>) {
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    output::table(&heads, rows);
}

fn figures(report: &Report) {
    let row = |what: &str,
               figure: &dyn Fn(&Measured) -> String,
               ratio: &dyn Fn(&OnKafka) -> Option<f64>| {
        let kafka = report.kafka.iter().map(|run| {
            let told = figure(&run.measured);
            ratio(run).map_or_else(|| told.clone(), |ratio| format!("{told} ({ratio:.2})"))
        });
        let fixed = [what.to_owned(), figure(&report.embedded)];
        fixed.into_iter().chain(kafka).collect()
    };
    let rate = |value: f64| format!("{value:.0} /s");
    let time = |value: f64| format!("{value:.1} ms");
    let rows = vec![
        row(
            "episodes until accepted",
            &|run| rate(run.accepted_per_second),
            &|_| None,
        ),
        row(
            "episodes until applied",
            &|run| rate(run.episodes_per_second),
            &|run| Some(run.ratios.episodes_per_second),
        ),
        row(
            "events on all topics",
            &|run| rate(run.events_per_second),
            &|run| Some(run.ratios.events_per_second),
        ),
        row(
            "one episode until applied, p50",
            &|run| time(run.latency.p50_ms),
            &|run| Some(run.ratios.p50),
        ),
        row("the same, p99", &|run| time(run.latency.p99_ms), &|run| {
            Some(run.ratios.p99)
        }),
        row(
            "transactions of the stages",
            &|run| match run.transactions_per_second {
                0.0 => "–".to_owned(),
                value => rate(value),
            },
            &|_| None,
        ),
        row(
            "processors busy",
            &|run| format!("{:.2}", run.busy_processors),
            &|_| None,
        ),
    ];
    table(&heads("what", report), rows);
}

/// What a stage does in a commit.
fn stages(report: &Report) {
    let told = |figures: &StageFigures| {
        let mut told = format!(
            "{:.1} inputs, {:.0} /s",
            figures.inputs_per_commit, figures.commits_per_second
        );
        if let (Some(time), Some(share)) = (figures.commit_ms, figures.commit_share) {
            told.push_str(&format!(", {time:.1} ms each, {:.0} %", share * 100.0));
        }
        if let Some(time) = figures.commit_ms_alone {
            told.push_str(&format!("; alone {time:.1} ms"));
        }
        told
    };
    let rows = report.embedded.stages.iter().enumerate();
    let rows = rows.map(|(place, embedded)| {
        let kafka = report.kafka.iter();
        let kafka = kafka.filter_map(|run| run.measured.stages.get(place).map(told));
        let fixed = [embedded.stage.to_owned(), told(embedded)];
        fixed.into_iter().chain(kafka).collect()
    });
    table(&heads("commits of", report), rows.collect());
    output::line(
        "the share is that of the time in transactions, added up over the instances; alone: while \
         episodes come one by one",
    );
}

/// What each role took of the processors.
fn processor_time(report: &Report) {
    let runs: Vec<&Measured> = std::iter::once(&report.embedded)
        .chain(report.kafka.iter().map(|run| &run.measured))
        .collect();
    let mut roles: Vec<&String> = runs
        .iter()
        .flat_map(|run| run.processor_seconds.keys())
        .collect();
    roles.sort_unstable();
    roles.dedup();
    let rows = roles.into_iter().map(|role| {
        let told = runs.iter().map(|run| {
            let seconds = run.processor_seconds.get(role);
            seconds.map_or_else(|| "–".to_owned(), |seconds| format!("{seconds:.1} s"))
        });
        std::iter::once(role.clone()).chain(told).collect()
    });
    table(&heads("processor time of", report), rows.collect());
}
