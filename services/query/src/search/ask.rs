//! A search request, checked: what a request says is understood whole or refused here.

use std::collections::BTreeSet;

use mneme_api::{MethodDto, RerankDto, ScopeDto, SearchRequest};
use mneme_model::{EntityId, GroupScope};
use mneme_stores::{DocumentKind, Filter, Generation, TimeView};

use crate::rank::question::Question;
use crate::{QueryError, QueryService};

/// The most results of a scope.
pub(crate) const MAX_LIMIT: usize = 200;
const DEFAULT_LIMIT: usize = 10;
/// The most entities that distances are measured from.
const MAX_CENTERS: usize = 100;

/// A search that can be done.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub generation: Generation,
    pub scope: GroupScope,
    pub question: Question,
    /// The text of lexical queries.
    pub lexical: String,
    pub limit: usize,
    pub kinds: BTreeSet<DocumentKind>,
    pub time: TimeView,
    /// Whether it asks for what is so now. What tells the present only (summaries, communities) has
    /// no place in an answer about another instant.
    pub of_the_present: bool,
    pub filter: Option<Filter>,
    pub rerank: RerankDto,
    pub centers: Vec<EntityId>,
    pub words: bool,
    pub vectors: bool,
    pub graph: bool,
    pub min_cosine: f32,
    /// How many hits of each list.
    pub pool: usize,
    /// How many episodes are read to be weighed.
    pub shortlist: usize,
}

impl Ask {
    /// Whether nothing is asked.
    pub fn is_blank(&self) -> bool {
        self.question.text().is_empty() && self.centers.is_empty()
    }

    /// Whether results of a kind are wanted.
    pub fn wants(&self, kind: DocumentKind) -> bool {
        self.kinds.contains(&kind)
    }
}

impl QueryService {
    /// Checks a request.
    pub(crate) fn check(&self, request: &SearchRequest) -> Result<Ask, QueryError> {
        let scope =
            GroupScope::new(request.group_ids.clone()).map_err(QueryError::refused("group_ids"))?;
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(QueryError::invalid("limit", "must be from 1 to 200"));
        }
        let filter = request.filter.as_ref().map(Filter::parse).transpose();
        let filter = filter.map_err(QueryError::refused("filter"))?;
        if request.center_entity_ids.len() > MAX_CENTERS {
            let text = "may name 100 entities at the most";
            return Err(QueryError::invalid("center_entity_ids", text));
        }
        let min_cosine = request.min_cosine.unwrap_or(self.settings.min_cosine);
        if !(-1.0..=1.0).contains(&min_cosine) {
            return Err(QueryError::invalid("min_cosine", "must be from -1 to 1"));
        }
        let of_the_present = request.as_of.is_none() && request.known_at.is_none();
        let mut kinds = kinds(request.scopes.as_deref())?;
        if !of_the_present {
            kinds.remove(&DocumentKind::Community);
        }
        let uses = |method| methods(request.methods.as_deref()).contains(&method);
        if request.methods.as_ref().is_some_and(Vec::is_empty) {
            return Err(QueryError::invalid(
                "methods",
                "must name at least one method",
            ));
        }
        // Of what was known earlier, the later episodes are left out after they are found.
        let depth = if request.known_at.is_some() { 4 } else { 1 };
        let question = Question::read(request.query.as_deref().unwrap_or_default());
        Ok(Ask {
            generation: self.stores.generation(),
            scope,
            lexical: question.lexical(),
            question,
            limit,
            kinds,
            time: self.time_view(request.as_of, request.known_at, request.include_past),
            of_the_present,
            filter,
            rerank: request.rerank,
            centers: request.center_entity_ids.clone(),
            words: uses(MethodDto::Bm25),
            vectors: uses(MethodDto::Vector),
            graph: uses(MethodDto::Graph),
            min_cosine,
            pool: self.settings.pool.max(limit) * depth,
            shortlist: self.settings.shortlist.max(2 * limit) * depth,
        })
    }
}

fn kinds(scopes: Option<&[ScopeDto]>) -> Result<BTreeSet<DocumentKind>, QueryError> {
    let all = [
        ScopeDto::Facts,
        ScopeDto::Entities,
        ScopeDto::Episodes,
        ScopeDto::Communities,
    ];
    let scopes = scopes.unwrap_or(&all);
    if scopes.is_empty() {
        return Err(QueryError::invalid(
            "scopes",
            "must name at least one scope",
        ));
    }
    let kind = |scope: &ScopeDto| match scope {
        ScopeDto::Facts => DocumentKind::Fact,
        ScopeDto::Entities => DocumentKind::Entity,
        ScopeDto::Episodes => DocumentKind::Episode,
        ScopeDto::Communities => DocumentKind::Community,
    };
    Ok(scopes.iter().map(kind).collect())
}

fn methods(methods: Option<&[MethodDto]>) -> &[MethodDto] {
    methods.unwrap_or(&[MethodDto::Bm25, MethodDto::Vector, MethodDto::Graph])
}
