//! `mneme demo`: a folder's script is run on a memory of its own, then its questions are asked, and
//! the answers are printed with their dates and sources and checked.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use mneme_model::{Clock, SystemClock};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::arguments::Target;
use crate::client::{Client, Connection};
use crate::commands::import::{self, Import};
use crate::configuration::Configuration;
use crate::output::{self, moment, period};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    group_id: String,
    steps: Vec<Step>,
    questions: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    Ontology(PathBuf),
    Import(PathBuf),
    Correct(Value),
    EraseEpisode(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: String,
    #[serde(default)]
    search: Option<Map<String, Value>>,
    #[serde(default)]
    facts: Option<Map<String, Value>>,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    contains: Vec<Value>,
    lacks: Vec<String>,
}

/// Runs the demonstration; fails if an answer is wrong.
pub async fn run(
    configuration: &Configuration,
    folder: &Path,
    data: Option<PathBuf>,
) -> anyhow::Result<ExitCode> {
    let text = std::fs::read_to_string(folder.join("demo.json"))
        .with_context(|| format!("{} has no demo.json", folder.display()))?;
    let script: Script = serde_json::from_str(&text).context("demo.json can't be read")?;
    let temporary = tempfile::tempdir()?;
    let data = data.unwrap_or_else(|| temporary.path().join("data"));
    let is_new = !data.exists() || std::fs::read_dir(&data)?.next().is_none();
    anyhow::ensure!(
        is_new,
        "{} is not empty: the demonstration begins with an empty memory",
        data.display()
    );
    let target = Target {
        url: None,
        data: Some(data),
    };
    let connection = Connection::open(&target, configuration, true).await?;
    let wrong = run_script(&connection.client, folder, &script).await;
    connection.close().await?;
    let (wrong, questions) = (wrong?, script.questions.len());
    output::line(format!(
        "{} of {questions} answers are right",
        questions - wrong
    ));
    Ok(if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn run_script(client: &Client, folder: &Path, script: &Script) -> anyhow::Result<usize> {
    let started = std::time::Instant::now();
    let clock = SystemClock::default();
    let mut known_after = Vec::new();
    for step in &script.steps {
        take(client, folder, &script.group_id, step).await?;
        known_after.push(clock.now().to_string());
    }
    let time = started.elapsed().as_secs_f64();
    output::line(format!("remembered in {time:.1} s\n"));
    let mut wrong = 0;
    for (number, question) in script.questions.iter().enumerate() {
        let answers = ask(client, &script.group_id, question, &known_after).await?;
        output::line(format!("{}. {}", number + 1, question.ask));
        for answer in answers.iter().take(6) {
            output::line(format!("   {}", describe(answer)));
        }
        if answers.is_empty() {
            output::line("   nothing is known of that");
        }
        let faults = check(&answers, &question.expect);
        for fault in &faults {
            output::line(format!("   WRONG: {fault}"));
        }
        wrong += usize::from(!faults.is_empty());
        output::line("");
    }
    Ok(wrong)
}

async fn take(client: &Client, folder: &Path, group: &str, step: &Step) -> anyhow::Result<()> {
    let wait = [("wait", "applied".to_owned())];
    match step {
        Step::Ontology(file) => {
            let ontology: Value = serde_json::from_slice(&std::fs::read(folder.join(file))?)?;
            let path = ["v1", "groups", group, "ontology"];
            client
                .call::<Value>(Method::PUT, &path, &wait, &ontology)
                .await?;
        }
        Step::Import(file) => {
            let import = Import {
                files: vec![folder.join(file)],
                mapping: None,
                intake: None,
                wait: true,
            };
            let report = import::run(client, &import).await?;
            report.print(false)?;
            anyhow::ensure!(
                report.refused.is_empty(),
                "{} has bad lines",
                file.display()
            );
        }
        Step::Correct(correction) => {
            let path = ["v1", "groups", group, "corrections"];
            client
                .call::<Value>(Method::POST, &path, &wait, correction)
                .await?;
        }
        Step::EraseEpisode(episode) => {
            let path = ["v1", "groups", group, "episodes", episode];
            client.delete::<Value>(&path, &wait).await?;
        }
    }
    // Instants of system time are told apart by the microsecond; a step never shares one with the
    // next.
    tokio::time::sleep(Duration::from_millis(1)).await;
    Ok(())
}

async fn ask(
    client: &Client,
    group: &str,
    question: &Question,
    known_after: &[String],
) -> anyhow::Result<Vec<Value>> {
    let known_at = |value: &Value| -> anyhow::Result<Value> {
        let Some(step) = value["after_step"].as_u64() else {
            return Ok(value.clone());
        };
        let at = known_after.get((step as usize).wrapping_sub(1));
        Ok(at
            .with_context(|| format!("there is no step {step}"))?
            .clone()
            .into())
    };
    if let Some(facts) = &question.facts {
        let mut query = Vec::new();
        for (name, value) in facts {
            let value = if name == "known_at" {
                known_at(value)?
            } else {
                value.clone()
            };
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            query.push((name.as_str(), text));
        }
        let answer: Value = client
            .get(&["v1", "groups", group, "facts"], &query)
            .await?;
        return Ok(answer["facts"].as_array().cloned().unwrap_or_default());
    }
    let mut body = question
        .search
        .clone()
        .context("a question has neither facts nor search")?;
    body.insert("group_ids".into(), json!([group]));
    if let Some(value) = body.get("known_at").cloned() {
        body.insert("known_at".into(), known_at(&value)?);
    }
    let answer: Value = client
        .call(Method::POST, &["v1", "search"], &[], &body)
        .await?;
    Ok(answer["results"].as_array().cloned().unwrap_or_default())
}

/// The fact in an answer: the answer itself, or what a search result is about.
fn fact_of(answer: &Value) -> Option<&Value> {
    if answer["relation"].is_string() {
        return Some(answer);
    }
    Some(&answer["fact"]).filter(|fact| fact.is_object())
}

fn describe(answer: &Value) -> String {
    let sources: Vec<&str> = answer["sources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|source| source["episode_id"].as_str())
        .collect();
    let (what, when) = match fact_of(answer) {
        Some(fact) => {
            let field = |name: &str| fact[name].as_str().unwrap_or_default();
            let when = period(
                field("valid_at"),
                fact["invalid_at"].as_str(),
                field("precision"),
            );
            (field("fact").to_owned(), when)
        }
        None => {
            let said = answer["episode"]["reference_time"]
                .as_str()
                .unwrap_or_default();
            let text: String = answer["text"]
                .as_str()
                .unwrap_or_default()
                .chars()
                .take(160)
                .collect();
            (text.replace('\n', " "), moment(said).to_owned())
        }
    };
    let kind = answer["kind"]
        .as_str()
        .map(|kind| format!("{kind}: "))
        .unwrap_or_default();
    format!("{kind}{what}  [{when}]  from {}", sources.join(", "))
}

/// What is wrong with the answers.
fn check(answers: &[Value], expected: &Expected) -> Vec<String> {
    let texts: Vec<String> = answers.iter().map(searchable).collect();
    let mut faults = Vec::new();
    let mut taken = vec![false; answers.len()];
    for wanted in &expected.contains {
        let fits = |index: usize| match wanted {
            Value::String(text) => texts[index].contains(text),
            row => matches_row(&answers[index], row),
        };
        match (0..answers.len()).find(|&index| !taken[index] && fits(index)) {
            Some(index) if wanted.is_string() => taken[index] = true,
            Some(_) => {}
            None => faults.push(format!("{wanted} is missing")),
        }
    }
    for unwanted in &expected.lacks {
        if texts.iter().any(|text| text.contains(unwanted)) {
            faults.push(format!("\"{unwanted}\" should not be there"));
        }
    }
    faults
}

/// What a string of the script is looked for in: a fact's ends and sentence, else the text.
fn searchable(answer: &Value) -> String {
    match fact_of(answer) {
        Some(fact) => {
            let ends = [&fact["subject"]["name"], object_of(fact), &fact["fact"]];
            ends.iter()
                .filter_map(|end| end.as_str())
                .collect::<Vec<_>>()
                .join("\n")
        }
        None => answer["text"].as_str().unwrap_or_default().to_owned(),
    }
}

fn object_of(fact: &Value) -> &Value {
    let name = &fact["object"]["name"];
    if name.is_null() {
        &fact["object"]["value"]
    } else {
        name
    }
}

fn matches_row(answer: &Value, row: &Value) -> bool {
    let Some(fact) = fact_of(answer) else {
        return false;
    };
    let got = [
        &fact["subject"]["name"],
        &fact["relation"],
        object_of(fact),
        &fact["valid_at"],
        &fact["invalid_at"],
    ];
    let wanted = row.as_array().map(Vec::as_slice).unwrap_or_default();
    wanted.len() == got.len()
        && wanted
            .iter()
            .zip(got)
            .all(|(wanted, got)| wanted == "*" || wanted == got)
}
