//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::roles::Role;

mod nested;

pub use nested::{Again, ApplyCommand, DlqCommand, EvalCommand};

/// Long-term memory for AI agents.
#[derive(Debug, Parser)]
#[command(name = "mneme", version, max_term_width = 100)]
pub struct Arguments {
    /// A file of settings (TOML).
    #[arg(long, global = true, env = "MNEME_CONFIG", value_name = "FILE")]
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
    #[arg(long, env = "MNEME_URL", conflicts_with = "data", value_name = "URL")]
    pub url: Option<String>,
    /// The data folder; used without a server.
    #[arg(long, env = "MNEME_DATA", value_name = "FOLDER")]
    pub data: Option<PathBuf>,
}

/// The instants of a read.
#[derive(Debug, Clone, Default, Args)]
pub struct Times {
    /// What held at this instant (default: now).
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<String>,
    /// As the system knew it at this instant (default: now).
    #[arg(long, value_name = "TIME")]
    pub known_at: Option<String>,
    /// What has ended, or not begun, too.
    #[arg(long)]
    pub include_past: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a whole memory in one process.
    #[command(after_help = "Example:\n  mneme up --data memory --listen 127.0.0.1:7878")]
    Up {
        /// The folder that holds everything [default: mneme-data].
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
        /// Where HTTP is served [default: 127.0.0.1:7878].
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<SocketAddr>,
        /// A file of extraction answers in place of a model, for conformance cases.
        #[arg(long, hide = true)]
        stub_extractions: Option<PathBuf>,
    },
    /// Run one role of a memory over Kafka.
    #[command(
        after_help = "Example:\n  mneme run extractor --config mneme.toml --data extractor-data"
    )]
    Run {
        /// The role.
        #[arg(value_name = "ROLE")]
        role: Role,
        /// The folder for what the role keeps [default: mneme-data]. It may be lost: it is read back
        /// from Kafka.
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
        /// Where HTTP is served [default: 127.0.0.1:7878].
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<SocketAddr>,
        /// A file of extraction answers in place of a model, for conformance cases.
        #[arg(long, hide = true)]
        stub_extractions: Option<PathBuf>,
    },
    /// The topics of Kafka.
    #[command(after_help = "Example:\n  mneme topics apply --config mneme.toml")]
    Topics {
        #[command(subcommand)]
        command: ApplyCommand,
    },
    /// The schemas in the registry.
    #[command(after_help = "Example:\n  mneme schemas apply --config mneme.toml")]
    Schemas {
        #[command(subcommand)]
        command: ApplyCommand,
    },
    /// Add one episode.
    #[command(
        after_help = "Example:\n  mneme add --group team --author \"Ann Lee\" \"I moved to Oslo in May 2026.\" --wait"
    )]
    Add {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long, value_name = "GROUP")]
        group: String,
        /// The text; `-` reads standard input.
        #[arg(value_name = "TEXT")]
        text: String,
        /// The episode's id [default: a new one].
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// The thread.
        #[arg(long, value_name = "THREAD")]
        thread: Option<String>,
        /// Who wrote it; makes it a message.
        #[arg(long, value_name = "NAME")]
        author: Option<String>,
        /// When it was said [default: now].
        #[arg(long, value_name = "TIME")]
        time: Option<String>,
        /// Return when it can be searched.
        #[arg(long)]
        wait: bool,
    },
    /// Import episodes, one JSON object a line. May be repeated: nothing is added twice.
    #[command(
        after_help = "Example:\n  mneme import episodes.jsonl\n  mneme import contacts.jsonl --mapping contacts --intake intake.toml"
    )]
    Import {
        #[command(flatten)]
        target: Target,
        /// Files; `-` is standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Map raw records with this mapping of the intake file.
        #[arg(long, requires = "intake", value_name = "NAME")]
        mapping: Option<String>,
        /// The file of intake mappings.
        #[arg(long, requires = "mapping", value_name = "FILE")]
        intake: Option<PathBuf>,
        /// Don't wait until all can be searched.
        #[arg(long)]
        no_wait: bool,
    },
    /// Search facts, entities, episodes and communities.
    #[command(
        after_help = "Example:\n  mneme search --group team \"Where does Ann live?\" --as-of 2026-03"
    )]
    Search {
        #[command(flatten)]
        target: Target,
        /// The groups.
        #[arg(long, required = true, value_name = "GROUP")]
        group: Vec<String>,
        /// What to look for.
        #[arg(value_name = "QUERY")]
        query: String,
        /// The most results of each kind.
        #[arg(long, default_value_t = 10, value_name = "COUNT")]
        limit: usize,
        /// Only these kinds: facts, entities, episodes, communities.
        #[arg(long, value_name = "KIND")]
        scope: Vec<String>,
        #[command(flatten)]
        times: Times,
        /// A filter as JSON.
        #[arg(long, value_name = "JSON")]
        filter: Option<String>,
    },
    /// Write a context for a model into a budget of tokens.
    #[command(
        after_help = "Example:\n  mneme context --group team \"Where does Ann live?\" --max-tokens 1000"
    )]
    Context {
        #[command(flatten)]
        target: Target,
        /// The groups.
        #[arg(long, required = true, value_name = "GROUP")]
        group: Vec<String>,
        /// What the model is asked.
        #[arg(value_name = "QUERY")]
        query: String,
        /// The most tokens.
        #[arg(long, default_value_t = 2_000, value_name = "COUNT")]
        max_tokens: usize,
        #[command(flatten)]
        times: Times,
    },
    /// List facts.
    #[command(
        after_help = "Example:\n  mneme facts --group team --subject \"Ann Lee\" --relation LIVES_IN --include-past"
    )]
    Facts {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long, value_name = "GROUP")]
        group: String,
        /// Only of this subject.
        #[arg(long, value_name = "NAME")]
        subject: Option<String>,
        /// Only of this relation.
        #[arg(long, value_name = "RELATION")]
        relation: Option<String>,
        #[command(flatten)]
        times: Times,
    },
    /// List entities.
    #[command(after_help = "Example:\n  mneme entities --group team --name \"Ann Lee\"")]
    Entities {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long, value_name = "GROUP")]
        group: String,
        /// Only of this name.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// All that was ever believed of an entity, by name.
    #[command(after_help = "Example:\n  mneme history --group team \"Ann Lee\"")]
    History {
        #[command(flatten)]
        target: Target,
        /// The group.
        #[arg(long, value_name = "GROUP")]
        group: String,
        /// The entity's name or id.
        #[arg(value_name = "ENTITY")]
        entity: String,
    },
    /// Tell how far a memory, or an episode, is.
    #[command(
        after_help = "Example:\n  mneme status\n  mneme status --group team --episode note-1"
    )]
    Status {
        #[command(flatten)]
        target: Target,
        /// The group of the episode.
        #[arg(long, requires = "episode", value_name = "GROUP")]
        group: Option<String>,
        /// The episode.
        #[arg(long, requires = "group", value_name = "ID")]
        episode: Option<String>,
    },
    /// Rebuild every projection from the log and change over to it.
    #[command(after_help = "Example:\n  mneme replay --url http://127.0.0.1:7878")]
    Replay {
        #[command(flatten)]
        target: Target,
        /// Change over even if the digests differ.
        #[arg(long)]
        force: bool,
    },
    /// Compare every projection with the log.
    #[command(after_help = "Example:\n  mneme verify --data memory")]
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
    #[command(after_help = "Example:\n  mneme demo examples/company")]
    Demo {
        /// The folder of the demonstration.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Keep the memory in this folder [default: a temporary one].
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
    },
    /// Measure how well it remembers.
    Eval {
        #[command(subcommand)]
        command: EvalCommand,
    },
    /// Measure how fast it is.
    #[command(after_help = "Example:\n  mneme bench --quick")]
    Bench {
        /// A small load, to see that it runs; the figures mean little.
        #[arg(long)]
        quick: bool,
        /// Keep the data in this folder [default: a temporary one].
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
        /// Measure all stages as processes over Kafka, and compare with the embedded log.
        #[arg(long, conflicts_with = "data")]
        kafka: bool,
        /// How many partitions the topics have that are made for it.
        #[arg(long, requires = "kafka", default_value_t = 12, value_name = "COUNT")]
        partitions: u32,
    },
}

#[cfg(test)]
mod tests;
