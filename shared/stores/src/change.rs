//! What an event changes in the read stores: the pure fold that every projection shares. A change
//! says all that it needs, so no store looks anything up, and applying it again changes nothing.
//!
//! The stores read several topics whose order to each other is not known, so each kind of row is
//! written from one topic only, and an erasure is for the rows of the topic that it was read from:
//! it stands there after all that it forgets and before all that comes later. So any interleaving
//! of the topics gives the same rows, without a memory of what was erased.
//!
//! | topic | rows |
//! | --- | --- |
//! | `episodes` | episodes, the ontology |
//! | `resolutions` | entities, mentions |
//! | `facts` | versions of facts, support, status |
//! | `communities` | communities, summaries of entities |
//! | `parked` | what is held |

use mneme_events::{Episode, Event, FactVersionCreated, StatementPlaced, Topic};
use mneme_model::{EntityId, EpisodeId, FactId, GroupId, Instant, Ontology};
use uuid::Uuid;

use crate::{
    CommunityRow, EntityRow, EpisodeRow, EpisodeState, FactObject, FactVersionRow, HoldRow,
    MentionRow, StatusRow, SupportRow,
};

/// One change of a read store.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its row's docs say")]
pub enum Change {
    /// An episode of the same id that is there with a smaller position is kept: of two sendings in
    /// a race the first counts, as in the extractor.
    PutEpisode(Box<EpisodeRow>),
    /// Forgets the rows of the episode that are written from the topic: itself (`episodes`), its
    /// mentions (`resolutions`), its status and support (`facts`).
    EraseEpisode {
        topic: Topic,
        episode_id: EpisodeId,
    },
    /// Forgets the rows of the group that are written from the topic.
    EraseGroup {
        topic: Topic,
    },
    PutOntology(Box<Ontology>),
    PutStatus {
        episode_id: EpisodeId,
        status: StatusRow,
    },
    /// A record is held: until it is released, the episode that it is of waits or is parked.
    PutHold(HoldRow),
    RemoveHold {
        episode_id: Option<EpisodeId>,
        stage: String,
        source_offset: i64,
    },
    /// Sets all of an entity but its summary, its `created_at` (kept from the first time) and
    /// `merged_into` (cleared).
    PutEntity(Box<EntityRow>),
    /// The entity is part of another: it stays readable by id, with `merged_into` set, and is
    /// listed and searched no longer.
    MergeEntity {
        from: EntityId,
        into: EntityId,
    },
    EraseEntity(EntityId),
    /// Sets the summary; an empty one removes it, as when nothing is left to say of an entity.
    PutSummary {
        entity_id: EntityId,
        summary: String,
    },
    /// Replaces the mention of the same episode and ordinal.
    PutMention(MentionRow),
    PutFactVersion(Box<FactVersionRow>),
    ExpireFactVersion {
        version_id: Uuid,
        fact_id: FactId,
        expired_at: Instant,
    },
    EraseFactVersion {
        version_id: Uuid,
        fact_id: FactId,
    },
    /// Replaces the support row of the same statement, also when it was of another fact.
    PutSupport(SupportRow),
    /// Removes the support row of the statement if it is of this fact.
    RemoveSupport {
        statement_id: Uuid,
        fact_id: FactId,
    },
    PutCommunity(Box<CommunityRow>),
    RemoveCommunity(Uuid),
}

