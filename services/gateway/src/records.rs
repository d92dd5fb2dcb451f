//! What the gateway looks up of what was projected. It asks by value, so that what answers may be
//! another process: [`ProjectedRecords`] has the graph at hand, and whoever has not sends the
//! [`Lookup`] to one that has. Every look-up but that of a checkpoint names its group.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use mneme_events::Topic;
use mneme_model::{EntityId, EpisodeId, GroupId, NameKey, Ontology};
use mneme_stores::{
    EntityRow, EpisodeRow, FactVersionRow, GraphStore, MentionRow, StatusRow, StoreError, TimeView,
};
use serde::{Deserialize, Serialize};

/// A question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Lookup {
    /// How far the graph is in a partition of the episodes.
    Checkpoint(u32),
    /// An episode.
    Episode(GroupId, EpisodeId),
    /// How far an episode is.
    Status(GroupId, EpisodeId),
    /// The ontology of a group.
    Ontology(GroupId),
    /// An entity, also one that was merged away.
    Entity(GroupId, EntityId),
    /// The living entities that have a name.
    EntitiesNamed(GroupId, NameKey),
    /// The mentions in an episode.
    MentionsIn(GroupId, EpisodeId),
    /// The facts of an entity.
    FactsOf(GroupId, EntityId, TimeView, usize),
    /// Whether what was received of a group up to a position may be held.
    IsHeld(GroupId, u64),
}

/// The answer to a question of the same name.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each is the answer to the look-up of its name")]
pub enum Found {
    Checkpoint(u64),
    Episode(Option<Box<EpisodeRow>>),
    Status(Option<StatusRow>),
    Ontology(#[serde(with = "json_text")] Option<Ontology>),
    Entity(Option<EntityRow>),
    EntitiesNamed(Vec<EntityRow>),
    MentionsIn(Vec<MentionRow>),
    FactsOf(Vec<FactVersionRow>),
    IsHeld(bool),
}

/// A value as JSON text within an encoding that can't tell what is left out, as an ontology does with
/// what is not set.
mod json_text {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(value).map_err(S::Error::custom)?;
        text.serialize(to)
    }

    pub fn deserialize<'d, T: DeserializeOwned, D: Deserializer<'d>>(
        from: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

/// Answers look-ups.
#[async_trait]
pub trait Records: Send + Sync {
    /// The answer, of the same name as the question.
    async fn look_up(&self, lookup: Lookup) -> Result<Found, StoreError>;
}

/// Answers from a graph store.
pub struct ProjectedRecords {
    graph: Arc<dyn GraphStore>,
    generation: Arc<AtomicU32>,
}

impl ProjectedRecords {
    /// `generation` is the one that reads are answered from.
    pub fn new(graph: Arc<dyn GraphStore>, generation: Arc<AtomicU32>) -> Self {
        Self { graph, generation }
    }
}

#[async_trait]
impl Records for ProjectedRecords {
    async fn look_up(&self, lookup: Lookup) -> Result<Found, StoreError> {
        let (graph, generation) = (&self.graph, self.generation.load(Ordering::Acquire));
        Ok(match lookup {
            Lookup::Checkpoint(partition) => {
                let next = graph.checkpoint(generation, Topic::Episodes, partition);
                Found::Checkpoint(next.await?)
            }
            Lookup::Episode(group, episode) => {
                let row = graph.episode(generation, &group, &episode).await?;
                Found::Episode(row.map(Box::new))
            }
            Lookup::Status(group, episode) => {
                Found::Status(graph.status(generation, &group, &episode).await?)
            }
            Lookup::IsHeld(group, position) => {
                Found::IsHeld(graph.is_held(generation, &group, position).await?)
            }
            Lookup::Ontology(group) => Found::Ontology(graph.ontology(generation, &group).await?),
            Lookup::Entity(group, entity) => {
                Found::Entity(graph.entity(generation, &group, entity).await?)
            }
            Lookup::EntitiesNamed(group, key) => {
                Found::EntitiesNamed(graph.entities_named(generation, &group, &key).await?)
            }
            Lookup::MentionsIn(group, episode) => {
                Found::MentionsIn(graph.mentions_in(generation, &group, &episode).await?)
            }
            Lookup::FactsOf(group, entity, time, limit) => {
                let facts = graph.facts_of(generation, &group, entity, &time, limit);
                Found::FactsOf(facts.await?)
            }
        })
    }
}

/// The same questions with the types of their answers.
macro_rules! typed {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $answer:ty = $kind:ident;)*) => {
        impl dyn Records {
            $($(#[$doc])* pub(crate) async fn $name(
                &self,
                $($argument: $type),*
            ) -> Result<$answer, StoreError> {
                match self.look_up(Lookup::$kind($($argument.to_owned()),*)).await? {
                    Found::$kind(answer) => Ok(answer),
                    _ => Err(StoreError::Broken("the answer is to another question".to_owned())),
                }
            })*
        }
    };
}

typed! {
    checkpoint(partition: u32) -> u64 = Checkpoint;
    episode(group: &GroupId, episode: &EpisodeId) -> Option<Box<EpisodeRow>> = Episode;
    status(group: &GroupId, episode: &EpisodeId) -> Option<StatusRow> = Status;
    is_held(group: &GroupId, position: u64) -> bool = IsHeld;
    ontology(group: &GroupId) -> Option<Ontology> = Ontology;
    entity(group: &GroupId, entity: EntityId) -> Option<EntityRow> = Entity;
    entities_named(group: &GroupId, key: &NameKey) -> Vec<EntityRow> = EntitiesNamed;
    mentions_in(group: &GroupId, episode: &EpisodeId) -> Vec<MentionRow> = MentionsIn;
    facts_of(group: &GroupId, entity: EntityId, time: &TimeView, limit: usize)
        -> Vec<FactVersionRow> = FactsOf;
}
