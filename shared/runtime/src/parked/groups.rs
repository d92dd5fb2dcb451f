//! Which groups are paused, with their records, and when each is tried again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use mneme_events::{Event, STILL_ANSWERING, decode};
use mneme_log::Record;
use mneme_model::GroupId;
use tokio::time::Instant;

use super::{Held, Stop, Why};

/// The shortest and the longest pause before a waiting group is tried again.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Of so many records at most one commit tells that they are held for something else: a group may
/// hold more than a transaction takes.
const MOST_NEWS: usize = 500;

/// A paused group.
#[derive(Debug)]
pub(crate) struct Paused {
    /// Its records, in order.
    pub records: VecDeque<Held>,
    pub why: Why,
    /// When it is tried next, where that is a matter of time.
    next: Instant,
    /// The pause after the next failure.
    pause: Duration,
}

impl Paused {
    /// The records behind the first `done` of which the log is to be told next why they are held,
    /// since it has another reason there.
    pub fn news(&self, done: usize, why: Why) -> impl Iterator<Item = &Held> {
        let left = self.records.iter().skip(done);
        left.filter(move |held| held.is_news(why)).take(MOST_NEWS)
    }

    /// Notes that the log was told the next news.
    fn note_told(&mut self, why: Why) {
        let news = self.records.iter_mut().filter(|held| held.is_news(why));
        news.take(MOST_NEWS).for_each(|held| held.told = Some(why));
    }

    fn hold(&mut self, held: Held) {
        let place = self
            .records
            .binary_search_by_key(&held.offset, |held| held.offset);
        match place {
            // What is told again of a record is no other record.
            Ok(place) => {
                if let Some(known) = self.records.get_mut(place) {
                    known.told = held.told;
                }
            }
            Err(place) => {
                self.void_before(place, &held.input);
                self.records.insert(place, held);
            }
        }
    }

    /// What carries an episode is void when an erasure of that episode follows: its text is not to
    /// be shown to a model any more.
    fn void_before(&mut self, place: usize, input: &Event) {
        let Event::EpisodeErased(erased) = input else {
            return;
        };
        for held in self.records.range_mut(..place) {
            let episode = held.input.episode();
            held.is_erased |=
                episode.is_some_and(|episode| episode.episode_id == erased.episode_id);
        }
    }

    /// Whether what the group is paused for is gone.
    fn is_free(&self) -> bool {
        self.records.front().is_some_and(|held| held.is_erased)
    }

    /// Whether it is tried again when its time has come.
    fn is_timed(&self) -> bool {
        self.why == Why::NoAnswer || self.is_free()
    }

