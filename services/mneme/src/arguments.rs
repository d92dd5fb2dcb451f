//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Long-term memory for AI agents.
#[derive(Debug, Parser)]
#[command(name = "mneme", version, max_term_width = 100)]
pub struct Arguments {
    /// A file of settings (TOML).
    #[arg(long, global = true, env = "MNEME_CONFIG")]
    pub config: Option<PathBuf>,
    /// Answer in JSON, for programs.
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// Which memory a command talks to: a server, or a data folder that no server has.
#[derive(Debug, Clone, Default, Args)]
pub struct Target {
    /// The server's address.
    #[arg(long, env = "MNEME_URL", conflicts_with = "data")]
    pub url: Option<String>,
    /// The data folder; used without a server.
    #[arg(long, env = "MNEME_DATA")]
    pub data: Option<PathBuf>,
}

/// The instants of a read.
#[derive(Debug, Clone, Default, Args)]
pub struct Times {
    /// What held at this instant (default: now).
    #[arg(long)]
    pub as_of: Option<String>,
    /// As the system knew it at this instant (default: now).
    #[arg(long)]
    pub known_at: Option<String>,
    /// What has ended, or not begun, too.
    #[arg(long)]
    pub include_past: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a whole memory in one process.
    Up {
        /// The folder that holds everything [default: mneme-data].
        #[arg(long)]
        data: Option<PathBuf>,
        /// Where HTTP is served [default: 127.0.0.1:7878].
        #[arg(long)]
        listen: Option<SocketAddr>,
        /// A file of extraction answers in place of a model, for conformance cases.
        #[arg(long, hide = true)]
        stub_extractions: Option<PathBuf>,
    },
    /// Add one episode.
    Add {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long)]
        group: String,
        /// The text; `-` reads standard input.
        text: String,
        /// The episode's id [default: a new one].
        #[arg(long)]
        id: Option<String>,
        /// The thread.
        #[arg(long)]
        thread: Option<String>,
        /// Who wrote it; makes it a message.
        #[arg(long)]
        author: Option<String>,
        /// When it was said [default: now].
        #[arg(long)]
        time: Option<String>,
        /// Return when it can be searched.
        #[arg(long)]
        wait: bool,
    },
    /// Import episodes, one JSON object a line. May be repeated: nothing is added twice.
    Import {
        #[command(flatten)]
        target: Target,
        /// Files; `-` is standard input.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Map raw records with this mapping of the intake file.
        #[arg(long, requires = "intake")]
        mapping: Option<String>,
        /// The file of intake mappings.
        #[arg(long, requires = "mapping")]
        intake: Option<PathBuf>,
        /// Don't wait until the last episode can be searched.
        #[arg(long)]
        no_wait: bool,
    },
    /// Search facts, entities, episodes and communities.
    Search {
        #[command(flatten)]
        target: Target,
        /// The groups.
        #[arg(long, required = true)]
        group: Vec<String>,
        /// What to look for.
        query: String,
        /// The most results of each kind.
        #[arg(long, default_value_t = 10)]
        limit: usize,
        /// Only these kinds: facts, entities, episodes, communities.
        #[arg(long)]
        scope: Vec<String>,
        #[command(flatten)]
        times: Times,
        /// A filter as JSON.
        #[arg(long)]
        filter: Option<String>,
    },
    /// Write a context for a model into a budget of tokens.
    Context {
        #[command(flatten)]
        target: Target,
        /// The groups.
        #[arg(long, required = true)]
        group: Vec<String>,
        /// What the model is asked.
        query: String,
        /// The most tokens.
        #[arg(long, default_value_t = 2_000)]
        max_tokens: usize,
        #[command(flatten)]
        times: Times,
    },
    /// List facts.
    Facts {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long)]
        group: String,
        /// Only of this subject.
        #[arg(long)]
        subject: Option<String>,
        /// Only of this relation.
        #[arg(long)]
        relation: Option<String>,
        #[command(flatten)]
        times: Times,
    },
    /// List entities.
    Entities {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long)]
        group: String,
        /// Only of this name.
        #[arg(long)]
        name: Option<String>,
    },
    /// All that was ever believed of an entity, by name.
    History {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long)]
        group: String,
        /// The entity's name or id.
        entity: String,
    },
    /// Tell how far a memory, or an episode, is.
    Status {
        #[command(flatten)]
        target: Target,
        /// The group of the episode.
        #[arg(long, requires = "episode")]
        group: Option<String>,
        /// The episode.
        #[arg(long, requires = "group")]
        episode: Option<String>,
    },
    /// Rebuild every projection from the log and change over to it.
    Replay {
        #[command(flatten)]
        target: Target,
        /// Change over even if the digests differ.
        #[arg(long)]
        force: bool,
    },
    /// Compare every projection with the log.
    Verify {
        #[command(flatten)]
        target: Target,
    },
    /// Dead letters and parked groups.
    Dlq {
        #[command(subcommand)]
        command: DlqCommand,
    },
    /// Run a demonstration: import, then ask questions and check the answers.
    Demo {
        /// The folder of the demonstration.
        folder: PathBuf,
        /// Keep the memory in this folder [default: a temporary one].
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Measure how well it remembers.
    Eval {
        #[command(subcommand)]
        command: EvalCommand,
    },
    /// Measure how fast it is.
    Bench {
        /// A small load, to see that it runs; the figures mean little.
        #[arg(long)]
        quick: bool,
        /// Keep the data in this folder [default: a temporary one].
        #[arg(long)]
        data: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub enum DlqCommand {
    /// List what could not be taken and what waits.
    List {
        #[command(flatten)]
        target: Target,
    },
    /// Let a stage try a parked group again.
    Replay {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long)]
        group: String,
        /// The stage that parked it.
        #[arg(long)]
        stage: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// Recall of turns on LoCoMo's conversations.
    Locomo {
        #[command(flatten)]
        target: Target,
        /// The file of conversations.
        #[arg(long)]
        file: PathBuf,
    },
    /// How well times are read, by language.
    Temporal {
        /// The folder of temporal expressions.
        #[arg(long)]
        folder: PathBuf,
    },
    /// How well records of one thing are joined: pair F1.
    Entities {
        #[command(flatten)]
        target: Target,
        /// The folder of records.
        #[arg(long)]
        folder: PathBuf,
    },
}
