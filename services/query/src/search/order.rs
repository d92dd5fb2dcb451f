//! The order of each kind of document: its lists become candidates, the best are read, and what
//! reading shows is weighed in.
//!
//! Scores of all kinds end on one scale, deviations above the mean of the kind's pool for each unit
//! of weight, so that they stand in one list.

use std::collections::HashMap;
use std::sync::Arc;

use mneme_api::RerankDto;
use mneme_stores::{CommunityRow, DocumentKind, EntityRow, EpisodeRow, FactVersionRow};

use super::{Ask, Found, Walked};
use crate::rank::evidence::{EpisodeText, weigh_episode};
use crate::rank::fusion::fuse;
use crate::rank::{Candidate, Key, ScoredList, pool, rank};
use crate::{QueryError, QueryService, answer};

/// The candidates of a kind, best first, each with its row.
#[derive(Debug)]
pub(crate) struct Ordered<R> {
    pub candidates: Vec<Candidate>,
    pub rows: HashMap<Key, R>,
}

impl<R> Default for Ordered<R> {
    fn default() -> Self {
        Self {
            candidates: Vec::new(),
            rows: HashMap::new(),
        }
    }
}

impl<R> Ordered<R> {
    /// Keeps the candidates whose row is there and fits.
    fn new(
        candidates: Vec<Candidate>,
        mut rows: HashMap<Key, R>,
        fits: impl Fn(&R) -> bool,
    ) -> Self {
        rows.retain(|_, row| fits(row));
        let mut candidates = candidates;
        candidates.retain(|candidate| rows.contains_key(&candidate.key));
        Self { candidates, rows }
    }
}

impl QueryService {
    /// All of a pool, by the order that the request asks for.
    fn ordered(&self, ask: &Ask, lists: &[ScoredList]) -> Vec<Candidate> {
        if ask.rerank == RerankDto::Rrf {
            let is_lexical = |name: &str| matches!(name, "text" | "window" | "session");
            return fuse(lists, &self.settings.fusion, is_lexical);
        }
        let mut candidates = pool(lists);
        let total: f64 = lists.iter().map(|list| list.weight.abs()).sum();
        if total > 0.0 {
            candidates
                .iter_mut()
                .for_each(|candidate| candidate.scale(1.0 / total));
        }
        candidates
    }

    /// Facts.
    pub(crate) async fn order_facts(
        &self,
        ask: &Arc<Ask>,
        found: &Found,
        walked: &Walked,
    ) -> Result<Ordered<FactVersionRow>, QueryError> {
        let lists = self.lists(ask, found, walked, DocumentKind::Fact);
        let mut candidates = self.ordered(ask, &lists);
        candidates.truncate(self.read_ahead(ask));
        let mut rows: HashMap<Key, FactVersionRow> = HashMap::new();
        for (row, _) in &walked.facts {
            let key = Key::new(row.group_id.clone(), row.version_id.to_string());
            rows.insert(key, row.clone());
        }
        let unread = candidates
            .iter()
            .filter(|candidate| !rows.contains_key(&candidate.key));
        let unread = unread.map(|candidate| candidate.key.clone()).collect();
        rows.extend(self.fact_rows(unread).await?);
        // An index may be behind the graph, or the graph behind an index: the row decides.
        Ok(Ordered::new(candidates, rows, |row| ask.time.sees(row)))
    }

    /// Entities; those that the query names exactly come first, longest name first.
    pub(crate) async fn order_entities(
        &self,
        ask: &Arc<Ask>,
        found: &Found,
        walked: &Walked,
    ) -> Result<Ordered<EntityRow>, QueryError> {
        let lists = self.lists(ask, found, walked, DocumentKind::Entity);
        let mut candidates = self.ordered(ask, &lists);
        let best = candidates
            .first()
            .map_or(0.0, |candidate| candidate.score.max(0.0));
        let worst = candidates
            .last()
            .map_or(0.0, |candidate| candidate.score.min(0.0));
        let mut rows = HashMap::new();
        for (row, words) in &found.named {
            let key = Key::new(row.group_id.clone(), row.entity_id.to_string());
            let place = candidates.iter().position(|candidate| candidate.key == key);
            let place = place.unwrap_or_else(|| {
                candidates.push(Candidate::new(key.clone()));
                candidates.len() - 1
            });
            // Above the best of the others whatever its own score, and above shorter names.
            candidates[place].add("exact_name", (best - worst + 1.0) * *words as f64);
            rows.insert(key, row.clone());
        }
        rank(&mut candidates);
        candidates.truncate(self.read_ahead(ask));
        let unread = candidates
            .iter()
            .filter(|candidate| !rows.contains_key(&candidate.key));
        let unread = unread.map(|candidate| candidate.key.clone()).collect();
        rows.extend(self.entity_rows(unread).await?);
        for row in rows.values_mut().filter(|_| !ask.of_the_present) {
            row.summary = None;
        }
        Ok(Ordered::new(candidates, rows, |row| {
            row.created_at <= ask.time.known_at
        }))
    }

