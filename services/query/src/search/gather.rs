//! The fan-out: every store is asked at once, each within its time, and what none of them answered
//! is named. What comes back are scored lists by kind of document; nothing is ranked here.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::join_all;
use mneme_model::GroupId;
use mneme_stores::{
    DocumentKind, EntityRow, StoreError, TextField, TextHit, TextQuery, VectorHit, VectorQuery,
};

use super::Ask;
use super::filtered::entity_passes;
use crate::rank::{Key, Missing, Scale, ScoredList};
use crate::stores::{EMBEDDER, Partial, TEXT, VECTORS, ask as ask_store};
use crate::{QueryError, QueryService};

/// The most look-ups of names in one search.
const MAX_NAME_LOOKUPS: usize = 480;

/// What the stores found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The lists of each kind.
    pub lists: BTreeMap<DocumentKind, Vec<ScoredList>>,
    /// The entities that the query names exactly, with the number of words of the name.
    pub named: Vec<(EntityRow, usize)>,
}

impl QueryService {
    /// Asks all stores.
    pub(crate) async fn gather(
        &self,
        ask: &Arc<Ask>,
        kinds: &[DocumentKind],
        partial: &mut Partial,
    ) -> Result<Found, QueryError> {
        let words = join_all(kinds.iter().map(|kind| self.by_words(ask, *kind)));
        let vectors = self.by_vectors(ask, kinds);
        let (words, vectors, named) = tokio::join!(words, vectors, self.by_name(ask));
        let mut found = Found {
            named: partial.take(named)?,
            ..Found::default()
        };
        for (kind, lists) in kinds.iter().zip(words) {
            let lists = partial.take(lists)?;
            found.lists.entry(*kind).or_default().extend(lists);
        }
        for (kind, list) in partial.take(vectors)? {
            let list = partial.take(list)?;
            found.lists.entry(kind).or_default().extend(list);
        }
        Ok(found)
    }

