//! `mneme`: long-term memory for AI agents. One binary: the server (`mneme up`) and the commands that
//! talk to one.

mod arguments;
mod client;
mod commands;
mod configuration;
mod machine;
mod node;
mod output;
mod server;
mod stub;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match commands::run(arguments) {
        Ok(code) => code,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}
