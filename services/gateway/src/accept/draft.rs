//! What is to be appended, before its instant of reception is known.

use mneme_events::{
    Correction, EntitiesMergeRequested, EntitySplitRequested, Episode, EpisodeErased,
    EpisodeReceived, Event, EventHeader, FactCorrected, GroupErased, OntologyChanged,
};
use mneme_model::{EpisodeId, GroupId, Instant, derived_id};
use uuid::Uuid;

/// The namespace of the ids of events that come from outside.
const RECEIVED: Uuid = Uuid::from_u128(0x6d6e_656d_6500_5000_8000_7265_6365_6976);

/// An event without its header.
#[derive(Debug)]
pub enum Draft {
    Episode(Box<Episode>),
    EraseEpisode(EpisodeId),
    EraseGroup,
    Ontology(String),
    Merge {
        from: String,
        into: String,
    },
    Split {
        entity: String,
        episodes: Vec<EpisodeId>,
    },
    Correct {
        fact: [String; 3],
        set: Box<Correction>,
    },
}

impl Draft {
    /// The event of a draft, received at an instant. Its id follows from what it is, what it is
    /// about and when: an episode that is sent again after its erasure is another event.
    pub fn seal(self, group_id: GroupId, recorded_at: Instant) -> Event {
        let (kind, about): (&str, &[&[u8]]) = match &self {
            Self::Episode(episode) => (
                "episode",
                &[
                    episode.episode_id.as_str().as_bytes(),
                    episode.digest.as_bytes(),
                ],
            ),
            Self::EraseEpisode(episode) => ("erase", &[episode.as_str().as_bytes()]),
            Self::EraseGroup => ("erase-group", &[]),
            Self::Ontology(ontology) => ("ontology", &[ontology.as_bytes()]),
            Self::Merge { from, into } => ("merge", &[from.as_bytes(), into.as_bytes()]),
            Self::Split { entity, .. } => ("split", &[entity.as_bytes()]),
            Self::Correct {
                fact: [subject, relation, object],
                ..
            } => (
                "correct",
                &[subject.as_bytes(), relation.as_bytes(), object.as_bytes()],
            ),
        };
        let instant = recorded_at.as_micros().to_be_bytes();
        let mut parts: Vec<&[u8]> = vec![group_id.as_str().as_bytes(), kind.as_bytes(), &instant];
        parts.extend_from_slice(about);
        let header = EventHeader {
            event_id: derived_id(RECEIVED, &parts),
            group_id,
            seq: 0,
            cause: None,
            recorded_at,
        };
        match self {
            Self::Episode(episode) => EpisodeReceived {
                header,
                episode: *episode,
            }
            .into(),
            Self::EraseEpisode(episode_id) => EpisodeErased { header, episode_id }.into(),
            Self::EraseGroup => GroupErased { header }.into(),
            Self::Ontology(ontology) => OntologyChanged { header, ontology }.into(),
            Self::Merge { from, into } => EntitiesMergeRequested { header, from, into }.into(),
            Self::Split { entity, episodes } => EntitySplitRequested {
                header,
                entity,
                episodes,
            }
            .into(),
            Self::Correct {
                fact: [subject, relation, object],
                set,
            } => FactCorrected {
                header,
                subject,
                relation,
                object,
                set: *set,
                subject_id: None,
                object_id: None,
                new_object: None,
            }
            .into(),
        }
    }
}