/// The changes that follow from an event of a topic, in order. `position` is its offset in the log.
pub fn changes_of(topic: Topic, event: &Event, position: u64) -> Vec<Change> {
    let group_id = event.group_id().clone();
    let recorded_at = event.header().recorded_at;
    match event {
        Event::EpisodeReceived(received) => vec![put_episode(
            group_id,
            received.episode.clone(),
            recorded_at,
            position,
        )],
        Event::EpisodeErased(erased) => vec![Change::EraseEpisode {
            topic,
            episode_id: erased.episode_id.clone(),
        }],
        Event::GroupErased(_) => vec![Change::EraseGroup { topic }],
        // Later topics only forward it.
        Event::OntologyChanged(_) if topic != Topic::Episodes => Vec::new(),
        Event::OntologyChanged(changed) => serde_json::from_str(&changed.ontology)
            .map(|ontology| vec![Change::PutOntology(Box::new(ontology))])
            .unwrap_or_default(),
        Event::EntityCreated(created) => vec![Change::PutEntity(Box::new(EntityRow {
            group_id,
            entity_id: created.entity_id,
            name: created.name.clone(),
            entity_type: created.entity_type.clone(),
            aliases: created.aliases.clone(),
            external_ids: created.external_ids.clone(),
            possible_same_as: created.possible_same_as.clone(),
            merged_into: None,
            summary: None,
            created_at: recorded_at,
        }))],
        Event::EntityUpdated(updated) => vec![Change::PutEntity(Box::new(EntityRow {
            group_id,
            entity_id: updated.entity_id,
            name: updated.name.clone(),
            entity_type: updated.entity_type.clone(),
            aliases: updated.aliases.clone(),
            external_ids: updated.external_ids.clone(),
            possible_same_as: updated.possible_same_as.clone(),
            merged_into: None,
            summary: None,
            created_at: recorded_at,
        }))],
        Event::EntitiesMerged(merged) => {
            vec![Change::MergeEntity {
                from: merged.from,
                into: merged.into,
            }]
        }
        Event::EntityErased(erased) => vec![Change::EraseEntity(erased.entity_id)],
        Event::MentionResolved(resolved) => vec![Change::PutMention(MentionRow {
            episode_id: resolved.episode_id.clone(),
            ordinal: resolved.ordinal,
            entity_id: resolved.entity_id,
            name: resolved.name.clone(),
            rule: resolved.rule.clone(),
            score: resolved.score,
        })],
        Event::StatementPlaced(placed) => vec![Change::PutSupport(support_row(placed))],
        Event::StatementWithdrawn(withdrawn) => vec![Change::RemoveSupport {
            statement_id: withdrawn.statement_id,
            fact_id: withdrawn.fact_id,
        }],
        Event::FactVersionCreated(created) => fact_version_row(group_id, created)
            .map(|row| vec![Change::PutFactVersion(Box::new(row))])
            .unwrap_or_default(),
        Event::FactVersionExpired(expired) => vec![Change::ExpireFactVersion {
            version_id: expired.version_id,
            fact_id: expired.fact_id,
            expired_at: expired.expired_at,
        }],
        Event::FactErased(erased) => vec![Change::EraseFactVersion {
            version_id: erased.version_id,
            fact_id: erased.fact_id,
        }],
        Event::EpisodeApplied(applied) => vec![Change::PutStatus {
            episode_id: applied.episode_id.clone(),
            status: StatusRow {
                state: match applied.outcome {
                    mneme_events::EpisodeOutcome::Done => EpisodeState::Done,
                    mneme_events::EpisodeOutcome::Failed => EpisodeState::Failed,
                },
                reason: applied.reason.clone(),
                notes: applied.notes.clone(),
                created: applied.created,
                expired: applied.expired,
            },
        }],
        Event::EntitySummarized(summarized) => vec![Change::PutSummary {
            entity_id: summarized.entity_id,
            summary: summarized.summary.clone(),
        }],
        Event::CommunityChanged(changed) => vec![Change::PutCommunity(Box::new(CommunityRow {
            group_id,
            community_id: changed.community_id,
            name: changed.name.clone(),
            keywords: changed.keywords.clone(),
            summary: changed.summary.clone(),
            members: changed.members.clone(),
        }))],
        Event::CommunityRemoved(removed) => vec![Change::RemoveCommunity(removed.community_id)],
        Event::RecordParked(parked) => vec![Change::PutHold(HoldRow {
            episode_id: parked.episode_id.clone(),
            stage: parked.stage.clone(),
            source_offset: parked.source_offset,
            waiting: parked.waiting,
            reason: parked.reason.clone(),
        })],
        Event::RecordReleased(released) => vec![Change::RemoveHold {
            episode_id: released.episode_id.clone(),
            stage: released.stage.clone(),
            source_offset: released.source_offset,
        }],
        _ => Vec::new(),
    }
}

fn put_episode(group_id: GroupId, episode: Episode, recorded_at: Instant, position: u64) -> Change {
    Change::PutEpisode(Box::new(EpisodeRow {
        group_id,
        episode,
        recorded_at,
        position,
    }))
}

fn support_row(placed: &StatementPlaced) -> SupportRow {
    SupportRow {
        fact_id: placed.fact_id,
        statement_id: placed.statement_id,
        episode_id: placed.episode_id.clone(),
        thread_id: placed.thread_id.clone(),
        reference_time: placed.reference_time,
        fact: placed.fact.clone(),
        valid_at: placed.valid_at,
        invalid_at: placed.invalid_at,
        polarity: placed.polarity,
    }
}

/// The row of a created version; `None` when the event names no object, which its writer rules out.
fn fact_version_row(group_id: GroupId, created: &FactVersionCreated) -> Option<FactVersionRow> {
    let object = match (&created.object, &created.value) {
        (Some(entity), _) => FactObject::Entity(entity.clone()),
        (None, Some(value)) => FactObject::Literal(value.clone()),
        (None, None) => return None,
    };
    Some(FactVersionRow {
        group_id,
        version_id: created.version_id,
        fact_id: created.fact_id,
        subject: created.subject.clone(),
        relation: created.relation.clone(),
        object,
        fact: created.fact.clone(),
        valid_at: created.valid_at,
        invalid_at: created.invalid_at,
        created_at: created.created_at,
        expired_at: created.expired_at,
        support_since: created.support_since,
        episode_id: created.episode_id.clone(),
        reference_time: created.reference_time,
    })
}
