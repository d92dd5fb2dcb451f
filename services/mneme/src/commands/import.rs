//! `mneme import`: episodes, one JSON object a line, in batches. An episode that is there already is
//! answered as such by the server, so an import that was interrupted is simply run again.

use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use mneme_gateway::intake::{Mapping, Mappings};
use reqwest::{Method, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use super::lasts::{Lasts, last_of_each_group};
use crate::client::{Client, Refused};
use crate::output;

/// How many episodes go in one request.
const BATCH: usize = 200;
/// How many bytes of lines go in one request, well below the server's limit.
const BATCH_BYTES: usize = 4 << 20;

/// What to import.
pub struct Import {
    pub files: Vec<PathBuf>,
    pub mapping: Option<String>,
    pub intake: Option<PathBuf>,
    pub wait: bool,
}

/// What came of it.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Episodes that are new.
    pub added: usize,
    /// Episodes that were there already.
    pub duplicates: usize,
    /// Lines that were refused.
    pub refused: Vec<RefusedLine>,
}

/// A line that was refused.
#[derive(Debug, Serialize)]
pub struct RefusedLine {
    /// The file.
    pub file: String,
    /// The number of the line, from 1.
    pub line: usize,
    /// Why.
    pub reason: String,
}

impl Report {
    /// Prints it.
    pub fn print(&self, json: bool) -> anyhow::Result<()> {
        if json {
            return output::json(self);
        }
        for RefusedLine { file, line, reason } in &self.refused {
            output::note(format!("{file}:{line}: {reason}"));
        }
        let Self {
            added,
            duplicates,
            refused,
        } = self;
        output::line(format!(
            "{added} added, {duplicates} already there, {} refused",
            refused.len()
        ));
        Ok(())
    }

    /// Success only if no line was refused.
    pub fn exit_code(&self) -> ExitCode {
        if self.refused.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(2)
        }
    }
}

/// Lines of one request.
#[derive(Default)]
struct Batch {
    episodes: Vec<Value>,
    lines: Vec<usize>,
    bytes: usize,
}

/// Imports the files in order.
pub async fn run(client: &Client, import: &Import) -> anyhow::Result<Report> {
    let mapping = match (&import.mapping, &import.intake) {
        (Some(name), Some(file)) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("the intake file {} can't be read", file.display()))?;
            let mappings = Mappings::parse(&text)?;
            let mapping = mappings.get(name);
            Some(
                mapping
                    .with_context(|| format!("no mapping is named {name}"))?
                    .clone(),
            )
        }
        _ => None,
    };
    let mut report = Report::default();
    let mut lasts = Lasts::default();
    let mut waited = import.wait.then_some(&mut lasts);
    for file in &import.files {
        let bar = progress_bar(file);
        let reader: Box<dyn BufRead> = if file.as_os_str() == "-" {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            let opened = std::fs::File::open(file)
                .with_context(|| format!("{} can't be opened", file.display()))?;
            Box::new(BufReader::new(opened))
        };
        let mut batch = Batch::default();
        for (index, text) in reader.split(b'\n').enumerate() {
            let text = text.with_context(|| format!("{} can't be read", file.display()))?;
            bar.inc(text.len() as u64 + 1);
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match read_line(&text, mapping.as_ref()) {
                Ok(episode) => {
                    batch.bytes += text.len();
                    batch.episodes.push(episode);
                    batch.lines.push(index + 1);
                }
                Err(reason) => report.refuse(file, index + 1, reason),
            }
            if batch.episodes.len() >= BATCH || batch.bytes >= BATCH_BYTES {
                send(
                    client,
                    file,
                    std::mem::take(&mut batch),
                    &mut report,
                    waited.as_deref_mut(),
                )
                .await?;
            }
        }
        send(client, file, batch, &mut report, waited.as_deref_mut()).await?;
        report
            .refused
            .sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        bar.finish_and_clear();
    }
    lasts.wait(client).await?;
    Ok(report)
}

fn read_line(text: &[u8], mapping: Option<&Mapping>) -> Result<Value, String> {
    let value: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    match mapping {
        None => Ok(value),
        Some(mapping) => {
            let episode = mapping.apply(&value).map_err(|error| error.to_string())?;
            serde_json::to_value(episode).map_err(|error| error.to_string())
        }
    }
}

async fn send(
    client: &Client,
    file: &Path,
    batch: Batch,
    report: &mut Report,
    waited: Option<&mut Lasts>,
) -> anyhow::Result<()> {
    if batch.episodes.is_empty() {
        return Ok(());
    }
    let body = json!({ "episodes": batch.episodes });
    let answer = send_patiently(client, &body).await?;
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    anyhow::ensure!(
        results.len() == batch.lines.len(),
        "the server answered for other episodes"
    );
    let request = batch.lines.first().copied().unwrap_or_default();
    let mut accepted = Vec::new();
    for ((result, line), episode) in results.iter().zip(batch.lines).zip(batch.episodes) {
        match result.get("problem").filter(|problem| !problem.is_null()) {
            Some(problem) => {
                let detail = problem["detail"].as_str().unwrap_or("refused");
                // The number of the line is told, not the place in the batch.
                let reason = match detail
                    .strip_prefix("episodes[")
                    .and_then(|at| at.split_once("]."))
                {
                    Some((_, rest)) => rest,
                    None => detail,
                };
                report.refuse(file, line, reason.to_owned());
            }
            None => {
                if result["duplicate"] == Value::Bool(true) {
                    report.duplicates += 1;
                } else {
                    report.added += 1;
                }
                accepted.push(with_id(episode, result));
            }
        }
    }
    let Some(lasts) = waited else { return Ok(()) };
    for last in last_of_each_group(&accepted) {
        lasts.sent(request, last);
    }
    lasts.answered(request);
    if lasts.is_full() {
        lasts.wait(client).await?;
    }
    Ok(())
}

/// The episode with the id that the server gave it, where it came without one.
fn with_id(mut episode: Value, result: &Value) -> Value {
    if episode.get("episode_id").is_none_or(Value::is_null) {
        episode["episode_id"] = result["episode_id"].clone();
    }
    episode
}

/// Sends a batch; while the server is busy or away for a moment it is sent again.
async fn send_patiently(client: &Client, body: &Value) -> anyhow::Result<Value> {
    let mut pause = Duration::from_millis(200);
    for _ in 0..8 {
        let sent = client
            .call(Method::POST, &["v1", "episodes", "batch"], &[], body)
            .await;
        let Err(error) = &sent else { return sent };
        let busy = error.downcast_ref::<Refused>().is_some_and(|refused| {
            matches!(
                refused.status,
                StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
            )
        });
        if !busy {
            return sent;
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    client
        .call(Method::POST, &["v1", "episodes", "batch"], &[], body)
        .await
}

fn progress_bar(file: &Path) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let length = std::fs::metadata(file)
        .map(|metadata| metadata.len())
        .unwrap_or(0);
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {percent}% {bytes_per_sec}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.set_message(file.display().to_string());
    bar
}

impl Report {
    fn refuse(&mut self, file: &Path, line: usize, reason: String) {
        self.refused.push(RefusedLine {
            file: file.display().to_string(),
            line,
            reason,
        });
    }
}
