//! The ids in a path, valid once extracted; a bad one is a problem that names it.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use mneme_model::{EntityId, EpisodeId, FactId, GroupId, InvalidValue};
use uuid::Uuid;

use crate::Problem;

async fn path_value<V>(
    parts: &mut Parts,
    name: &str,
    read: impl Fn(&str) -> Result<V, InvalidValue>,
) -> Result<V, Problem> {
    let parameters = RawPathParams::from_request_parts(parts, &())
        .await
        .map_err(|_| Problem::malformed("the path is not UTF-8"))?;
    let text = parameters.iter().find(|(key, _)| *key == name);
    let (_, text) = text.ok_or_else(Problem::internal)?;
    read(text).map_err(|error| Problem::invalid_field(name, error.0))
}

fn uuid(text: &str) -> Result<Uuid, InvalidValue> {
    text.parse()
        .map_err(|_| InvalidValue::new("must be a UUID, as answers give it"))
}

macro_rules! paths {
    ($($(#[$doc:meta])* $path:ident { $($field:ident: $type:ty = $read:path),* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq)]
            #[allow(missing_docs, reason = "the fields are the parts of the path")]
            pub struct $path { $(pub $field: $type),* }

            impl<S: Send + Sync> FromRequestParts<S> for $path {
                type Rejection = Problem;

                async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
                    Ok(Self {
                        $($field: path_value(parts, stringify!($field), |text| $read(text)).await?),*
                    })
                }
            }
        )*
    };
}

paths! {
    /// `/v1/groups/{group_id}/…`
    GroupPath { group_id: GroupId = GroupId::new }
    /// `/v1/groups/{group_id}/episodes/{episode_id}`
    EpisodePath { group_id: GroupId = GroupId::new, episode_id: EpisodeId = EpisodeId::new }
    /// `/v1/groups/{group_id}/entities/{entity_id}/…`
    EntityPath { group_id: GroupId = GroupId::new, entity_id: EntityId = uuid }
    /// `/v1/groups/{group_id}/facts/{fact_id}/…`
    FactPath { group_id: GroupId = GroupId::new, fact_id: FactId = uuid }
    /// `/v1/admin/dlq/{id}/…`
    LetterPath { id: Uuid = uuid }
    /// `/v1/intake/{mapping}`
    MappingPath { mapping: String = any_text }
}

fn any_text(text: &str) -> Result<String, InvalidValue> {
    Ok(text.to_owned())
}