    /// Communities.
    pub(crate) async fn order_communities(
        &self,
        ask: &Arc<Ask>,
        found: &Found,
    ) -> Result<Ordered<CommunityRow>, QueryError> {
        let lists = found.lists.get(&DocumentKind::Community);
        let mut candidates = self.ordered(ask, lists.map(Vec::as_slice).unwrap_or_default());
        candidates.truncate(self.read_ahead(ask));
        let keys = candidates
            .iter()
            .map(|candidate| candidate.key.clone())
            .collect();
        let rows = self.community_rows(keys).await?;
        Ok(Ordered::new(candidates, rows, |_| true))
    }

    /// Episodes, with what facts and entities lend them, and weighed by what they say.
    pub(crate) async fn order_episodes(
        &self,
        ask: &Arc<Ask>,
        found: &Found,
        walked: &Walked,
        lent: Vec<ScoredList>,
    ) -> Result<Ordered<EpisodeRow>, QueryError> {
        let mut lists = self.lists(ask, found, walked, DocumentKind::Episode);
        lists.extend(lent);
        let weight: f64 = lists.iter().map(|list| list.weight.abs()).sum();
        let mut candidates = self.ordered(ask, &lists);
        candidates.truncate(ask.shortlist);
        let keys = candidates
            .iter()
            .map(|candidate| candidate.key.clone())
            .collect();
        let rows = self.episode_rows(keys).await?;
        let mut ordered =
            Ordered::new(candidates, rows, |row| row.recorded_at <= ask.time.known_at);
        if ask.rerank != RerankDto::Rrf && weight > 0.0 {
            self.weigh(ask, &mut ordered, weight);
        }
        Ok(ordered)
    }

    fn weigh(&self, ask: &Ask, ordered: &mut Ordered<EpisodeRow>, weight: f64) {
        let mut people: Vec<String> = ordered
            .rows
            .values()
            .filter_map(|row| row.episode.author.as_ref())
            .map(|author| author.name.clone())
            .collect();
        people.sort_unstable();
        people.dedup();
        let people: Vec<&str> = people.iter().map(String::as_str).collect();
        let speaker = ask.question.names_one_of(&people);
        for candidate in &mut ordered.candidates {
            let Some(row) = ordered.rows.get(&candidate.key) else {
                continue;
            };
            let body = answer::episode_text(&row.episode);
            let episode = EpisodeText {
                author: row
                    .episode
                    .author
                    .as_ref()
                    .map(|author| author.name.as_str()),
                body: &body,
            };
            candidate.scale(weight);
            weigh_episode(
                candidate,
                episode,
                &ask.question,
                speaker,
                &self.settings.episodes,
            );
            candidate.scale(1.0 / weight);
        }
        rank(&mut ordered.candidates);
    }

    /// The lists of a kind, with that of the walk. Episodes are lent to by facts, so a walk adds
    /// to them only where it is the one method asked for.
    fn lists(
        &self,
        ask: &Ask,
        found: &Found,
        walked: &Walked,
        kind: DocumentKind,
    ) -> Vec<ScoredList> {
        let mut lists = found.lists.get(&kind).cloned().unwrap_or_default();
        let is_only_method = !ask.words && !ask.vectors;
        if ask.graph && (kind != DocumentKind::Episode || is_only_method) {
            lists.push(walked.list(kind, self.settings.texts.graph));
        }
        lists
    }

    /// How many candidates are read for a limit: some of the best may be gone by now.
    fn read_ahead(&self, ask: &Ask) -> usize {
        ask.limit * 2
    }
}
