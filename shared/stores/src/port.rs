//! The ports of the three read stores.
//!
//! What all promise:
//! 1. `apply` takes changes of one partition in the order of the log and sets the checkpoint with
//!    them, all or nothing where the store can, and idempotent everywhere: a batch applied twice
//!    leaves what one leaves.
//! 2. A read names its groups ([`GroupScope`]) and gives nothing of any other; the adapter itself
//!    filters.
//! 3. Generations are apart: what is written to one is never read from another.
//! 4. `digest` covers all that the port holds of a group in a canonical order, and nothing that
//!    depends on when or how often something was written: two stores that applied the same events
//!    have equal digests.

use std::collections::BTreeMap;

use async_trait::async_trait;
use mneme_events::Topic;
use mneme_model::{
    EntityId, EpisodeId, FactId, GroupId, GroupScope, Instant, NameKey, Ontology, ThreadId,
};
use uuid::Uuid;

use crate::{
    Change, CommunityRow, DocumentKind, EntityRow, EpisodeRow, FactVersionRow, Filter, MentionRow,
    StatusRow, StoreError, SupportRow, TimeView,
};

/// The number of a build of the projections, from 1.
pub type Generation = u32;

/// A digest over a group's rows.
pub type Digest = [u8; 32];

/// How far a projection is in one partition of a topic: the next offset that it has not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// The topic.
    pub topic: Topic,
    /// The partition.
    pub partition: u32,
    /// The next offset.
    pub next: u64,
}

/// What the three stores share: being written to.
#[async_trait]
pub trait Projection: Send + Sync {
    /// The store's name, for settings, metrics and `partial`.
    fn name(&self) -> &'static str;

    /// Applies changes in order, each with its group, and moves the checkpoints. What was applied
    /// is seen by reads that begin after the call returned.
    async fn apply(
        &self,
        generation: Generation,
        changes: &[(GroupId, Change)],
        checkpoints: &[Checkpoint],
    ) -> Result<(), StoreError>;

    /// The checkpoint of a partition of a topic; 0 before the first.
    async fn checkpoint(
        &self,
        generation: Generation,
        topic: Topic,
        partition: u32,
    ) -> Result<u64, StoreError>;

    /// Drops all of a generation; no matter if there is none.
    async fn drop_generation(&self, generation: Generation) -> Result<(), StoreError>;

    /// The digest of each group that the generation holds something of. It does not depend on where
    /// the log has its records.
    async fn digests(
        &self,
        generation: Generation,
    ) -> Result<BTreeMap<GroupId, Digest>, StoreError>;
}

/// A breadth-first walk over facts.
#[derive(Debug, Clone)]
pub struct Walk {
    /// Where it starts.
    pub from: Vec<EntityId>,
    /// How many steps at the most.
    pub depth: u32,
    /// How many facts at the most.
    pub limit: usize,
    /// Which versions it sees.
    pub time: TimeView,
}

