//! What makes two sendings of one episode id the same episode.

use crate::Episode;

impl Episode {
    /// Sets the digest over all else that the episode says, so that the same id with other content
    /// is seen as a conflict.
    pub fn with_digest(mut self) -> Self {
        self.digest.clear();
        // An episode is built of strings, numbers and maps with text keys: JSON can hold it.
        let content = serde_json::to_vec(&self).unwrap_or_default();
        self.digest = blake3::hash(&content).to_hex()[..32].to_owned();
        self
    }
}
