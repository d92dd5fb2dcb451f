//! Commands within commands: topics, schemas, dead letters, evaluations.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Target;

#[derive(Debug, Clone, Copy, Subcommand)]
pub enum ApplyCommand {
    /// Make what is missing, check what is there, change what may be changed.
    Apply,
}

#[derive(Debug, Subcommand)]
pub enum DlqCommand {
    /// List what could not be taken and what waits, without its content.
    #[command(after_help = "Example:\n  mneme dlq list --data memory")]
    List {
        #[command(flatten)]
        target: Target,
        /// What was replayed, too.
        #[arg(long)]
        all: bool,
        /// The most letters, the newest first [default: 1000].
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
    },
    /// Show a letter with its content.
    #[command(after_help = "Example:\n  mneme dlq show 6fa1f7a2-6a3c-5b0e-9d6e-0c1b7f3f5a11")]
    Show {
        #[command(flatten)]
        target: Target,
        /// The letter.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Take a letter again, or let a stage try a paused group again.
    #[command(
        after_help = "Examples:\n  mneme dlq replay 6fa1f7a2-6a3c-5b0e-9d6e-0c1b7f3f5a11\n  mneme dlq replay --group team --stage resolver"
    )]
    Replay {
        #[command(flatten)]
        target: Target,
        #[command(flatten)]
        again: Again,
    },
}

/// What is to be taken again.
#[derive(Debug, Args)]
pub struct Again {
    /// The letter.
    #[arg(value_name = "ID", conflicts_with_all = ["group", "stage"])]
    pub id: Option<String>,
    /// The paused group.
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// The stage that holds it.
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// Recall of turns on LoCoMo's conversations.
    #[command(after_help = "Example:\n  mneme eval locomo --file locomo.json")]
    Locomo {
        #[command(flatten)]
        target: Target,
        /// The file of conversations.
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
    /// How well times are read, by language.
    #[command(after_help = "Example:\n  mneme eval temporal --folder expressions")]
    Temporal {
        /// The folder of temporal expressions.
        #[arg(long, value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// How well records of one thing are joined: pair F1.
    #[command(after_help = "Example:\n  mneme eval entities --folder records")]
    Entities {
        #[command(flatten)]
        target: Target,
        /// The folder of records.
        #[arg(long, value_name = "FOLDER")]
        folder: PathBuf,
    },
}
