//! A [`Case`] is one generation of a store, empty before and dropped after.

use mneme_inference::Embedder;
use mneme_model::GroupScope;

use crate::conformance::documents::{any_time, group, scope};
use crate::{
    Change, Digest, DocumentKind, Filter, Generation, TimeView, VectorHit, VectorQuery, VectorStore,
};

#[derive(Clone, Copy)]
pub(super) struct Case<'s> {
    pub(super) store: &'s dyn VectorStore,
    pub(super) embedder: &'s dyn Embedder,
    pub(super) generation: Generation,
}

/// A query at any time, without conditions.
pub(super) fn query<'q>(
    scope: &'q GroupScope,
    kind: DocumentKind,
    vector: &'q [f32],
) -> VectorQuery<'q> {
    VectorQuery {
        scope,
        kind,
        vector,
        window: false,
        time: any_time(),
        filter: None,
        limit: 100,
        min_cosine: -1.0,
    }
}

impl Case<'_> {
    /// Applies changes of group `g`.
    pub(super) async fn apply(&self, changes: Vec<Change>) {
        self.apply_to("g", changes).await;
    }

    pub(super) async fn apply_to(&self, name: &str, changes: Vec<Change>) {
        crate::conformance::documents::apply(self.store, self.generation, name, changes).await;
    }

    pub(super) fn embed(&self, text: &str) -> Vec<f32> {
        let mut vectors = self.embedder.embed(&[text]).expect("a vector");
        vectors.remove(0)
    }

    pub(super) async fn search(&self, query: &VectorQuery<'_>) -> Vec<VectorHit> {
        let found = self.store.search(self.generation, query).await;
        found.expect("a search")
    }

    /// The hits in group `g`, at any time.
    pub(super) async fn hits(&self, kind: DocumentKind, text: &str) -> Vec<VectorHit> {
        let (scope, vector) = (scope(&["g"]), self.embed(text));
        self.search(&query(&scope, kind, &vector)).await
    }

    /// The hits by the windows of episodes in group `g`.
    pub(super) async fn windows(&self, text: &str) -> Vec<VectorHit> {
        let (scope, vector) = (scope(&["g"]), self.embed(text));
        let query = VectorQuery {
            window: true,
            ..query(&scope, DocumentKind::Episode, &vector)
        };
        self.search(&query).await
    }

    /// The ids that a text finds, best first.
    pub(super) async fn ids(&self, kind: DocumentKind, text: &str) -> Vec<String> {
        ids(self.hits(kind, text).await)
    }

    /// The ids that a text finds under conditions, in order of id.
    pub(super) async fn ids_under(
        &self,
        kind: DocumentKind,
        text: &str,
        time: TimeView,
        filter: Option<&Filter>,
    ) -> Vec<String> {
        let (scope, vector) = (scope(&["g"]), self.embed(text));
        let query = VectorQuery {
            time,
            filter,
            ..query(&scope, kind, &vector)
        };
        let mut ids = ids(self.search(&query).await);
        ids.sort_unstable();
        ids
    }

    pub(super) async fn vectors(&self, kind: DocumentKind, ids: &[&str]) -> Vec<Option<Vec<f32>>> {
        let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
        let vectors = self
            .store
            .vectors(self.generation, &group("g"), kind, &ids)
            .await;
        vectors.expect("vectors")
    }

    /// The digest of a group; none when the generation holds nothing of it.
    pub(super) async fn digest(&self, name: &str) -> Option<Digest> {
        let digests = self.store.digests(self.generation).await;
        digests.expect("digests").get(&group(name)).copied()
    }

    pub(super) async fn drop(&self) {
        let dropped = self.store.drop_generation(self.generation).await;
        dropped.expect("a generation is dropped");
    }
}

pub(super) fn ids(hits: Vec<VectorHit>) -> Vec<String> {
    hits.into_iter().map(|hit| hit.id).collect()
}

/// The cosine of two vectors of length one.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
