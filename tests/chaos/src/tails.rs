//! What the processes printed last, for whoever has to find out why a test failed: their folders are
//! gone with it.

use std::path::{Path, PathBuf};

/// How many lines of each process.
const LINES: usize = 12;

/// Prints the last lines of each process if the test fails.
#[derive(Debug)]
pub struct Tails(PathBuf);

impl Tails {
    /// Of the processes that print into the folders in this one.
    pub fn of(output: &Path) -> Self {
        Self(output.to_owned())
    }
}

impl Drop for Tails {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        for folder in std::fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let Ok(text) = std::fs::read_to_string(folder.path().join("stderr")) else {
                continue;
            };
            println!("--- {}", folder.file_name().to_string_lossy());
            let lines: Vec<&str> = text.lines().collect();
            for line in lines.iter().skip(lines.len().saturating_sub(LINES)) {
                println!("{line}");
            }
        }
    }
}
