//! Groups that are paused. Their records are moved from the input to the `parked` topic in order, so
//! that the other groups go on and positions move, and are taken from there when the reason is gone:
//! by itself where the group waits for a model or an operator, on request where it is parked for a
//! bug.

mod groups;

use std::sync::Arc;
use std::time::Duration;

use mneme_events::{DeadLettered, Event, RecordParked, RecordReleased, encode};
use mneme_log::Partition;
use mneme_model::derived_id;
use mneme_stage::placeholder;
use mneme_telemetry::TraceParent;

pub(crate) use groups::{PauseChange, Paused, PausedGroups};

use crate::answers::AnswerError;

pub use mneme_events::STILL_ANSWERING;

/// One record of a group.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    /// The partition of the group.
    pub partition: Partition,
    /// Its position on the input topic.
    pub offset: i64,
    /// The record.
    pub input: Arc<Event>,
    /// The trace that it belongs to.
    pub trace: Option<TraceParent>,
    /// How often it was tried before, as far as this process knows.
    pub attempts: u32,
    /// Whether it carries an episode that was erased while this was held, so that it is void.
    pub is_erased: bool,
    /// What the log was told that it is held for, once it is.
    pub told: Option<Why>,
}

impl Held {
    /// One that is read from its place, untried.
    pub fn new(
        (partition, offset): (Partition, i64),
        input: Arc<Event>,
        trace: Option<TraceParent>,
    ) -> Self {
        Self {
            partition,
            offset,
            input,
            trace,
            attempts: 0,
            is_erased: false,
            told: None,
        }
    }

    /// Whether the log is to be told that it is held for something else than it was told. An answer
    /// that is under way again is not news: slow questions would have all that is held told again
    /// and again.
    fn is_news(&self, why: Why) -> bool {
        self.told
            .is_some_and(|told| told != why && (told, why) != (Why::NoAnswer, Why::StillAnswering))
    }
}

/// Why an input was not taken.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    pub why: Why,
    /// The reason, for people; never content.
    pub reason: String,
    /// The least time until it is tried again.
    pub retry_after: Option<Duration>,
}

/// What a paused group is paused for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// A bug: it is tried again on request.
    Bug,
    /// No answer: it is tried again after a pause.
    NoAnswer,
    /// An answer is under way: it is tried again when that is there.
    StillAnswering,
}

impl Why {
    /// Whether the group is tried again without a request.
    pub fn is_waiting(self) -> bool {
        self != Self::Bug
    }
}

impl Stop {
    pub fn bug(reason: String) -> Self {
        Self {
            why: Why::Bug,
            reason,
            retry_after: None,
        }
    }

    pub fn still_answering() -> Self {
        let reason = STILL_ANSWERING.to_owned();
        Self {
            why: Why::StillAnswering,
            reason,
            retry_after: None,
        }
    }

    pub fn no_answer(error: AnswerError) -> Self {
        let retry_after = match &error {
            AnswerError::Transient { retry_after, .. } => *retry_after,
            _ => None,
        };
        Self {
            why: Why::NoAnswer,
            reason: error.to_string(),
            retry_after,
        }
    }

    /// A group that was paused before.
    pub fn behind(why: Why) -> Self {
        let reason = match why {
            Why::StillAnswering => STILL_ANSWERING,
            _ => "an earlier record of the group is held",
        };
        Self {
            why,
            reason: reason.to_owned(),
            retry_after: None,
        }
    }
}

/// The event that parks a record.
pub(crate) fn parked(stage: &str, held: &Held, waiting: bool, reason: &str) -> RecordParked {
    let mut header = placeholder(&held.input);
    header.event_id = side_id(&held.input, stage, "parked");
    RecordParked {
        header,
        stage: stage.to_owned(),
        source_offset: held.offset,
        waiting,
        reason: DeadLettered::bounded(reason),
        episode_id: held.input.episode_id().cloned(),
        payload: encode(&held.input).unwrap_or_default(),
    }
}

/// The event that says that a parked record was taken, or erased with its group or its episode.
pub(crate) fn released(stage: &str, held: &Held) -> RecordReleased {
    let mut header = placeholder(&held.input);
    header.event_id = side_id(&held.input, stage, "released");
    RecordReleased {
        header,
        stage: stage.to_owned(),
        source_offset: held.offset,
        episode_id: held.input.episode_id().cloned(),
    }
}

pub(crate) fn side_id(input: &Event, stage: &str, what: &str) -> uuid::Uuid {
    derived_id(
        input.header().event_id,
        &[stage.as_bytes(), what.as_bytes()],
    )
}
