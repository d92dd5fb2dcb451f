//! Runs the cases of a folder, a few at a time, each against a server of its own.

use std::path::{Path, PathBuf};
use std::time::Instant;

use futures::stream::{self, StreamExt};

use crate::case::Case;
use crate::case_run::{AT_ONCE, run_plan, start};
use crate::expectation::Expectation;
use crate::folder::{NoCase, read_folder};
use crate::kafka::Kafka;
use crate::names_file::NamePair;
use crate::report::{CaseResult, Report, Verdict};
use crate::server::{ServerError, find_binary};

/// How a folder is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The `mneme` binary.
    pub binary: PathBuf,
    /// Only cases whose name (`file/id`) holds one of these; all where it is empty.
    pub only: Vec<String>,
    /// How many cases run at once.
    pub parallel: usize,
    /// Whether `grep_all` is checked: the log itself keeps what was erased until its keys are
    /// shredded.
    pub grep_all: bool,
    /// The servers for roles as processes; without them each case has one process.
    pub kafka: Option<Kafka>,
}

impl Options {
    /// All cases against the binary that [`find_binary`] finds, three at a time.
    pub fn standard() -> Result<Self, RunnerError> {
        Ok(Self {
            binary: find_binary()?,
            only: Vec::new(),
            parallel: 3,
            grep_all: false,
            kafka: None,
        })
    }

    fn takes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part))
    }
}

/// Why nothing can be run.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The folder or a file of it can't be read.
    #[error("{path}: {reason}")]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// What was wrong.
        reason: String,
    },
    /// No case has such a name.
    #[error("no case is named like {0:?}")]
    NoSuchCase(Vec<String>),
    /// No server can be started.
    #[error(transparent)]
    Server(#[from] ServerError),
}

/// Runs the folder's cases; `told` hears of each as it ends, the report is in the files' order.
pub async fn run(
    folder: &Path,
    options: &Options,
    mut told: impl FnMut(&CaseResult),
) -> Result<Report, RunnerError> {
    let found = read_folder(folder)?;
    let named = found.cases.into_iter().map(|(file, case)| {
        let id = match &case {
            Ok(case) => &case.id,
            Err(none) => &none.id,
        };
        (format!("{file}/{id}"), case)
    });
    let cases: Vec<_> = named.filter(|(name, _)| options.takes(name)).collect();
    let pairs: Vec<(usize, NamePair)> = (1..)
        .zip(found.pairs)
        .filter(|(number, _)| options.takes(&NamePair::name(*number)))
        .collect();
    if cases.is_empty() && pairs.is_empty() {
        return Err(RunnerError::NoSuchCase(options.only.clone()));
    }
    let mut numbered = Vec::with_capacity(cases.len());
    let mut running = stream::iter(cases.into_iter().enumerate())
        .map(async |(index, (name, case))| (index, run_case(name, case, options).await))
        .buffer_unordered(options.parallel.max(1));
    while let Some((index, result)) = running.next().await {
        told(&result);
        numbered.push((index, result));
    }
    drop(running);
    numbered.sort_by_key(|(index, _)| *index);
    let mut results: Vec<CaseResult> = numbered.into_iter().map(|(_, result)| result).collect();
    if !pairs.is_empty() {
        let of_pairs = run_pairs(&pairs, options).await?;
        of_pairs.iter().for_each(told);
        results.extend(of_pairs);
    }
    Ok(Report { results })
}

async fn run_case(name: String, case: Result<Case, NoCase>, options: &Options) -> CaseResult {
    let begun = Instant::now();
    let mut left_out = None;
    let verdict = match case {
        Err(none) => Verdict::Failed(vec![format!("is no case: {}", none.reason)]),
        Ok(case) => match (case.needs(), case.plan()) {
            (Some(reason), _) => Verdict::NotRun(reason.to_owned()),
            (None, Err(reason)) => Verdict::Failed(vec![reason]),
            (None, Ok(plan)) => {
                let greps = plan
                    .expect
                    .iter()
                    .any(|e| matches!(e, Expectation::GrepAll(_)));
                if greps && !options.grep_all {
                    left_out = Some("grep_all of it; the rest is run".to_owned());
                }
                match run_plan(&case, &plan, options).await {
                    Ok(differences) if differences.is_empty() => Verdict::Passed,
                    Ok(differences) => Verdict::Failed(differences),
                    Err(error) => Verdict::Failed(vec![error.to_string()]),
                }
            }
        },
    };
    CaseResult {
        name,
        verdict,
        left_out,
        took: begun.elapsed(),
    }
}

async fn run_pairs(
    pairs: &[(usize, NamePair)],
    options: &Options,
) -> Result<Vec<CaseResult>, RunnerError> {
    let folder = tempfile::tempdir().map_err(ServerError::from)?;
    let server = start(folder.path(), None, options).await?;
    let client = server.client();
    let results = stream::iter(pairs)
        .map(|(number, pair)| pair.run(&client, *number))
        .buffered(AT_ONCE)
        .collect()
        .await;
    server.stop().await?;
    Ok(results)
}
