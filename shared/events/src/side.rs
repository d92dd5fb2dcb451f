//! What goes beside the chain: recorded answers, dead letters, parked records.

use mneme_model::EpisodeId;
use serde::{Deserialize, Serialize};

use crate::EventHeader;

/// The answer of a model, so that it is never asked the same again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InferenceRecorded {
    /// What every event begins with.
    pub header: EventHeader,
    /// The digest of the request.
    pub request_digest: String,
    /// The model.
    pub model: String,
    /// The answer as given.
    #[serde(with = "crate::bytes")]
    pub answer: Vec<u8>,
}

/// An input that could not be taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeadLettered {
    /// What every event begins with.
    pub header: EventHeader,
    /// The stage.
    pub stage: String,
    /// Where it was read.
    pub source_topic: String,
    /// Its position there.
    pub source_offset: i64,
    /// The kind of failure: `undecodable`, `extraction` or `intake`.
    pub kind: String,
    /// Why, without the content.
    pub reason: String,
    /// The record as it was.
    #[serde(with = "crate::bytes")]
    pub payload: Vec<u8>,
    /// The partition of the topic where it was read.
    pub source_partition: Option<i32>,
    /// The record's key as it was.
    #[serde(with = "crate::bytes::optional")]
    pub source_key: Option<Vec<u8>>,
    /// The version of the program that could not take it.
    pub version: Option<String>,
    /// How often it was tried, as far as the process that gave it up knows.
    pub attempts: Option<i32>,
    /// The number of the schema that the record names, where the log has a schema registry.
    pub schema_id: Option<i32>,
}

/// An operator had the input of a dead letter, which is the cause, taken again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeadLetterReplayed {
    /// What every event begins with.
    pub header: EventHeader,
}

/// The reason of records that wait for nothing but a model that is slow. Nothing is to be mended.
pub const STILL_ANSWERING: &str = "the model is still answering";

/// An input that waits: its group is paused, the rest goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordParked {
    /// What every event begins with.
    pub header: EventHeader,
    /// The stage.
    pub stage: String,
    /// Its position on the stage's input topic.
    pub source_offset: i64,
    /// Whether the stage tries again by itself.
    pub waiting: bool,
    /// Why, without the content.
    pub reason: String,
    /// The episode that it is of, where it is of one.
    pub episode_id: Option<EpisodeId>,
    /// The record as it was.
    #[serde(with = "crate::bytes")]
    pub payload: Vec<u8>,
}

impl DeadLettered {
    /// The most bytes of a reason.
    pub const MOST_REASON: usize = 1_000;

    /// A reason that is no longer than it may be: it is kept in memory, and may quote a name that is
    /// as long as somebody liked.
    pub fn bounded(reason: &str) -> String {
        match reason.len() > Self::MOST_REASON {
            false => reason.to_owned(),
            true => format!(
                "{}…",
                &reason[..reason.floor_char_boundary(Self::MOST_REASON)]
            ),
        }
    }
}

impl RecordParked {
    /// What it is called where letters are listed.
    pub fn kind(&self) -> &'static str {
        if self.waiting { "waiting" } else { "parked" }
    }
}

/// A parked input was taken after all, or is void since its group or its episode was erased.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordReleased {
    /// What every event begins with.
    pub header: EventHeader,
    /// The stage.
    pub stage: String,
    /// Its position on the stage's input topic.
    pub source_offset: i64,
    /// The episode that it is of, where it is of one.
    pub episode_id: Option<EpisodeId>,
}

/// An operator asks a stage to try a parked group again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupReleaseRequested {
    /// What every event begins with.
    pub header: EventHeader,
    /// The stage.
    pub stage: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_bounded_at_a_character() {
        assert_eq!(DeadLettered::bounded("short"), "short");
        let long = DeadLettered::bounded(&"ö".repeat(DeadLettered::MOST_REASON));
        assert_eq!(
            long,
            format!("{}…", "ö".repeat(DeadLettered::MOST_REASON / 2))
        );
    }
}
