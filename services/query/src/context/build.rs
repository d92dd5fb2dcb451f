//! Chooses what goes into a context: facts, entities and communities up to their shares, then
//! episodes as long as there is room, then facts again.

use std::sync::Arc;

use mneme_api::{CommunityDto, ContextRequest, ContextResponse, EntityDto, EpisodeDto, FactDto};
use mneme_model::folded_tokens;

use super::passage::best_passage;
use super::write::{Line, Page, community_line, entity_line, episode_line, fact_line, spoken};
use super::{ContextSettings, tokens::estimate};
use crate::search::{Ask, MAX_LIMIT, Ranking};
use crate::stores::Partial;
use crate::{QueryError, QueryService};

/// The budget of a request that names none.
const DEFAULT_TOKENS: usize = 2_000;
/// The least and the most that a request may ask for.
const TOKENS: std::ops::RangeInclusive<usize> = 1..=200_000;
/// An episode is rarely shorter: how many are read for a budget.
const SHORTEST_EPISODE: usize = 10;
/// How many facts, entities and communities are read at the most.
const FACTS: usize = 50;
const ENTITIES: usize = 10;
const COMMUNITIES: usize = 3;
/// A text that takes more than this part of what is left is cut to its best passage.
const LONG: f64 = 0.5;

/// All that may go into a context, most relevant first.
#[derive(Debug, Default)]
struct Material {
    facts: Vec<FactDto>,
    entities: Vec<EntityDto>,
    communities: Vec<CommunityDto>,
    episodes: Vec<EpisodeDto>,
}

impl QueryService {
    /// Writes a context; a query of nothing gives an empty one.
    pub async fn context(&self, request: ContextRequest) -> Result<ContextResponse, QueryError> {
        let (search, max_tokens) = request.into_search();
        let max_tokens = max_tokens.unwrap_or(DEFAULT_TOKENS);
        if !TOKENS.contains(&max_tokens) {
            return Err(QueryError::invalid(
                "max_tokens",
                "must be from 1 to 200000",
            ));
        }
        let limit = search.limit;
        let mut ask = self.check(&search)?;
        // A limit that is given bounds each part; else the budget alone does.
        ask.limit = limit.unwrap_or((max_tokens / SHORTEST_EPISODE).clamp(20, MAX_LIMIT));
        ask.shortlist = ask.shortlist.max(ask.limit);
        let ask = Arc::new(ask);
        let mut partial = Partial::default();
        let mut ranking = self.ranking(&ask, &mut partial).await?;
        ranking.truncate(ask.limit);
        let material = self.material(&ask, ranking).await?;
        let question = folded_tokens(&ask.lexical);
        let settings = &self.settings.context;
        let mut context = build(material, &question, max_tokens as f64, settings);
        context.partial = partial.names();
        Ok(context)
    }

    async fn material(&self, ask: &Arc<Ask>, mut ranking: Ranking) -> Result<Material, QueryError> {
        // What is below the mean of its pool is noise that a model would have to read; what was
        // put in another order than by evidence has no such mean.
        let by_evidence = ask.rerank == mneme_api::RerankDto::Evidence;
        if by_evidence {
            ranking.facts.candidates.retain(|fact| fact.score > 0.0);
            ranking
                .entities
                .candidates
                .retain(|entity| entity.score > 0.0);
            ranking
                .communities
                .candidates
                .retain(|community| community.score > 0.0);
        }
        ranking.facts.candidates.truncate(FACTS);
        ranking.entities.candidates.truncate(ENTITIES);
        ranking.communities.candidates.truncate(COMMUNITIES);
        let (facts, entities, episodes, communities) = tokio::join!(
            self.show_facts(ranking.facts),
            self.show_entities(ask, ranking.entities),
            self.show_episodes(ranking.episodes),
            self.show_communities(ranking.communities),
        );
        Ok(Material {
            facts: facts?.into_iter().map(|shown| shown.dto).collect(),
            entities: entities?.into_iter().map(|shown| shown.dto).collect(),
            communities: communities?.into_iter().map(|shown| shown.dto).collect(),
            episodes: episodes?.into_iter().map(|shown| shown.dto).collect(),
        })
    }
}

/// Builds the context from its material.
fn build(
    material: Material,
    question: &[String],
    budget: f64,
    settings: &ContextSettings,
) -> ContextResponse {
    let mut page = Page::default();
    let (facts, more_facts) = take(
        &mut page,
        material.facts,
        budget * settings.facts,
        fact_line,
    );
    let room = page.cost() + budget * settings.entities;
    let (entities, _) = take(&mut page, material.entities, room, entity_line);
    let room = page.cost() + budget * settings.communities;
    let (communities, _) = take(&mut page, material.communities, room, community_line);
    let episodes = take_episodes(&mut page, material.episodes, question, budget);
    let (last_facts, _) = take(&mut page, more_facts, budget, fact_line);
    let context = page.write();
    ContextResponse {
        tokens: estimate(&context).ceil() as usize,
        context,
        facts: facts.into_iter().chain(last_facts).collect(),
        entities,
        episodes,
        communities,
        partial: Vec::new(),
    }
}

/// Adds what fits under a cost of the page, most relevant first; gives what was taken and what was
/// not.
fn take<T>(
    page: &mut Page,
    items: Vec<T>,
    up_to: f64,
    line: impl Fn(&T) -> Line,
) -> (Vec<T>, Vec<T>) {
    items.into_iter().partition(|item| {
        let line = line(item);
        let fits = page.cost() + page.price(&line) <= up_to;
        if fits {
            page.add(line);
        }
        fits
    })
}

fn take_episodes(
    page: &mut Page,
    episodes: Vec<EpisodeDto>,
    question: &[String],
    budget: f64,
) -> Vec<EpisodeDto> {
    let mut taken = Vec::new();
    for episode in episodes {
        let text = spoken(&episode);
        let whole = episode_line(&episode, &text);
        let left = budget - page.cost();
        let line = if page.price(&whole) <= left * LONG {
            Some(whole)
        } else {
            cut(page, &episode, &text, question, left).or(Some(whole))
        };
        if let Some(line) = line.filter(|line| page.price(line) <= left) {
            page.add(line);
            taken.push(episode);
        }
    }
    taken
}

/// The best passage of a long text. A text that is short by itself is taken whole or not at all.
fn cut(
    page: &Page,
    episode: &EpisodeDto,
    text: &str,
    question: &[String],
    left: f64,
) -> Option<Line> {
    const SHORT: f64 = 200.0;
    let cost = estimate(text);
    if cost <= SHORT {
        return None;
    }
    let frame = episode_line(episode, "");
    let room = (left * LONG).max(SHORT).min(left) - page.price(&frame) - 1.0;
    let passage = best_passage(text, question, room)?;
    Some(episode_line(episode, &passage))
}
