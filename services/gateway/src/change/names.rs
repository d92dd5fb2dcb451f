//! Which entities a text means: one by its id, or all that have the name.

use mneme_api::Problem;
use mneme_model::{GroupId, NameKey};
use mneme_stores::EntityRow;
use uuid::Uuid;

use crate::gateway::{Shared, store_problem};

/// How many merges are followed from an id that was merged away.
const MERGES: usize = 32;

impl Shared {
    /// The living entities that a text means.
    pub async fn entities_meant(
        &self,
        group: &GroupId,
        text: &str,
    ) -> Result<Vec<EntityRow>, Problem> {
        if let Ok(id) = text.trim().parse::<Uuid>()
            && let Some(entity) = self.living(group, id).await?
        {
            return Ok(vec![entity]);
        }
        let key = NameKey::of(text);
        let named = self.records.entities_named(group, &key).await;
        named.map_err(store_problem)
    }

    /// The one entity that a text means.
    pub async fn entity_meant(
        &self,
        group: &GroupId,
        field: &str,
        text: &str,
    ) -> Result<EntityRow, Problem> {
        let mut meant = self.entities_meant(group, text).await?;
        match (meant.pop(), meant.is_empty()) {
            (Some(entity), true) => Ok(entity),
            (Some(last), false) => {
                meant.push(last);
                let ids = meant.iter().map(|entity| entity.entity_id).collect();
                Err(Problem::ambiguous(field, ids))
            }
            (None, _) => Err(no_entity(group, field)),
        }
    }

    /// The entity of an id, or the one that it became part of.
    async fn living(&self, group: &GroupId, mut id: Uuid) -> Result<Option<EntityRow>, Problem> {
        for _ in 0..MERGES {
            let row = self.records.entity(group, id).await;
            match row.map_err(store_problem)? {
                Some(EntityRow {
                    merged_into: Some(into),
                    ..
                }) => id = into,
                row => return Ok(row),
            }
        }
        Ok(None)
    }
}

fn no_entity(group: &GroupId, field: &str) -> Problem {
    Problem::not_found(format!(
        "{field}: the group '{group}' has no entity of this name or id"
    ))
    .about(field)
}