    async fn by_words(
        &self,
        ask: &Arc<Ask>,
        kind: DocumentKind,
    ) -> Result<Vec<ScoredList>, QueryError> {
        if !ask.words || ask.lexical.is_empty() {
            return Ok(Vec::new());
        }
        let fields: &'static [TextField] = match kind {
            DocumentKind::Episode => &[TextField::Text, TextField::Window, TextField::Session],
            _ => &[TextField::Text],
        };
        let (store, ask) = (self.stores.text.clone(), ask.clone());
        let call = async move {
            let query = TextQuery {
                scope: &ask.scope,
                kind,
                text: &ask.lexical,
                fields,
                time: ask.time,
                filter: ask.filter.as_ref(),
                limit: ask.pool,
            };
            store.search(ask.generation, &query).await
        };
        let answer = ask_store(TEXT, self.settings.store_timeout(), call).await?;
        let lists = fields.iter().zip(answer);
        Ok(lists
            .map(|(field, hits)| self.text_list(kind, *field, hits))
            .collect())
    }

    fn text_list(&self, kind: DocumentKind, field: TextField, hits: Vec<TextHit>) -> ScoredList {
        let weights = &self.settings.episodes;
        let (name, weight) = match (kind, field) {
            (DocumentKind::Episode, TextField::Text) => ("text", weights.text),
            (_, TextField::Window) => ("window", weights.window),
            (_, TextField::Session) => ("session", weights.session),
            (_, TextField::Text) => ("text", self.settings.texts.text),
        };
        ScoredList {
            name,
            weight,
            scale: Scale::Deviations(Missing::Zero),
            hits: hits
                .into_iter()
                .map(|hit| (Key::new(hit.group_id, hit.id), f64::from(hit.score)))
                .collect(),
        }
    }

    /// The lists by vector; the outer error is that of the embedder.
    #[allow(
        clippy::type_complexity,
        reason = "a kind and its list, each of which may be owed"
    )]
    async fn by_vectors(
        &self,
        ask: &Arc<Ask>,
        kinds: &[DocumentKind],
    ) -> Result<Vec<(DocumentKind, Result<Option<ScoredList>, QueryError>)>, QueryError> {
        if !ask.vectors || ask.question.text().is_empty() {
            return Ok(Vec::new());
        }
        let vector = Arc::new(self.embed(ask).await?);
        let mut lists: Vec<(DocumentKind, bool)> =
            kinds.iter().map(|kind| (*kind, false)).collect();
        if kinds.contains(&DocumentKind::Episode) {
            lists.push((DocumentKind::Episode, true));
        }
        let calls = lists.into_iter().map(|(kind, window)| {
            let vector = vector.clone();
            async move { (kind, self.by_vector(ask, kind, window, vector).await) }
        });
        Ok(join_all(calls).await)
    }

    /// The vector of the query. An embedder may block, so it has a thread that may wait.
    async fn embed(&self, ask: &Arc<Ask>) -> Result<Vec<f32>, QueryError> {
        let (embedder, ask) = (self.stores.embedder.clone(), ask.clone());
        let call = async move {
            let embed = move || embedder.embed(&[ask.question.text()]);
            let embedded = tokio::task::spawn_blocking(embed).await;
            let vectors = embedded.map_err(|_| StoreError::Broken("it failed".to_owned()))?;
            let vectors = vectors.map_err(|error| StoreError::Unavailable(error.to_string()))?;
            Ok(vectors.into_iter().next().unwrap_or_default())
        };
        ask_store(EMBEDDER, self.settings.store_timeout(), call).await
    }

    async fn by_vector(
        &self,
        ask: &Arc<Ask>,
        kind: DocumentKind,
        window: bool,
        vector: Arc<Vec<f32>>,
    ) -> Result<Option<ScoredList>, QueryError> {
        // The zero vector has nothing to say.
        if vector.iter().all(|component| *component == 0.0) {
            return Ok(None);
        }
        let (store, ask) = (self.stores.vectors.clone(), ask.clone());
        let call = async move {
            let query = VectorQuery {
                scope: &ask.scope,
                kind,
                vector: &vector,
                window,
                time: ask.time,
                filter: ask.filter.as_ref(),
                limit: ask.pool,
                min_cosine: ask.min_cosine,
            };
            store.search(ask.generation, &query).await
        };
        let hits = ask_store(VECTORS, self.settings.store_timeout(), call).await?;
        Ok(Some(self.vector_list(kind, window, hits)))
    }

    fn vector_list(&self, kind: DocumentKind, window: bool, hits: Vec<VectorHit>) -> ScoredList {
        let weights = &self.settings.episodes;
        let (name, weight) = match (kind, window) {
            (_, true) => ("window_vector", weights.window_vector),
            (DocumentKind::Episode, false) => ("vector", weights.vector),
            (_, false) => ("vector", self.settings.texts.vector),
        };
        ScoredList {
            name,
            weight,
            scale: Scale::Deviations(Missing::Lowest),
            hits: hits
                .into_iter()
                .map(|hit| (Key::new(hit.group_id, hit.id), f64::from(hit.cosine)))
                .collect(),
        }
    }

    /// The entities that the query names exactly, longest names first.
    async fn by_name(&self, ask: &Arc<Ask>) -> Result<Vec<(EntityRow, usize)>, QueryError> {
        let groups: Vec<GroupId> = ask.scope.groups().to_vec();
        let mut names = ask.question.names();
        names.truncate((MAX_NAME_LOOKUPS / groups.len()).max(1));
        let (graph, ask) = (self.stores.graph.clone(), ask.clone());
        self.ask_graph(async move {
            let mut named: Vec<(EntityRow, usize)> = Vec::new();
            for group in &groups {
                for key in &names {
                    for row in graph.entities_named(ask.generation, group, key).await? {
                        let known = |(other, _): &(EntityRow, usize)| {
                            other.group_id == row.group_id && other.entity_id == row.entity_id
                        };
                        let seen = row.created_at <= ask.time.known_at;
                        if seen
                            && entity_passes(&row, ask.filter.as_ref())
                            && !named.iter().any(known)
                        {
                            named.push((row, key.tokens().count()));
                        }
                    }
                }
            }
            named.sort_by_key(|(_, words)| std::cmp::Reverse(*words));
            Ok(named)
        })
        .await
    }
}