    fn stop(&mut self, stop: &Stop) {
        self.why = stop.why;
        if stop.why == Why::NoAnswer {
            self.next = Instant::now() + self.pause.max(stop.retry_after.unwrap_or_default());
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// What a commit does to the paused groups.
#[derive(Debug)]
pub(crate) enum PauseChange {
    /// All that was held of the group was taken or is void.
    Free(GroupId),
    /// The first records of the group were taken or are void.
    Took(GroupId, usize),
    /// A record is held from now on.
    Hold(Held, Stop),
    /// The group was tried and stopped again.
    PutOff(GroupId, Stop),
    /// The group has more to take at once.
    GoOn(GroupId),
}

/// The paused groups of a stage.
#[derive(Debug, Default)]
pub(crate) struct PausedGroups(HashMap<GroupId, Paused>);

impl PausedGroups {
    pub fn get(&self, group: &GroupId) -> Option<&Paused> {
        self.0.get(group)
    }

    pub fn why(&self, group: &GroupId) -> Option<Why> {
        self.0.get(group).map(|paused| paused.why)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn groups(&self) -> impl Iterator<Item = &GroupId> {
        self.0.keys()
    }

    /// Forgets groups that are no longer this instance's.
    pub fn retain(&mut self, keep: impl Fn(&GroupId) -> bool) {
        self.0.retain(|group, _| keep(group));
    }

    /// Adds those of other partitions.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// How many records wait for answers that are under way.
    pub fn still_answering(&self) -> usize {
        let answering = |paused: &&Paused| paused.why == Why::StillAnswering;
        self.0
            .values()
            .filter(answering)
            .map(|paused| paused.records.len())
            .sum()
    }

    /// The waiting groups whose time has come.
    pub fn due(&self, now: Instant) -> Vec<GroupId> {
        let due = |paused: &Paused| paused.is_timed() && paused.next <= now;
        self.0
            .iter()
            .filter(|(_, paused)| due(paused))
            .map(|(group, _)| group.clone())
            .collect()
    }

    /// When the next waiting group is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.0
            .values()
            .filter(|paused| paused.is_timed())
            .map(|paused| paused.next)
            .min()
    }

    pub fn change(&mut self, change: PauseChange) {
        match change {
            PauseChange::Free(group) => {
                self.0.remove(&group);
            }
            PauseChange::Took(group, count) => self.take(&group, |paused| {
                paused.pause = FIRST_PAUSE;
                paused.records.drain(..count.min(paused.records.len()));
            }),
            PauseChange::Hold(mut held, stop) => {
                held.told = Some(stop.why);
                self.hold(held, &stop);
            }
            PauseChange::PutOff(group, stop) => self.put_off(&group, &stop),
            PauseChange::GoOn(group) => self.go_on(&group),
        }
    }

    fn take(&mut self, group: &GroupId, take: impl FnOnce(&mut Paused)) {
        if let Some(paused) = self.0.get_mut(group) {
            take(paused);
            if paused.records.is_empty() {
                self.0.remove(group);
            }
        }
    }

    /// Adds a record to a group that is, or from now on is, paused.
    fn hold(&mut self, held: Held, stop: &Stop) {
        let group = held.input.group_id();
        if let Some(paused) = self.0.get_mut(group) {
            paused.why = stop.why;
            paused.hold(held);
            if paused.is_free() {
                paused.next = Instant::now();
            }
            return;
        }
        let (group, now) = (group.clone(), Instant::now());
        let mut paused = Paused {
            records: VecDeque::new(),
            why: stop.why,
            next: now,
            pause: FIRST_PAUSE,
        };
        paused.hold(held);
        paused.stop(stop);
        self.0.insert(group, paused);
    }

    fn put_off(&mut self, group: &GroupId, stop: &Stop) {
        if let Some(paused) = self.0.get_mut(group) {
            if let Some(first) = paused.records.front_mut() {
                first.attempts += 1;
            }
            paused.note_told(stop.why);
            paused.stop(stop);
        }
    }

    fn go_on(&mut self, group: &GroupId) {
        if let Some(paused) = self.0.get_mut(group) {
            paused.why = Why::NoAnswer;
            paused.next = Instant::now();
        }
    }

    /// Folds a record of the `parked` topic, on start.
    pub fn apply(&mut self, stage: &str, record: &Record) {
        let Ok(event) = record.event.as_deref() else {
            return;
        };
        match event {
            Event::RecordParked(parked) if parked.stage == stage => {
                if let Ok(input) = decode(&parked.payload) {
                    let place = (record.partition, parked.source_offset);
                    let mut held = Held::new(place, Arc::new(input), record.trace);
                    let why = if parked.waiting {
                        Why::NoAnswer
                    } else {
                        Why::Bug
                    };
                    let is_answering = parked.waiting && parked.reason == STILL_ANSWERING;
                    held.told = Some(if is_answering {
                        Why::StillAnswering
                    } else {
                        why
                    });
                    self.hold(held, &Stop::behind(why));
                }
            }
            Event::RecordReleased(released) if released.stage == stage => {
                self.take(&released.header.group_id, |paused| {
                    paused
                        .records
                        .retain(|held| held.offset != released.source_offset);
                });
            }
            // Whether it was heard before the stage stopped is not known: it is heard again.
            Event::GroupReleaseRequested(asked) if asked.stage == stage => {
                self.go_on(&asked.header.group_id);
            }
            _ => {}
        }
    }
}
