//! What is shown of the ranked: read now, each kind at once, and no more than is shown.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use mneme_api::{CommunityDto, EntityDto, EpisodeDto, FactDto, ResultDto, ResultKind, SourceDto};
use mneme_events::Episode;

use super::{Ask, Ordered, Ranking};
use crate::rank::{Candidate, Key};
use crate::{QueryError, QueryService, answer};

/// How many episodes that mention an entity are shown with it in a search.
const ENTITY_SOURCES: usize = 3;
/// How many members of a community are shown in a search. The list of communities gives them all.
const MEMBERS: usize = 20;

/// A shown row with its candidate and sources.
pub(crate) struct Shown<D> {
    pub candidate: Candidate,
    pub text: String,
    pub sources: Vec<SourceDto>,
    pub dto: D,
}

impl<R> Ordered<R> {
    /// The candidates in order, each with its row.
    fn into_pairs(mut self) -> Vec<(Candidate, R)> {
        let mut pairs = Vec::with_capacity(self.candidates.len());
        for candidate in self.candidates {
            if let Some(row) = self.rows.remove(&candidate.key) {
                pairs.push((candidate, row));
            }
        }
        pairs
    }
}

impl QueryService {
    /// The results of all kinds in one list, best first.
    pub(crate) async fn results(
        &self,
        ask: &Arc<Ask>,
        ranking: Ranking,
    ) -> Result<Vec<ResultDto>, QueryError> {
        let (facts, entities, episodes, communities) = tokio::join!(
            self.show_facts(ranking.facts),
            self.show_entities(ask, ranking.entities),
            self.show_episodes(ranking.episodes),
            self.show_communities(ranking.communities),
        );
        let mut results: Vec<ResultDto> = Vec::new();
        results.extend(facts?.into_iter().map(|shown| {
            let (mut result, fact) = result(ResultKind::Fact, shown);
            result.fact = Some(fact);
            result
        }));
        results.extend(entities?.into_iter().map(|shown| {
            let (mut result, entity) = result(ResultKind::Entity, shown);
            result.entity = Some(entity);
            result
        }));
        results.extend(episodes?.into_iter().map(|shown| {
            let (mut result, episode) = result(ResultKind::Episode, shown);
            result.episode = Some(episode);
            result
        }));
        results.extend(communities?.into_iter().map(|shown| {
            let (mut result, community) = result(ResultKind::Community, shown);
            result.community = Some(community);
            result
        }));
        // Stable: within a kind the order stays, also where a reranker gave equal scores.
        results.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal));
        Ok(results)
    }

    /// Facts, with the episodes that support them.
    pub(crate) async fn show_facts(
        &self,
        facts: Ordered<mneme_stores::FactVersionRow>,
    ) -> Result<Vec<Shown<FactDto>>, QueryError> {
        let pairs = facts.into_pairs();
        let supports = self.supports(pairs.iter().map(|(_, row)| row)).await?;
        let shown = pairs.into_iter().map(|(candidate, row)| {
            let support = supports
                .get(&row.fact_id)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let dto = answer::fact(row, support);
            Shown {
                candidate,
                text: dto.fact.clone(),
                sources: dto.sources.clone(),
                dto,
            }
        });
        Ok(shown.collect())
    }

    /// Entities, with their attributes and some of the episodes that mention them.
    pub(crate) async fn show_entities(
        &self,
        ask: &Arc<Ask>,
        entities: Ordered<mneme_stores::EntityRow>,
    ) -> Result<Vec<Shown<EntityDto>>, QueryError> {
        let pairs = entities.into_pairs();
        let rows = || pairs.iter().map(|(_, row)| row);
        let (facts, sources) = tokio::join!(
            self.attributes(rows(), ask.time),
            self.mention_sources(rows(), ENTITY_SOURCES),
        );
        let read = facts?.into_iter().zip(sources?);
        let shown = pairs
            .into_iter()
            .zip(read)
            .map(|((candidate, row), (facts, sources))| {
                let dto = answer::entity(row, &facts);
                Shown {
                    candidate,
                    text: answer::name_and_summary(&dto.name, dto.summary.as_deref()),
                    sources,
                    dto,
                }
            });
        Ok(shown.collect())
    }

    /// Episodes, with how far they are.
    pub(crate) async fn show_episodes(
        &self,
        episodes: Ordered<mneme_stores::EpisodeRow>,
    ) -> Result<Vec<Shown<EpisodeDto>>, QueryError> {
        let pairs = episodes.into_pairs();
        let statuses = self.statuses(pairs.iter().map(|(_, row)| row)).await?;
        let shown = pairs
            .into_iter()
            .zip(statuses)
            .map(|((candidate, row), status)| Shown {
                candidate,
                text: answer::episode_text(&row.episode),
                sources: vec![source(&row.episode)],
                dto: answer::episode(row, status),
            });
        Ok(shown.collect())
    }

    /// Communities, with some of their members.
    pub(crate) async fn show_communities(
        &self,
        communities: Ordered<mneme_stores::CommunityRow>,
    ) -> Result<Vec<Shown<CommunityDto>>, QueryError> {
        let pairs = communities.into_pairs();
        let members = self
            .members(pairs.iter().map(|(_, row)| row), MEMBERS)
            .await?;
        let shown = pairs
            .into_iter()
            .zip(members)
            .map(|((candidate, row), members)| {
                let dto = answer::community(row, members);
                Shown {
                    candidate,
                    text: answer::name_and_summary(&dto.name, Some(&dto.summary)),
                    sources: Vec::new(),
                    dto,
                }
            });
        Ok(shown.collect())
    }
}

fn source(episode: &Episode) -> SourceDto {
    answer::source(episode)
}

fn result<D>(kind: ResultKind, shown: Shown<D>) -> (ResultDto, D) {
    let Candidate { key, score, parts } = shown.candidate;
    let Key { group_id, id } = key;
    let score_parts: BTreeMap<String, f64> = parts
        .into_iter()
        .map(|(name, part)| (name.to_owned(), part))
        .collect();
    let result = ResultDto {
        kind,
        group_id,
        id,
        text: shown.text,
        score,
        score_parts,
        sources: shown.sources,
        fact: None,
        entity: None,
        episode: None,
        community: None,
    };
    (result, shown.dto)
}
