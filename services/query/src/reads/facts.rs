//! The facts that a view sees, all of them page by page, or those of a subject, a relation, an
//! object.

use mneme_api::{FactDto, FactsParams, FactsResponse};
use mneme_model::{EntityId, GroupId, NameKey, RelationName};
use mneme_stores::{FactObject, FactVersionRow, StoreError, TimeView};
use uuid::Uuid;

use super::limit;
use crate::{QueryError, QueryService, answer};

/// How many facts are looked at in one go where only some of them fit.
const PAGE: usize = 1_000;
/// The most facts of one entity that are listed by its name.
const MAX_OF_ENTITY: usize = 100_000;

/// Which facts fit.
struct Wanted {
    subjects: Option<Vec<EntityId>>,
    /// As [`relation_key`] gives it.
    relation: Option<String>,
    object: Option<WantedObject>,
}

struct WantedObject {
    entities: Vec<EntityId>,
    literal: String,
}

impl Wanted {
    fn fits(&self, row: &FactVersionRow) -> bool {
        let subject = self.subjects.as_ref();
        let fits_object = |wanted: &WantedObject| match &row.object {
            FactObject::Entity(entity) => wanted.entities.contains(&entity.entity_id),
            FactObject::Literal(literal) => literal.text == wanted.literal,
        };
        subject.is_none_or(|ids| ids.contains(&row.subject.entity_id))
            && self
                .relation
                .as_ref()
                .is_none_or(|relation| *relation == relation_key(&row.relation))
            && self.object.as_ref().is_none_or(fits_object)
    }
}

impl QueryService {
    /// The facts of a group, in a fixed order; `next` goes on where the answer stopped.
    pub async fn facts(
        &self,
        group: &GroupId,
        params: FactsParams,
    ) -> Result<FactsResponse, QueryError> {
        let limit = limit(params.limit)?;
        let after = params.after.as_deref().map(cursor).transpose()?;
        let include_past = params.include_past.unwrap_or(false);
        let time = self.time_view(params.as_of, params.known_at, include_past);
        let wanted = self.wanted(group, params).await?;
        let mut rows = match &wanted.subjects {
            Some(subjects) => {
                self.of_subjects(group, subjects, time, &wanted, after)
                    .await?
            }
            None => {
                self.of_group(group, time, &wanted, after, limit + 1)
                    .await?
            }
        };
        let more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().map(|row| row.version_id.to_string());
        Ok(FactsResponse {
            facts: self.with_sources(rows).await?,
            next: last.filter(|_| more),
        })
    }

    /// Rows with the episodes that support them.
    pub(super) async fn with_sources(
        &self,
        rows: Vec<FactVersionRow>,
    ) -> Result<Vec<FactDto>, QueryError> {
        let supports = self.supports(rows.iter()).await?;
        let facts = rows.into_iter().map(|row| {
            let support = supports.get(&row.fact_id).map(Vec::as_slice);
            answer::fact(row, support.unwrap_or_default())
        });
        Ok(facts.collect())
    }

    async fn wanted(&self, group: &GroupId, params: FactsParams) -> Result<Wanted, QueryError> {
        let subjects = match &params.subject {
            Some(name) => Some(self.entities_by_name_or_id(group, name).await?),
            None => None,
        };
        let object = match params.object {
            Some(name) => Some(WantedObject {
                entities: self.entities_by_name_or_id(group, &name).await?,
                literal: name,
            }),
            None => None,
        };
        let relation = params.relation.map(|name| {
            RelationName::new(&name)
                .map(|name| relation_key(name.as_str()))
                .map_err(QueryError::refused("relation"))
        });
        let relation = relation.transpose()?;
        Ok(Wanted {
            subjects,
            relation,
            object,
        })
    }

    async fn entities_by_name_or_id(
        &self,
        group: &GroupId,
        name: &str,
    ) -> Result<Vec<EntityId>, QueryError> {
        if let Ok(id) = name.parse() {
            return Ok(vec![id]);
        }
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let (group, key) = (group.clone(), NameKey::of(name));
        let named = async move { graph.entities_named(generation, &group, &key).await };
        let rows = self.ask_graph(named).await?;
        Ok(rows.into_iter().map(|row| row.entity_id).collect())
    }

    /// The facts of some subjects, in the order of the stores: by relation, object and start.
    async fn of_subjects(
        &self,
        group: &GroupId,
        subjects: &[EntityId],
        time: TimeView,
        wanted: &Wanted,
        after: Option<Uuid>,
    ) -> Result<Vec<FactVersionRow>, QueryError> {
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let (group, subjects) = (group.clone(), subjects.to_vec());
        let rows = self.ask_graph(async move {
            let after = match after {
                Some(after) => match graph.fact_version(generation, &group, after).await? {
                    Some(row) => Some(row),
                    None => return Ok(None),
                },
                None => None,
            };
            let mut rows = Vec::new();
            for subject in subjects {
                rows.extend(
                    graph
                        .facts_of(generation, &group, subject, &time, MAX_OF_ENTITY)
                        .await?,
                );
            }
            Ok(Some((rows, after)))
        });
        let (mut rows, after) = rows.await?.ok_or_else(gone)?;
        let is_after = |row: &FactVersionRow| match &after {
            Some(after) => order(row) > order(after),
            None => true,
        };
        rows.retain(|row| wanted.fits(row) && is_after(row));
        rows.sort_by(|a, b| order(a).cmp(&order(b)));
        Ok(rows)
    }

    /// The facts of a group that fit, up to `enough`.
    async fn of_group(
        &self,
        group: &GroupId,
        time: TimeView,
        wanted: &Wanted,
        mut after: Option<Uuid>,
        enough: usize,
    ) -> Result<Vec<FactVersionRow>, QueryError> {
        let takes_all = wanted.relation.is_none() && wanted.object.is_none();
        let page = if takes_all { enough } else { PAGE };
        let mut rows = Vec::new();
        loop {
            let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
            let group = group.clone();
            let read = async move {
                let read = graph.facts(generation, &group, &time, after, page).await;
                match read {
                    Err(StoreError::Refused(_)) => Ok(None),
                    read => read.map(Some),
                }
            };
            let read = self.ask_graph(read).await?.ok_or_else(gone)?;
            let is_last = read.len() < page;
            after = read.last().map(|row| row.version_id);
            rows.extend(read.into_iter().filter(|row| wanted.fits(row)));
            if is_last || rows.len() >= enough {
                return Ok(rows);
            }
        }
    }
}

fn cursor(after: &str) -> Result<Uuid, QueryError> {
    let text = "must be the 'next' of the answer before";
    after
        .parse()
        .map_err(|_| QueryError::invalid("after", text))
}

/// The fact to go on after was erased in the meantime.
fn gone() -> QueryError {
    let text = "the fact that it names is there no longer; begin again without 'after'";
    QueryError::invalid("after", text)
}

/// A relation as it is looked for: the case and how its words are joined don't count.
fn relation_key(relation: &str) -> String {
    let words = relation.split(|c: char| c.is_whitespace() || matches!(c, '_' | '-'));
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// What facts of a subject are ordered by.
fn order(row: &FactVersionRow) -> (EntityId, &str, &str, i64, Uuid) {
    (
        row.subject.entity_id,
        &row.relation,
        row.object.text(),
        row.valid_at.at.as_micros(),
        row.version_id,
    )
}
