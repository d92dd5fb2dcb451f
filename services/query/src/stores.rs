//! The stores that are asked, and how: every call has a time limit, runs as a task of its own (so
//! that one that blocks holds up no other), and ends in an answer or in the name of who did not.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mneme_inference::Embedder;
use mneme_stores::{Generation, GraphStore, StoreError, TextStore, VectorStore};
use tokio_util::task::AbortOnDropHandle;

use crate::QueryError;

/// The name of the graph store in `partial`.
pub(crate) const GRAPH: &str = "graph";
/// The name of the text store in `partial`.
pub(crate) const TEXT: &str = "text";
/// The name of the vector store in `partial`.
pub(crate) const VECTORS: &str = "vectors";
/// The name of the embedder in `partial`.
pub(crate) const EMBEDDER: &str = "embedder";

/// The stores, the model whose vectors they hold, and which build of the projections is read.
#[derive(Clone)]
pub struct QueryStores {
    /// The graph.
    pub graph: Arc<dyn GraphStore>,
    /// Text.
    pub text: Arc<dyn TextStore>,
    /// Vectors.
    pub vectors: Arc<dyn VectorStore>,
    /// Makes the vector of a query.
    pub embedder: Arc<dyn Embedder>,
    /// The generation that is read; a rebuild swaps it for all three stores at once.
    pub generation: Arc<AtomicU32>,
}

impl QueryStores {
    /// The generation that reads begun now see.
    pub(crate) fn generation(&self) -> Generation {
        self.generation.load(Ordering::Acquire)
    }
}

/// Runs a call on a store within the time given.
pub(crate) async fn ask<T: Send + 'static>(
    store: &'static str,
    timeout: Duration,
    call: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, QueryError> {
    let task = AbortOnDropHandle::new(tokio::spawn(call));
    match tokio::time::timeout(timeout, task).await {
        Ok(Ok(Ok(answer))) => Ok(answer),
        Ok(Ok(Err(error))) => Err(QueryError::of_store(store, error)),
        Ok(Err(failed)) => {
            tracing::error!(
                store,
                panicked = failed.is_panic(),
                "a call of a store failed"
            );
            Err(QueryError::Broken(store))
        }
        Err(_) => {
            tracing::warn!(store, "a store did not answer in time");
            Err(QueryError::Away(store))
        }
    }
}

/// Who did not answer.
#[derive(Debug, Default)]
pub(crate) struct Partial(Vec<String>);

impl Partial {
    /// Takes what there is of an answer; where there is none, names who owes it. A refusal is the
    /// request's fault and stays an error.
    pub(crate) fn take<T: Default>(
        &mut self,
        answer: Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        match answer {
            Err(QueryError::Away(store) | QueryError::Broken(store)) => {
                if !self.0.iter().any(|name| name == store) {
                    self.0.push(store.to_owned());
                }
                Ok(T::default())
            }
            other => other,
        }
    }

    /// Whether all answered so far.
    pub(crate) fn has(&self, store: &str) -> bool {
        self.0.iter().any(|name| name == store)
    }

    /// The names, sorted.
    pub(crate) fn names(mut self) -> Vec<String> {
        self.0.sort_unstable();
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_does_not_answer_is_named_once() {
        let mut partial = Partial::default();
        let limit = Duration::from_millis(10);
        let never = || ask::<Vec<u8>>(TEXT, limit, std::future::pending());
        assert_eq!(partial.take(never().await), Ok(vec![]));
        assert_eq!(partial.take(never().await), Ok(vec![]));
        let broken = ask::<Vec<u8>>(GRAPH, limit, async {
            Err(StoreError::Broken("x".to_owned()))
        });
        assert_eq!(partial.take(broken.await), Ok(vec![]));
        assert_eq!(partial.names(), [GRAPH, TEXT]);
    }

    #[tokio::test]
    async fn a_refusal_is_the_fault_of_the_request() {
        let refused = ask::<Vec<u8>>(TEXT, Duration::from_secs(1), async {
            Err(StoreError::Refused("no".to_owned()))
        });
        let answer = Partial::default().take(refused.await);
        assert!(matches!(answer, Err(QueryError::Invalid { .. })));
    }
}
