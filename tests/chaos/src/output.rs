//! What the processes of a memory printed.

use std::path::Path;

/// How many lines that a process printed into its folder hold this.
pub fn lines_with(folder: &Path, part: &str) -> usize {
    let text = std::fs::read_to_string(folder.join("stderr")).unwrap_or_default();
    text.lines().filter(|line| line.contains(part)).count()
}
