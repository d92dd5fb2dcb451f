//! What can keep a figure from being measured.

use std::path::{Path, PathBuf};

use crate::ClientError;

/// Why there is no figure.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// The data can't be read.
    #[error("{path}: {reason}", path = path.display())]
    Data {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The memory did not do its part.
    #[error(transparent)]
    Client(#[from] ClientError),
}

impl EvaluationError {
    pub(crate) fn data(path: &Path, reason: impl ToString) -> Self {
        Self::Data {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// For `map_err` where a file is read.
    pub(crate) fn in_file<E: ToString>(path: &Path) -> impl Fn(E) -> Self + '_ {
        move |reason| Self::data(path, reason)
    }
}
