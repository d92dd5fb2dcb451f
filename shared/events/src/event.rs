//! The [`Event`] of the log and what all events have in common.

use mneme_model::{EpisodeId, GroupId, derived_id};
use serde::Serialize;
use uuid::Uuid;

use crate::*;

macro_rules! events {
    ($($name:ident => $file:literal),* $(,)?) => {
        /// One event of the log.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        #[allow(missing_docs, reason = "each variant holds the struct of its name")]
        #[allow(clippy::large_enum_variant, reason = "events travel behind an `Arc`")]
        pub enum Event {
            $($name($name)),*
        }

        /// Which event an [`Event`] is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each variant has the name of its event")]
        pub enum EventKind {
            $($name),*
        }

        impl EventKind {
            /// All kinds, in the order of the flow.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name of the event, which is that of its Avro record.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }

            /// The text of its schema file.
            pub(crate) fn schema_text(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../../schemas/", $file, ".avsc"))),*
                }
            }
        }

        impl Event {
            /// Which event it is.
            pub fn kind(&self) -> EventKind {
                match self { $(Self::$name(_) => EventKind::$name),* }
            }

            /// The header.
            pub fn header(&self) -> &EventHeader {
                match self { $(Self::$name(event) => &event.header),* }
            }

            /// The header, to be set.
            pub fn header_mut(&mut self) -> &mut EventHeader {
                match self { $(Self::$name(event) => &mut event.header),* }
            }
        }

        $(impl From<$name> for Event {
            fn from(event: $name) -> Self {
                Self::$name(event)
            }
        })*

        /// Calls a generic function with the struct of a kind.
        macro_rules! with_event_type {
            ($kind:expr, $type:ident => $body:expr) => {
                match $kind {
                    $(EventKind::$name => { type $type = $name; $body })*
                }
            };
        }
        /// Calls a generic function with the struct inside an event.
        macro_rules! with_event {
            ($event_value:expr, $inner:ident => $body:expr) => {
                match $event_value {
                    $(Event::$name($inner) => $body),*
                }
            };
        }
        pub(crate) use {with_event, with_event_type};
    };
}

events! {
    EpisodeReceived => "episode_received",
    EpisodeErased => "episode_erased",
    GroupErased => "group_erased",
    OntologyChanged => "ontology_changed",
    EntitiesMergeRequested => "entities_merge_requested",
    EntitySplitRequested => "entity_split_requested",
    FactCorrected => "fact_corrected",
    EpisodeExtracted => "episode_extracted",
    ExtractionFailed => "extraction_failed",
    EntityCreated => "entity_created",
    EntityUpdated => "entity_updated",
    EntitiesMerged => "entities_merged",
    EntitySplit => "entity_split",
    EntityErased => "entity_erased",
    MentionResolved => "mention_resolved",
    StatementResolved => "statement_resolved",
    EpisodeResolved => "episode_resolved",
    StatementPlaced => "statement_placed",
    StatementWithdrawn => "statement_withdrawn",
    FactVersionCreated => "fact_version_created",
    FactVersionExpired => "fact_version_expired",
    FactErased => "fact_erased",
    StatementUnmatched => "statement_unmatched",
    EpisodeApplied => "episode_applied",
    EntitySummarized => "entity_summarized",
    CommunityChanged => "community_changed",
    FactNoted => "fact_noted",
    FactForgotten => "fact_forgotten",
    GroupSummarized => "group_summarized",
    CommunityRemoved => "community_removed",
    InferenceRecorded => "inference_recorded",
    DeadLettered => "dead_lettered",
    DeadLetterReplayed => "dead_letter_replayed",
    RecordParked => "record_parked",
    RecordReleased => "record_released",
    GroupReleaseRequested => "group_release_requested",
}

impl Event {
    /// The group.
    pub fn group_id(&self) -> &GroupId {
        &self.header().group_id
    }

    /// The episode that it is of, where it is of one.
    pub fn episode_id(&self) -> Option<&EpisodeId> {
        match self {
            Self::MentionResolved(event) => Some(&event.episode_id),
            Self::StatementResolved(event) => Some(&event.episode_id),
            Self::EpisodeResolved(event) => Some(&event.episode_id),
            Self::StatementPlaced(event) => Some(&event.episode_id),
            Self::EpisodeApplied(event) => Some(&event.episode_id),
            _ => self.episode().map(|episode| &episode.episode_id),
        }
    }

    /// The episode itself, where it carries one.
    pub fn episode(&self) -> Option<&Episode> {
        match self {
            Self::EpisodeReceived(event) => Some(&event.episode),
            Self::EpisodeExtracted(event) => Some(&event.episode),
            Self::ExtractionFailed(event) => Some(&event.episode),
            _ => None,
        }
    }

    /// Whether each stage forwards it to the next (erasures, ontology, requests of an operator).
    pub fn is_control(&self) -> bool {
        matches!(
            self.kind(),
            EventKind::EpisodeErased
                | EventKind::GroupErased
                | EventKind::OntologyChanged
                | EventKind::EntitiesMergeRequested
                | EventKind::EntitySplitRequested
                | EventKind::FactCorrected
        )
    }
}

/// The id of the `ordinal`-th event that a stage makes of a cause: the same whenever the cause is
/// processed again.
pub fn follow_up_id(cause: Uuid, stage: &str, ordinal: usize) -> Uuid {
    derived_id(cause, &[stage.as_bytes(), &(ordinal as u64).to_be_bytes()])
}
