//! `mneme-cases [FOLDER] [--only NAME]… [--kafka]`: runs the conformance cases and prints a line for each that
//! failed or was not run, then the counts. Exit code 1 when a case failed, 2 when none could be run.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use mneme_conformance::{Kafka, Options, Report, RunnerError, cases_folder, run};

/// Runs the conformance cases against the mneme binary (MNEME_BIN, else the one built beside).
#[derive(Parser)]
struct Arguments {
    /// The folder of case files; MNEME_CASES or the shipped ones where it is not given.
    folder: Option<PathBuf>,
    /// Only cases whose `file/id` holds this; may be given several times.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// How many cases run at once.
    #[arg(long, default_value_t = 3)]
    parallel: usize,
    /// Check `grep_all` too.
    #[arg(long)]
    grep_all: bool,
    /// Run all roles as processes over Kafka. MNEME_KAFKA__BOOTSTRAP and MNEME_KAFKA__REGISTRY name the
    /// servers; without them it is those of `make servers-up`.
    #[arg(long)]
    kafka: bool,
    /// Tell of each case as it ends.
    #[arg(long, short)]
    verbose: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run_cases(Arguments::parse()).await {
        Ok(report) => {
            let _ = writeln!(io::stdout(), "{report}");
            if report.is_clean() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "mneme-cases: {error}");
            ExitCode::from(2)
        }
    }
}

async fn run_cases(arguments: Arguments) -> Result<Report, RunnerError> {
    let mut options = Options::standard()?;
    options.only = arguments.only;
    options.parallel = arguments.parallel;
    options.grep_all = arguments.grep_all;
    options.kafka = arguments.kafka.then(Kafka::named);
    let folder = arguments.folder.unwrap_or_else(cases_folder);
    run(&folder, &options, |result| {
        if arguments.verbose {
            let _ = writeln!(io::stderr(), "{result}");
        }
    })
    .await
}
