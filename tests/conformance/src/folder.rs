//! Reads a folder of case files: every `*.json`, in order of name.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::case::Case;
use crate::names_file::NamePair;
use crate::runner::RunnerError;

/// What a folder holds.
#[derive(Debug, Default)]
pub(crate) struct CaseFolder {
    /// The cases, each with its file's name.
    pub cases: Vec<(String, Result<Case, NoCase>)>,
    /// The pairs of `names.json`, if there is one.
    pub pairs: Vec<NamePair>,
}

/// Something in a file that is not understood as a case.
#[derive(Debug)]
pub(crate) struct NoCase {
    pub id: String,
    pub reason: String,
}

/// Reads the folder; an unreadable file or one that is no list is an error, an odd case in it not.
pub(crate) fn read_folder(folder: &Path) -> Result<CaseFolder, RunnerError> {
    let unreadable = |path: &Path, reason: String| RunnerError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let mut paths: Vec<_> = fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect()
        })
        .map_err(|error: std::io::Error| unreadable(folder, error.to_string()))?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    if paths.is_empty() {
        return Err(unreadable(
            folder,
            "no case files (*.json) in it".to_owned(),
        ));
    }
    let mut found = CaseFolder::default();
    for path in paths {
        let text = fs::read(&path).map_err(|error| unreadable(&path, error.to_string()))?;
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let as_json = |error: serde_json::Error| unreadable(&path, error.to_string());
        if name == "names" {
            found.pairs = serde_json::from_slice(&text).map_err(as_json)?;
            continue;
        }
        let list: Vec<Value> = serde_json::from_slice(&text).map_err(as_json)?;
        for value in list {
            let id = value
                .get("id")
                .and_then(Value::as_str)
                .unwrap_or("without id")
                .to_owned();
            let case = serde_json::from_value(value).map_err(|error| NoCase {
                id,
                reason: error.to_string(),
            });
            found.cases.push((name.clone(), case));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_case_is_understood() {
        let folder = read_folder(&crate::shipped_cases()).unwrap();
        assert!(folder.cases.len() > 100 && folder.pairs.len() > 50);
        for (file, case) in &folder.cases {
            let case = case
                .as_ref()
                .unwrap_or_else(|error| panic!("{file}: {error:?}"));
            case.plan()
                .unwrap_or_else(|error| panic!("{file}/{}: {error}", case.id));
        }
    }

    #[test]
    fn what_is_no_case_is_told_and_the_others_are_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("a.json"),
            r#"[{"id": "x", "setps": []}, {"id": "y"}]"#,
        )
        .unwrap();
        let found = read_folder(folder.path()).unwrap();
        assert!(matches!(&found.cases[0].1, Err(none) if none.id == "x"));
        assert!(found.cases[1].1.is_ok());
        fs::write(folder.path().join("b.json"), "{").unwrap();
        assert!(read_folder(folder.path()).is_err());
    }
}
