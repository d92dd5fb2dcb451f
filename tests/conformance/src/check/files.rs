//! Looks for a text in files, byte for byte.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::expectation::Grep;
use crate::server::Server;

/// The folder of log files within a data folder.
const LOGS: &str = "logs";

/// Looks in all that the processes printed, and in log files of the data folder.
pub(super) fn check_logs(server: &Server, grep: &Grep) -> Result<(), String> {
    judge(
        grep,
        &[server.output().to_owned(), server.data().join(LOGS)],
    )
}

/// Looks in every file of the data folder, and in all that the processes printed.
pub(super) fn check_all(server: &Server, grep: &Grep) -> Result<(), String> {
    judge(
        grep,
        &[server.output().to_owned(), server.data().to_owned()],
    )
}

fn judge(grep: &Grep, folders: &[PathBuf]) -> Result<(), String> {
    let mut holding = Vec::new();
    for folder in folders.iter().filter(|folder| folder.exists()) {
        find(folder, grep.text.as_bytes(), &mut holding)
            .map_err(|error| format!("{} can't be read: {error}", folder.display()))?;
    }
    match (grep.found, holding.first()) {
        (true, None) => Err(format!("expected {:?} in a file; came none", grep.text)),
        (false, Some(path)) => {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let more = holding.len() - 1;
            Err(format!(
                "expected {:?} nowhere; came in {name} and {more} more files",
                grep.text
            ))
        }
        _ => Ok(()),
    }
}

fn find(folder: &Path, text: &[u8], holding: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            find(&entry.path(), text, holding)?;
        } else if holds(&fs::read(entry.path())?, text) {
            holding.push(entry.path());
        }
    }
    Ok(())
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    let Some(&first) = text.first() else {
        return true;
    };
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|&byte| byte == first) {
        if bytes[from + at..].starts_with(text) {
            return true;
        }
        from += at + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_is_found_wherever_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        fs::write(folder.path().join("deep/a"), b"\0CANCANARY-1\xff").unwrap();
        let grep = |text: &str, found| Grep {
            text: text.to_owned(),
            found,
        };
        let judged = |grep| {
            judge(
                &grep,
                &[folder.path().to_owned(), PathBuf::from("/nowhere")],
            )
        };
        assert!(judged(grep("CANARY-1", false)).is_err());
        assert_eq!(judged(grep("CANARY-1", true)), Ok(()));
        assert_eq!(judged(grep("CANARY-2", false)), Ok(()));
        assert!(judged(grep("CANARY-2", true)).is_err());
    }
}
