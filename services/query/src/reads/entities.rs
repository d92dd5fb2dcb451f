//! The entities of a group with their attributes.

use mneme_api::{EntitiesParams, EntitiesResponse, EntityDto};
use mneme_model::{GroupId, NameKey};
use mneme_stores::EntityRow;

use super::limit;
use crate::{QueryError, QueryService, answer};

impl QueryService {
    /// The living entities in order of id, or those of a name; `next` goes on where the answer
    /// stopped.
    pub async fn entities(
        &self,
        group: &GroupId,
        params: EntitiesParams,
    ) -> Result<EntitiesResponse, QueryError> {
        let limit = limit(params.limit)?;
        let after = params.after.map(|after| {
            let text = "must be the 'next' of the answer before";
            after
                .parse()
                .map_err(|_| QueryError::invalid("after", text))
        });
        let after = after.transpose()?;
        let (graph, generation) = (self.stores.graph.clone(), self.stores.generation());
        let (group, name) = (group.clone(), params.name);
        let rows = self.ask_graph(async move {
            match name {
                None => graph.entities(generation, &group, after, limit + 1).await,
                Some(name) => {
                    let key = NameKey::of(&name);
                    let mut rows = graph.entities_named(generation, &group, &key).await?;
                    rows.sort_by_key(|row| row.entity_id);
                    rows.retain(|row| after.is_none_or(|after| row.entity_id > after));
                    Ok(rows)
                }
            }
        });
        let mut rows = rows.await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().map(|row| row.entity_id.to_string());
        Ok(EntitiesResponse {
            entities: self.with_attributes(rows).await?,
            next: last.filter(|_| more),
        })
    }

    async fn with_attributes(&self, rows: Vec<EntityRow>) -> Result<Vec<EntityDto>, QueryError> {
        let time = self.time_view(None, None, false);
        let facts = self.attributes(rows.iter(), time).await?;
        let entities = rows.into_iter().zip(facts);
        Ok(entities
            .map(|(row, facts)| answer::entity(row, &facts))
            .collect())
    }
}
