//! What a person or a program sees: tables on a terminal, JSON for programs, errors on standard
//! error. The only place that prints.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is where output is made"
)]

use std::io::{ErrorKind, Write};

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{ContentArrangement, Table};
use console::Term;
use serde::Serialize;

/// A line on standard output. A reader that went away (`| head`) ends the process quietly.
pub fn line(text: impl std::fmt::Display) {
    if let Err(error) = writeln!(std::io::stdout(), "{text}")
        && error.kind() == ErrorKind::BrokenPipe
    {
        std::process::exit(0);
    }
}

/// A value as JSON on standard output.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string_pretty(value)?);
    Ok(())
}

/// A note on standard error.
pub fn note(text: impl std::fmt::Display) {
    eprintln!("{text}");
}

/// An error with its causes on standard error.
pub fn error(error: &anyhow::Error) {
    eprintln!("mneme: {error:#}");
}

/// A table on standard output.
pub fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let mut table = Table::new();
    table
        .load_preset(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(heads.iter().copied());
    if let Some((_, width)) = Term::stdout().size_checked() {
        table.set_width(width);
    }
    let mut count = 0;
    for row in rows {
        table.add_row(row);
        count += 1;
    }
    if count == 0 {
        line("nothing found");
    } else {
        line(table);
    }
}

/// A span of time for people: `2024-03-01 – now`.
pub fn period(start: &str, end: Option<&str>, precision: &str) -> String {
    let mark = if precision == "inferred" { "~" } else { "" };
    format!("{mark}{} – {}", moment(start), end.map_or("now", moment))
}

/// The day of an instant, with the time of day where it is not midnight.
pub fn moment(text: &str) -> &str {
    text.strip_suffix("T00:00:00Z").unwrap_or(text)
}
