//! A query service over embedded stores in a temporary folder, written to directly.

#![allow(dead_code, reason = "each test uses a part")]

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use mneme_events::{Author, Episode, ResolvedEntity};
use mneme_inference::StaticEmbedder;
use mneme_model::{
    EpisodeId, GroupId, Instant, Polarity, Source, SystemClock, ThreadId, TimePoint, derived_id,
};
use mneme_query::{QueryService, QuerySettings, QueryStores};
use mneme_stores::embedded::graph::EmbeddedGraph;
use mneme_stores::embedded::text::EmbeddedText;
use mneme_stores::embedded::vector::EmbeddedVectors;
use mneme_stores::{
    Change, EntityRow, EpisodeRow, FactObject, FactVersionRow, MentionRow, SupportRow,
};
use uuid::Uuid;

pub const GENERATION: u32 = 1;

pub struct Memory {
    pub service: QueryService,
    pub stores: QueryStores,
    _folder: tempfile::TempDir,
}

impl Memory {
    pub fn new() -> Self {
        Self::with_settings(QuerySettings::default())
    }

    pub fn with_settings(settings: QuerySettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let embedder = Arc::new(StaticEmbedder::shipped().unwrap());
        let path = |name: &str| folder.path().join(name);
        let stores = QueryStores {
            graph: Arc::new(EmbeddedGraph::open(&path("graph"), 8 << 20).unwrap()),
            text: Arc::new(EmbeddedText::open(&path("text"), 64 << 20).unwrap()),
            vectors: Arc::new(
                EmbeddedVectors::open(&path("vectors"), embedder.clone(), 64 << 20).unwrap(),
            ),
            embedder,
            generation: Arc::new(AtomicU32::new(GENERATION)),
        };
        let clock = Arc::new(SystemClock::default());
        Self {
            service: QueryService::new(stores.clone(), settings, clock),
            stores,
            _folder: folder,
        }
    }

    /// Applies changes to all three stores.
    pub async fn apply(&self, changes: Vec<(GroupId, Change)>) {
        for batch in changes.chunks(500) {
            self.stores
                .graph
                .apply(GENERATION, batch, &[])
                .await
                .unwrap();
            self.stores
                .text
                .apply(GENERATION, batch, &[])
                .await
                .unwrap();
            self.stores
                .vectors
                .apply(GENERATION, batch, &[])
                .await
                .unwrap();
        }
    }
}

pub fn group(id: &str) -> GroupId {
    GroupId::new(id).unwrap()
}

pub fn at(text: &str) -> Instant {
    text.parse().unwrap()
}

/// An episode of a thread.
pub fn message(
    group: &GroupId,
    id: &str,
    author: &str,
    body: &str,
    when: Instant,
    position: u64,
) -> Change {
    let episode = Episode {
        episode_id: EpisodeId::new(id).unwrap(),
        thread_id: Some(ThreadId::new("thread").unwrap()),
        source: Source::Message,
        author: Some(Author {
            name: author.to_owned(),
            role: None,
            external_id: None,
        }),
        body: body.to_owned(),
        facts: Vec::new(),
        reference_time: when,
        source_description: None,
        metadata: Default::default(),
        digest: String::new(),
    };
    Change::PutEpisode(Box::new(EpisodeRow {
        group_id: group.clone(),
        episode: episode.with_digest(),
        recorded_at: at("2024-01-01T00:00:00Z"),
        position,
    }))
}

/// An entity.
pub fn entity(group: &GroupId, name: &str, kind: &str) -> EntityRow {
    EntityRow {
        group_id: group.clone(),
        entity_id: entity_id(group, name),
        name: name.to_owned(),
        entity_type: Some(kind.to_owned()),
        aliases: Vec::new(),
        external_ids: Vec::new(),
        possible_same_as: Vec::new(),
        merged_into: None,
        summary: None,
        created_at: at("2024-01-01T00:00:00Z"),
    }
}

/// The id of the entity of a name.
pub fn entity_id(group: &GroupId, name: &str) -> Uuid {
    derived_id(
        Uuid::NAMESPACE_OID,
        &[group.as_str().as_bytes(), name.as_bytes()],
    )
}

/// A fact between two entities of those names that holds from a day, stated by an episode.
pub struct Stated<'s> {
    pub subject: &'s str,
    pub relation: &'s str,
    pub object: &'s str,
    pub sentence: &'s str,
    pub from: &'s str,
    pub until: Option<&'s str>,
    pub episode: &'s str,
}

impl Stated<'_> {
    /// The changes that make it known: both entities, their mentions, the support and the version.
    pub fn changes(&self, group: &GroupId) -> Vec<(GroupId, Change)> {
        let point = |text: &str| TimePoint::parse(text).unwrap();
        let episode_id = EpisodeId::new(self.episode).unwrap();
        let reference_time = at("2024-01-01T00:00:00Z");
        let resolved = |name: &str| ResolvedEntity {
            entity_id: entity_id(group, name),
            name: name.to_owned(),
            entity_type: Some("Thing".to_owned()),
        };
        let fact_id = derived_id(Uuid::NAMESPACE_OID, &[self.sentence.as_bytes()]);
        let version_id = derived_id(fact_id, &[b"version"]);
        let mention = |ordinal: i32, name: &str| {
            Change::PutMention(MentionRow {
                episode_id: episode_id.clone(),
                ordinal,
                entity_id: entity_id(group, name),
                name: name.to_owned(),
                rule: "key".to_owned(),
                score: 1.0,
            })
        };
        let changes = vec![
            Change::PutEntity(Box::new(entity(group, self.subject, "Thing"))),
            Change::PutEntity(Box::new(entity(group, self.object, "Thing"))),
            mention(0, self.subject),
            mention(1, self.object),
            Change::PutSupport(SupportRow {
                fact_id,
                statement_id: derived_id(fact_id, &[b"statement"]),
                episode_id: episode_id.clone(),
                thread_id: None,
                reference_time,
                fact: self.sentence.to_owned(),
                valid_at: point(self.from),
                invalid_at: self.until.map(point),
                polarity: Polarity::Holds,
            }),
            Change::PutFactVersion(Box::new(FactVersionRow {
                group_id: group.clone(),
                version_id,
                fact_id,
                subject: resolved(self.subject),
                relation: self.relation.to_owned(),
                object: FactObject::Entity(resolved(self.object)),
                fact: self.sentence.to_owned(),
                valid_at: point(self.from),
                invalid_at: self.until.map(point),
                created_at: reference_time,
                expired_at: None,
                support_since: None,
                episode_id: episode_id.clone(),
                reference_time,
            })),
        ];
        changes
            .into_iter()
            .map(|change| (group.clone(), change))
            .collect()
    }
}
