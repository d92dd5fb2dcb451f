//! What is stored of a document: its slot, the digest of its text, and what time views and filters
//! look at. The slot, the position and the length of the text in words are not part of the canonical
//! bytes, since the first two depend on the log and the last follows from the text.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use mneme_model::{EntityId, EpisodeId, FactId, Instant, Polarity, Source, ThreadId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::digest::{RowIdentity, encode_row};
use crate::{DocumentKind, EntityRow, EpisodeRow, FactVersionRow, StoreError, SupportRow};

/// The beginning of a BLAKE3 hash.
pub(in crate::embedded) type TextDigest = [u8; 16];

/// A stored document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::embedded) struct DocumentRow {
    pub slot: u32,
    /// How many words its text has, for the scores.
    pub length: u32,
    pub text: TextDigest,
    pub attributes: Attributes,
}

impl DocumentRow {
    /// The bytes that count in the digest.
    pub fn canonical(&self) -> Result<Vec<u8>, StoreError> {
        let Attributes::Episode(episode) = &self.attributes else {
            return encode_row(&(self.text, &self.attributes));
        };
        let episode = EpisodeAttributes {
            position: 0,
            ..episode.clone()
        };
        encode_row(&(self.text, Attributes::Episode(episode)))
    }
}

/// What is known of a document beside its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::embedded) enum Attributes {
    Episode(EpisodeAttributes),
    Fact(FactAttributes),
    Entity(EntityAttributes),
    Community,
}

impl Attributes {
    /// Whether searches see it: an entity that was merged away is kept, but not found.
    pub fn is_searched(&self) -> bool {
        !matches!(self, Self::Entity(entity) if entity.merged_into.is_some())
    }
}

/// Of an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::embedded) struct EpisodeAttributes {
    pub thread_id: Option<ThreadId>,
    pub reference_time: Instant,
    pub position: u64,
    pub source: Source,
    pub metadata: BTreeMap<String, String>,
}

impl EpisodeAttributes {
    pub fn of(row: &EpisodeRow) -> Self {
        Self {
            thread_id: row.episode.thread_id.clone(),
            reference_time: row.episode.reference_time,
            position: row.position,
            source: row.episode.source,
            metadata: row.episode.metadata.clone(),
        }
    }
}

/// Of a version of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::embedded) struct FactAttributes {
    pub fact_id: FactId,
    pub relation: Arc<str>,
    pub subject_type: Option<Arc<str>>,
    pub object_type: Option<Arc<str>>,
    pub valid_at: Instant,
    pub invalid_at: Option<Instant>,
    pub created_at: Instant,
    pub expired_at: Option<Instant>,
    pub support_since: Option<Instant>,
    pub episode_id: EpisodeId,
    pub reference_time: Instant,
}

impl FactAttributes {
    pub fn of(row: &FactVersionRow) -> Self {
        let object_type = match &row.object {
            crate::FactObject::Entity(entity) => entity.entity_type.as_deref(),
            crate::FactObject::Literal(_) => None,
        };
        Self {
            fact_id: row.fact_id,
            relation: row.relation.as_str().into(),
            subject_type: row.subject.entity_type.as_deref().map(Arc::from),
            object_type: object_type.map(Arc::from),
            valid_at: row.valid_at.at,
            invalid_at: row.invalid_at.map(|end| end.at),
            created_at: row.created_at,
            expired_at: row.expired_at,
            support_since: row.support_since,
            episode_id: row.episode_id.clone(),
            reference_time: row.reference_time,
        }
    }
}

/// Of an entity. Name and aliases are kept, since its text is made anew when its summary comes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::embedded) struct EntityAttributes {
    pub name: String,
    pub aliases: Vec<String>,
    pub entity_type: Option<Arc<str>>,
    pub merged_into: Option<EntityId>,
}

impl EntityAttributes {
    pub fn of(row: &EntityRow) -> Self {
        Self {
            name: row.name.clone(),
            aliases: row.aliases.clone(),
            entity_type: row.entity_type.as_deref().map(Arc::from),
            merged_into: None,
        }
    }
}

/// Evidence for a fact, as filters look at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::embedded) struct Evidence {
    pub fact_id: FactId,
    pub episode_id: EpisodeId,
    pub reference_time: Instant,
    pub valid_at: Instant,
    pub invalid_at: Option<Instant>,
    pub polarity: Polarity,
}

impl Evidence {
    pub fn of(row: &SupportRow) -> Self {
        Self {
            fact_id: row.fact_id,
            episode_id: row.episode_id.clone(),
            reference_time: row.reference_time,
            valid_at: row.valid_at.at,
            invalid_at: row.invalid_at.map(|end| end.at),
            polarity: row.polarity,
        }
    }

    /// Whether it supports the version.
    pub fn supports(&self, version: &FactAttributes) -> bool {
        SupportRow::supports_span(
            self.polarity,
            (self.valid_at, self.invalid_at),
            version.support_since,
            (version.valid_at, version.invalid_at),
        )
    }
}

/// The id of a document of a kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::embedded) enum DocumentId {
    Episode(EpisodeId),
    /// A version of a fact, an entity or a community.
    Derived(Uuid),
}

impl DocumentId {
    /// What identifies the row in keys and in the digest.
    pub fn identity(&self, kind: DocumentKind) -> RowIdentity {
        match (self, kind) {
            (Self::Episode(id), _) => RowIdentity::episode(id),
            (Self::Derived(id), DocumentKind::Entity) => RowIdentity::entity(*id),
            (Self::Derived(id), DocumentKind::Community) => RowIdentity::community(*id),
            (Self::Derived(id), _) => RowIdentity::fact_version(*id),
        }
    }

    /// The inverse of [`Self::identity`]: from what follows the kind's byte in a key.
    pub fn from_key(kind: DocumentKind, key: &[u8]) -> Option<Self> {
        match kind {
            DocumentKind::Episode => {
                let text = std::str::from_utf8(key).ok()?;
                EpisodeId::new(text).ok().map(Self::Episode)
            }
            _ => Uuid::from_slice(key).ok().map(Self::Derived),
        }
    }

    /// From the id that a caller gives; none where it can't be one of this kind.
    pub fn parse(kind: DocumentKind, id: &str) -> Option<Self> {
        match kind {
            DocumentKind::Episode => EpisodeId::new(id).ok().map(Self::Episode),
            _ => id.parse().ok().map(Self::Derived),
        }
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Episode(id) => f.write_str(id.as_str()),
            Self::Derived(id) => fmt::Display::fmt(id, f),
        }
    }
}
