//! Groups that are paused. Their records are moved from the input to the `parked` topic in order, so
//! that the other groups go on and positions move, and are taken from there when the reason is gone:
//! by itself where the group waits for a model or an operator, on request where it is parked for a
//! bug.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use mneme_events::{Event, RecordParked, RecordReleased, decode, encode};
use mneme_model::{GroupId, derived_id};
use mneme_stage::placeholder;
use tokio::time::Instant;

/// The shortest and the longest pause before a waiting group is tried again.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// One record of a paused group.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    /// Its position on the input topic.
    pub offset: i64,
    /// The record.
    pub input: Event,
}

/// A paused group.
#[derive(Debug)]
pub(crate) struct Paused {
    /// Its records, in order.
    pub records: VecDeque<Held>,
    /// Whether it is tried again by itself.
    pub waiting: bool,
    /// When it is tried next, and the pause after that.
    pub next: Instant,
    pub pause: Duration,
}

/// The paused groups of a stage.
#[derive(Debug, Default)]
pub(crate) struct PausedGroups(HashMap<GroupId, Paused>);

impl PausedGroups {
    pub fn get_mut(&mut self, group: &GroupId) -> Option<&mut Paused> {
        self.0.get_mut(group)
    }

    pub fn holds(&self, group: &GroupId) -> bool {
        self.0.contains_key(group)
    }

    pub fn waits(&self, group: &GroupId) -> bool {
        self.0.get(group).is_some_and(|paused| paused.waiting)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn forget(&mut self, group: &GroupId) -> Option<Paused> {
        self.0.remove(group)
    }

    /// Adds a record to a group that is, or from now on is, paused.
    pub fn hold(&mut self, held: Held, waiting: bool) {
        let group = held.input.group_id().clone();
        let paused = self.0.entry(group).or_insert_with(|| Paused {
            records: VecDeque::new(),
            waiting,
            next: Instant::now() + FIRST_PAUSE,
            pause: FIRST_PAUSE,
        });
        paused.records.push_back(held);
    }

    /// Puts off the next try of a group.
    pub fn put_off(&mut self, group: &GroupId, waiting: bool) {
        if let Some(paused) = self.0.get_mut(group) {
            paused.waiting = waiting;
            paused.pause = (paused.pause * 2).min(LONGEST_PAUSE);
            paused.next = Instant::now() + paused.pause;
        }
    }

    /// The waiting groups whose time has come.
    pub fn due(&self, now: Instant) -> Vec<GroupId> {
        let due = |paused: &Paused| paused.waiting && paused.next <= now;
        self.0.iter().filter(|(_, paused)| due(paused)).map(|(group, _)| group.clone()).collect()
    }

    /// When the next waiting group is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.0.values().filter(|paused| paused.waiting).map(|paused| paused.next).min()
    }

    /// Folds an event of the `parked` topic, on start.
    pub fn apply(&mut self, stage: &str, event: &Event) {
        match event {
            Event::RecordParked(parked) if parked.stage == stage => {
                if let Ok(input) = decode(&parked.payload) {
                    self.hold(Held { offset: parked.source_offset, input }, parked.waiting);
                }
            }
            Event::RecordReleased(released) if released.stage == stage => {
                let group = &released.header.group_id;
                if let Some(paused) = self.0.get_mut(group) {
                    paused.records.retain(|held| held.offset != released.source_offset);
                    if paused.records.is_empty() {
                        self.0.remove(group);
                    }
                }
            }
            _ => {}
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
        reason: reason.to_owned(),
        payload: encode(&held.input).unwrap_or_default(),
    }
}

/// The event that says that a parked record was taken.
pub(crate) fn released(stage: &str, held: &Held) -> RecordReleased {
    let mut header = placeholder(&held.input);
    header.event_id = side_id(&held.input, stage, "released");
    RecordReleased { header, stage: stage.to_owned(), source_offset: held.offset }
}

pub(crate) fn side_id(input: &Event, stage: &str, what: &str) -> uuid::Uuid {
    derived_id(input.header().event_id, &[stage.as_bytes(), what.as_bytes()])
}
