//! A [`Case`] is one generation of a store, empty before and dropped after.

use mneme_model::GroupId;

use crate::conformance::documents::{any_time, group, scope};
use crate::{
    Change, Digest, DocumentKind, Filter, Generation, TextField, TextHit, TextQuery, TextStore,
    TimeView,
};

#[derive(Clone, Copy)]
pub(super) struct Case<'s> {
    pub(super) store: &'s dyn TextStore,
    pub(super) generation: Generation,
}

impl Case<'_> {
    /// Applies changes of group `g`.
    pub(super) async fn apply(&self, changes: Vec<Change>) {
        self.apply_to("g", changes).await;
    }

    pub(super) async fn apply_to(&self, name: &str, changes: Vec<Change>) {
        crate::conformance::documents::apply(self.store, self.generation, name, changes).await;
    }

    pub(super) async fn search(&self, query: &TextQuery<'_>) -> Vec<Vec<TextHit>> {
        let found = self.store.search(self.generation, query).await;
        found.expect("a search")
    }

    /// The hits of one field in group `g`, at any time.
    pub(super) async fn hits(
        &self,
        kind: DocumentKind,
        field: TextField,
        text: &str,
    ) -> Vec<TextHit> {
        let scope = scope(&["g"]);
        let query = TextQuery {
            scope: &scope,
            kind,
            text,
            fields: &[field],
            time: any_time(),
            filter: None,
            limit: 100,
        };
        self.search(&query).await.remove(0)
    }

    /// The ids that a text finds, best first.
    pub(super) async fn ids(&self, kind: DocumentKind, text: &str) -> Vec<String> {
        ids(self.hits(kind, TextField::Text, text).await)
    }

    /// The ids of episodes.
    pub(super) async fn episodes(&self, text: &str) -> Vec<String> {
        self.ids(DocumentKind::Episode, text).await
    }

    /// The ids that a text finds under conditions.
    pub(super) async fn ids_under(
        &self,
        kind: DocumentKind,
        text: &str,
        time: TimeView,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Vec<String> {
        let scope = scope(&["g"]);
        let query = TextQuery {
            scope: &scope,
            kind,
            text,
            fields: &[TextField::Text],
            time,
            filter,
            limit,
        };
        ids(self.search(&query).await.remove(0))
    }

    /// The digest of a group; none when the generation holds nothing of it.
    pub(super) async fn digest(&self, name: &str) -> Option<Digest> {
        let digests = self.store.digests(self.generation).await;
        digests.expect("digests").get(&group(name)).copied()
    }

    pub(super) async fn groups(&self) -> Vec<GroupId> {
        let digests = self.store.digests(self.generation).await;
        digests.expect("digests").into_keys().collect()
    }

    pub(super) async fn drop(&self) {
        let dropped = self.store.drop_generation(self.generation).await;
        dropped.expect("a generation is dropped");
    }
}

pub(super) fn ids(hits: Vec<TextHit>) -> Vec<String> {
    hits.into_iter().map(|hit| hit.id).collect()
}
