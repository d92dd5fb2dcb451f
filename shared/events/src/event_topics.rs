//! Which events are written to which topic. Who adds an event says here where it goes; the schemas
//! that a registry has, and the reference of topics and events, follow from it.

use crate::{EventKind, Topic};

impl EventKind {
    /// The topics that the event is written to; the first is where it comes from.
    pub fn topics(self) -> Vec<Topic> {
        use EventKind::*;
        const CHAIN: [Topic; 5] = [
            Topic::Episodes,
            Topic::Extractions,
            Topic::Resolutions,
            Topic::Facts,
            Topic::Communities,
        ];
        match self {
            EpisodeReceived => vec![Topic::Episodes],
            // Its answers are forgotten, too.
            GroupErased => CHAIN.into_iter().chain([Topic::Inferences]).collect(),
            EpisodeErased
            | OntologyChanged
            | EntitiesMergeRequested
            | EntitySplitRequested
            | FactCorrected => CHAIN.to_vec(),
            EpisodeExtracted | ExtractionFailed => vec![Topic::Extractions],
            EntityCreated | EntityUpdated | EntitiesMerged | EntitySplit | EntityErased
            | MentionResolved | StatementResolved | EpisodeResolved => vec![Topic::Resolutions],
            StatementPlaced | StatementWithdrawn | FactVersionCreated | FactVersionExpired
            | FactErased | StatementUnmatched | EpisodeApplied => vec![Topic::Facts],
            EntitySummarized | CommunityChanged | FactNoted | FactForgotten | GroupSummarized
            | CommunityRemoved => vec![Topic::Communities],
            InferenceRecorded => vec![Topic::Inferences],
            DeadLettered | DeadLetterReplayed => vec![Topic::DeadLetters],
            RecordParked | RecordReleased | GroupReleaseRequested => vec![Topic::Parked],
        }
    }
}
