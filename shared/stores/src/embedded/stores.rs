//! The three embedded stores in one folder.

use std::path::Path;
use std::sync::Arc;

use mneme_inference::Embedder;

use super::graph::EmbeddedGraph;
use super::text::EmbeddedText;
use super::vector::EmbeddedVectors;
use crate::{Generation, StoreError};

/// How much memory the stores keep for what is read, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct StoresMemory {
    /// Blocks of the graph.
    pub graph: u64,
    /// Documents of the groups that are searched by text; about 150 bytes a document.
    pub text: usize,
    /// Vectors and documents of the groups that are searched by vector; in a group of more than
    /// 20,000 documents about 420 bytes a document at 256 dimensions.
    pub vectors: usize,
}

impl Default for StoresMemory {
    fn default() -> Self {
        Self {
            graph: 64 << 20,
            text: 128 << 20,
            vectors: 192 << 20,
        }
    }
}

/// The three stores that need no server.
pub struct EmbeddedStores {
    /// The graph.
    pub graph: Arc<EmbeddedGraph>,
    /// Text.
    pub text: Arc<EmbeddedText>,
    /// Vectors.
    pub vectors: Arc<EmbeddedVectors>,
}

impl EmbeddedStores {
    /// Opens the stores below a folder, which is made if there is none.
    ///
    /// # Errors
    /// Refused while another process has one of them open.
    pub fn open(
        folder: &Path,
        embedder: Arc<dyn Embedder>,
        memory: StoresMemory,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            graph: Arc::new(EmbeddedGraph::open(&folder.join("graph"), memory.graph)?),
            text: Arc::new(EmbeddedText::open(&folder.join("text"), memory.text)?),
            vectors: Arc::new(EmbeddedVectors::open(
                &folder.join("vectors"),
                embedder,
                memory.vectors,
            )?),
        })
    }

    /// Rewrites what still holds erased text or vectors, so that they are gone from the disk too. An
    /// erasure is complete for every read without it.
    ///
    /// # Errors
    /// Those of the stores.
    pub async fn purge(&self, generation: Generation) -> Result<(), StoreError> {
        self.text.purge(generation).await?;
        self.vectors.purge(generation).await
    }
}

#[cfg(test)]
mod tests {
    use mneme_inference::StaticEmbedder;

    use super::*;
    use crate::Projection;

    #[test]
    fn three_stores_in_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let embedder: Arc<dyn Embedder> = Arc::new(StaticEmbedder::shipped().unwrap());
        let open = || {
            let memory = StoresMemory::default();
            EmbeddedStores::open(folder.path(), Arc::clone(&embedder), memory)
        };
        let stores = open().unwrap();
        let names = [
            stores.graph.name(),
            stores.text.name(),
            stores.vectors.name(),
        ];
        assert_eq!(names, ["graph", "text", "vectors"]);
        assert!(matches!(open(), Err(StoreError::Refused(_))));
        drop(stores);
        open().unwrap();
    }
}