/// The graph: episodes, entities, mentions, facts, communities.
#[async_trait]
pub trait GraphStore: Projection {
    /// An episode.
    async fn episode(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<Option<EpisodeRow>, StoreError>;

    /// The status of an episode: what was concluded of it, else why it is held; none before either.
    async fn status(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<Option<StatusRow>, StoreError>;

    /// Whether anything that was received of the group up to the record at `position` of the
    /// `episodes` topic may be held at a stage ([`HoldRow::may_be_of`]).
    async fn is_held(
        &self,
        generation: Generation,
        group: &GroupId,
        position: u64,
    ) -> Result<bool, StoreError>;

    /// The latest episodes by reference time, then position, newest first; of one thread if named;
    /// those with a reference time before `before`, if given.
    async fn episodes(
        &self,
        generation: Generation,
        group: &GroupId,
        thread: Option<&ThreadId>,
        before: Option<Instant>,
        limit: usize,
    ) -> Result<Vec<EpisodeRow>, StoreError>;

    /// The episodes just before and after one in its thread, oldest first, without it.
    async fn neighbours(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
        each_side: usize,
    ) -> Result<Vec<EpisodeRow>, StoreError>;

    /// The ontology of a group.
    async fn ontology(
        &self,
        generation: Generation,
        group: &GroupId,
    ) -> Result<Option<Ontology>, StoreError>;

    /// An entity, also one that was merged away.
    async fn entity(
        &self,
        generation: Generation,
        group: &GroupId,
        entity: EntityId,
    ) -> Result<Option<EntityRow>, StoreError>;

    /// The living entities that have this key as name or alias.
    async fn entities_named(
        &self,
        generation: Generation,
        group: &GroupId,
        key: &NameKey,
    ) -> Result<Vec<EntityRow>, StoreError>;

    /// The living entities in order of id, after one if given.
    async fn entities(
        &self,
        generation: Generation,
        group: &GroupId,
        after: Option<EntityId>,
        limit: usize,
    ) -> Result<Vec<EntityRow>, StoreError>;

    /// The mentions of an entity, by episode and ordinal.
    async fn mentions_of(
        &self,
        generation: Generation,
        group: &GroupId,
        entity: EntityId,
        limit: usize,
    ) -> Result<Vec<MentionRow>, StoreError>;

    /// The mentions in an episode, by ordinal.
    async fn mentions_in(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<Vec<MentionRow>, StoreError>;

    /// A version of a fact by its id.
    ///
    /// Here and in all reads of facts, the ends have the current name and type of their entity; of
    /// one that is not known (yet, or any longer) those at the time of the version.
    async fn fact_version(
        &self,
        generation: Generation,
        group: &GroupId,
        version: Uuid,
    ) -> Result<Option<FactVersionRow>, StoreError>;

    /// The versions that the view sees, by subject (its id), relation, object (entities by id, then
    /// literals by text), start and version; after a version if given (in that order). Refused when
    /// that version is there no longer.
    async fn facts(
        &self,
        generation: Generation,
        group: &GroupId,
        time: &TimeView,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<FactVersionRow>, StoreError>;

    /// The versions that the view sees with this entity at either end, the latest start first.
    async fn facts_of(
        &self,
        generation: Generation,
        group: &GroupId,
        entity: EntityId,
        time: &TimeView,
        limit: usize,
    ) -> Result<Vec<FactVersionRow>, StoreError>;

    /// The same, but only those that give the entity a literal: its attributes. However many other
    /// facts an entity has, it costs these alone.
    async fn attributes_of(
        &self,
        generation: Generation,
        group: &GroupId,
        entity: EntityId,
        time: &TimeView,
        limit: usize,
    ) -> Result<Vec<FactVersionRow>, StoreError>;

    /// The versions that the view sees whose sentence or support comes from this episode, in the
    /// order of [`Self::facts`].
    async fn facts_from(
        &self,
        generation: Generation,
        group: &GroupId,
        episode: &EpisodeId,
        time: &TimeView,
        limit: usize,
    ) -> Result<Vec<FactVersionRow>, StoreError>;

    /// All versions of a fact, by `created_at` and start.
    async fn history(
        &self,
        generation: Generation,
        group: &GroupId,
        fact: FactId,
    ) -> Result<Vec<FactVersionRow>, StoreError>;

    /// The statements that support a fact, by start.
    async fn support(
        &self,
        generation: Generation,
        group: &GroupId,
        fact: FactId,
        limit: usize,
    ) -> Result<Vec<SupportRow>, StoreError>;

    /// The versions met on a walk, nearest first, each once and with its distance from 1. Entities
    /// are visited in the order they were met; at each, the latest start comes first.
    async fn walk(
        &self,
        generation: Generation,
        group: &GroupId,
        walk: &Walk,
    ) -> Result<Vec<(FactVersionRow, u32)>, StoreError>;

    /// The communities in order of id.
    async fn communities(
        &self,
        generation: Generation,
        group: &GroupId,
        limit: usize,
    ) -> Result<Vec<CommunityRow>, StoreError>;

    /// A community.
    async fn community(
        &self,
        generation: Generation,
        group: &GroupId,
        community: Uuid,
    ) -> Result<Option<CommunityRow>, StoreError>;

    /// The groups that the generation holds something of.
    async fn groups(&self, generation: Generation) -> Result<Vec<GroupId>, StoreError>;
}

/// Which text of an episode a query is matched with. Other kinds have [`TextField::Text`] only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextField {
    /// Its own text, with its author's name and the date of its reference time in words.
    Text,
    /// Its text and those of its neighbours in the thread, one on each side.
    Window,
    /// The text of its session: the part of its thread without a gap of six hours or more.
    Session,
}

/// A lexical query, scored by BM25 (k1 = 1.2, b = 0.75) with the statistics of the group alone.
#[derive(Debug, Clone)]
pub struct TextQuery<'q> {
    /// The groups that are seen.
    pub scope: &'q GroupScope,
    /// The kind of document.
    pub kind: DocumentKind,
    /// What was asked, as written; any text is a valid query.
    pub text: &'q str,
    /// Which texts; each gives a list of its own.
    pub fields: &'q [TextField],
    /// Which versions of facts; other kinds ignore it.
    pub time: TimeView,
    /// What else must hold.
    pub filter: Option<&'q Filter>,
    /// How many hits of each list at the most.
    pub limit: usize,
}

/// A hit of a lexical query.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The group.
    pub group_id: GroupId,
    /// The document (see [`DocumentKind`]).
    pub id: String,
    /// Its BM25.
    pub score: f32,
}

/// Text.
#[async_trait]
pub trait TextStore: Projection {
    /// The best hits of each field asked for, best first; ties in order of id.
    async fn search(
        &self,
        generation: Generation,
        query: &TextQuery<'_>,
    ) -> Result<Vec<Vec<TextHit>>, StoreError>;
}

/// A query by vector.
#[derive(Debug, Clone)]
pub struct VectorQuery<'q> {
    /// The groups that are seen.
    pub scope: &'q GroupScope,
    /// The kind of document.
    pub kind: DocumentKind,
    /// The vector of the query, from the same model as the store's.
    pub vector: &'q [f32],
    /// Whether the vectors of the windows of episodes are meant, not their own.
    pub window: bool,
    /// Which versions of facts; other kinds ignore it.
    pub time: TimeView,
    /// What else must hold.
    pub filter: Option<&'q Filter>,
    /// How many hits at the most.
    pub limit: usize,
    /// The least raw cosine of a hit.
    pub min_cosine: f32,
}

/// A hit of a query by vector.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorHit {
    /// The group.
    pub group_id: GroupId,
    /// The document (see [`DocumentKind`]).
    pub id: String,
    /// The raw cosine.
    pub cosine: f32,
}

/// Vectors. The store is made with an embedder and embeds what is applied to it; the model's name
/// and dimension are stored, and a store of another model is refused with the way out.
#[async_trait]
pub trait VectorStore: Projection {
    /// The best hits, best first; ties in order of id.
    async fn search(
        &self,
        generation: Generation,
        query: &VectorQuery<'_>,
    ) -> Result<Vec<VectorHit>, StoreError>;

    /// The vectors of documents, in the order asked; none where there is none (for maximal marginal
    /// relevance).
    async fn vectors(
        &self,
        generation: Generation,
        group: &GroupId,
        kind: DocumentKind,
        ids: &[String],
    ) -> Result<Vec<Option<Vec<f32>>>, StoreError>;
}
