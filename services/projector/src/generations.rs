//! Which generation is read. A small file beside the stores, replaced whole, so that a crash leaves
//! the old or the new.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mneme_stores::Generation;
use serde::{Deserialize, Serialize};

/// Why the file could not be read or written; the process should end.
#[derive(Debug, thiserror::Error)]
#[error("the file of generations {path}: {reason}")]
pub struct GenerationsError {
    path: String,
    reason: String,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    active: Generation,
    previous: Option<Generation>,
}

/// The generation that is read, and the one kept to go back to.
#[derive(Debug)]
pub struct Generations {
    path: PathBuf,
    active: Arc<AtomicU32>,
    previous: Option<Generation>,
}

impl Generations {
    /// Reads the file; generation 1 where there is none.
    pub fn open(folder: &Path) -> Result<Self, GenerationsError> {
        let path = folder.join("generations.json");
        let content = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| failed(&path, &error))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Content {
                active: 1,
                previous: None,
            },
            Err(error) => return Err(failed(&path, &error)),
        };
        let active = Arc::new(AtomicU32::new(content.active));
        Ok(Self {
            path,
            active,
            previous: content.previous,
        })
    }

    /// The generation that is read, shared with those who read.
    pub fn active(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.active)
    }

    /// A number that no generation has.
    pub fn next(&self) -> Generation {
        self.active
            .load(Ordering::Acquire)
            .max(self.previous.unwrap_or(0))
            + 1
    }

    /// Makes a generation the one that is read, durably, and keeps the one before. Returns the
    /// generation that is kept no longer.
    pub fn activate(&mut self, new: Generation) -> Result<Option<Generation>, GenerationsError> {
        let old = self.active.load(Ordering::Acquire);
        let content = Content {
            active: new,
            previous: Some(old),
        };
        write_whole(&self.path, &content).map_err(|error| failed(&self.path, &error))?;
        self.active.store(new, Ordering::Release);
        Ok(self.previous.replace(old))
    }
}

fn write_whole(path: &Path, content: &Content) -> std::io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    let mut file = fs::File::create(&unfinished)?;
    file.write_all(&serde_json::to_vec(content)?)?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    match path.parent() {
        Some(folder) => fs::File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> GenerationsError {
    GenerationsError {
        path: path.display().to_string(),
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_active_generation_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let mut generations = Generations::open(folder.path()).unwrap();
        assert_eq!(generations.active().load(Ordering::Acquire), 1);
        assert_eq!(generations.activate(generations.next()).unwrap(), None);
        assert_eq!(generations.activate(generations.next()).unwrap(), Some(1));
        let again = Generations::open(folder.path()).unwrap();
        assert_eq!(again.active().load(Ordering::Acquire), 3);
        assert_eq!(again.next(), 4);
    }
}
