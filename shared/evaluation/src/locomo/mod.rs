//! LoCoMo: which turns of a long conversation a question finds, and whether a context of a size
//! holds them.
//!
//! Each conversation is a group and one thread, each turn an episode with its session's date as
//! reference time, a minute later for each turn. A question is searched with its text alone. The
//! recall of a question is the share of its evidence turns among the first episodes; figures are
//! means over the questions of categories 1 to 4 (multi-hop, temporal, open-domain, single-hop) that
//! have evidence. Category 5 asks for what was never said.

mod data;
mod scores;

use std::collections::BTreeMap;
use std::path::Path;

use futures::stream::{self, StreamExt, TryStreamExt};
use mneme_api::{ContextRequest, RerankDto, ResultKind, ScopeDto, SearchRequest};
use mneme_model::GroupId;
use serde::Serialize;

use crate::{EvaluationError, MemoryClient};
use data::{Conversation, Question};
use scores::Tally;
pub use scores::{BudgetShare, Scores};

/// How many episodes are looked at.
pub const DEPTHS: [usize; 3] = [5, 10, 20];
/// The sizes of contexts, in tokens.
pub const BUDGETS: [usize; 5] = [347, 504, 756, 1_378, 1_997];
/// How many questions are asked at once.
const PARALLEL: usize = 4;

/// What is measured how.
#[derive(Debug, Clone, Default)]
pub struct LocomoOptions {
    /// What the names of the groups begin with, so that a memory can be measured again.
    pub group_prefix: String,
    /// How results are ranked.
    pub rerank: RerankDto,
    /// Whether the conversations are in the memory already.
    pub is_imported: bool,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LocomoReport {
    /// Over all questions of categories 1 to 4.
    pub overall: Scores,
    /// By category.
    pub categories: BTreeMap<u8, Scores>,
}

/// Measures. `progress` is told of each conversation: its name, and how many of its questions were
/// asked of how many.
pub async fn evaluate(
    client: &dyn MemoryClient,
    file: &Path,
    options: &LocomoOptions,
    progress: &(dyn Fn(&str, usize, usize) + Sync),
) -> Result<LocomoReport, EvaluationError> {
    let mut overall = Tally::default();
    let mut categories: BTreeMap<u8, Tally> = BTreeMap::new();
    for conversation in data::read(file)? {
        let group = conversation.group(&options.group_prefix);
        let group = group.map_err(EvaluationError::in_file(file))?;
        if !options.is_imported {
            let episodes = conversation.episodes(&group);
            client
                .import(episodes.map_err(EvaluationError::in_file(file))?)
                .await?;
        }
        let count = conversation.questions.len();
        progress(&conversation.name, 0, count);
        let asked = stream::iter(&conversation.questions)
            .map(|question| ask(client, &group, &conversation, question, options))
            .buffered(PARALLEL);
        let tallies: Vec<Tally> = asked.try_collect().await?;
        for (question, tally) in conversation.questions.iter().zip(&tallies) {
            overall.add(tally);
            categories.entry(question.category).or_default().add(tally);
        }
        progress(&conversation.name, count, count);
    }
    Ok(LocomoReport {
        overall: overall.scores(),
        categories: categories
            .into_iter()
            .map(|(name, tally)| (name, tally.scores()))
            .collect(),
    })
}

async fn ask(
    client: &dyn MemoryClient,
    group: &GroupId,
    conversation: &Conversation,
    question: &Question,
    options: &LocomoOptions,
) -> Result<Tally, EvaluationError> {
    let evidence = conversation.evidence(question);
    let mut tally = Tally::default();
    if evidence.is_empty() {
        return Ok(tally);
    }
    let request = search_request(group, question, options);
    let response = client.search(&request).await?;
    let episodes = response
        .results
        .iter()
        .filter(|result| result.kind == ResultKind::Episode);
    let found: Vec<&str> = episodes.map(|result| result.id.as_str()).collect();
    tally.question();
    for depth in DEPTHS {
        tally.recall(depth, &evidence, &found[..depth.min(found.len())]);
    }
    for budget in BUDGETS {
        let response = client
            .context(&context_request(group, question, budget, options))
            .await?;
        let inside = response
            .episodes
            .iter()
            .map(|episode| episode.episode_id.as_str());
        tally.budget(budget, &evidence, &inside.collect::<Vec<_>>());
    }
    Ok(tally)
}

fn search_request(group: &GroupId, question: &Question, options: &LocomoOptions) -> SearchRequest {
    SearchRequest {
        group_ids: vec![group.clone()],
        query: Some(question.text.clone()),
        limit: DEPTHS.iter().max().copied(),
        scopes: Some(vec![ScopeDto::Episodes]),
        as_of: None,
        known_at: None,
        include_past: false,
        filter: None,
        rerank: options.rerank,
        center_entity_ids: Vec::new(),
        methods: None,
        min_cosine: None,
    }
}

fn context_request(
    group: &GroupId,
    question: &Question,
    budget: usize,
    options: &LocomoOptions,
) -> ContextRequest {
    ContextRequest {
        group_ids: vec![group.clone()],
        query: Some(question.text.clone()),
        limit: None,
        scopes: None,
        as_of: None,
        known_at: None,
        include_past: false,
        filter: None,
        rerank: options.rerank,
        center_entity_ids: Vec::new(),
        methods: None,
        min_cosine: None,
        max_tokens: Some(budget),
    }
}
