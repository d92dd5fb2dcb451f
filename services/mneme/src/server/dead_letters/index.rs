//! What the log holds of letters, in memory and without their content: the newest ones, so that what
//! is kept is bounded however many there are.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mneme_events::{Event, Topic};
use mneme_log::{EventLog, LogError, Partition, Record};
use mneme_model::{GroupId, Instant};
use serde::Serialize;
use uuid::Uuid;

/// How many letters are known at once; with more, the oldest are forgotten here. They stay in the log.
const MOST_LETTERS: usize = 100_000;
/// How many records are read at once; letters have content.
const CHUNK: usize = 100;

/// A dead letter or a held record, without its content.
#[derive(Debug, Clone, Serialize)]
pub struct Letter {
    pub id: Uuid,
    /// `undecodable`, `extraction` or `intake`; of a held record `waiting` or `parked`.
    pub kind: String,
    pub stage: String,
    pub group_id: GroupId,
    pub source_topic: String,
    pub source_partition: Option<i32>,
    pub source_offset: i64,
    pub attempts: Option<i32>,
    pub version: Option<String>,
    pub schema_id: Option<i32>,
    pub received_at: Instant,
    pub reason: String,
    /// Whether it was taken again.
    pub replayed: bool,
    /// Where the record of it is.
    #[serde(skip)]
    pub place: (Topic, Partition, u64),
    #[serde(skip)]
    held: Option<Held>,
}

/// The stage that holds, and the event that is held.
type Held = (String, Uuid);

impl Letter {
    /// Whether its group is paused until it is taken; else it was given up.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }
}

/// A place in the order: when what the letter is of was received, and the number of the reading.
type Place = (Instant, u64);

/// The letters in the order of their age.
#[derive(Debug, Default)]
pub struct Index {
    letters: BTreeMap<Place, Letter>,
    by_id: HashMap<Uuid, Place>,
    /// Held records by their stage and the event that is held.
    held: HashMap<Held, Uuid>,
    read: u64,
    open: usize,
    positions: HashMap<(Topic, Partition), u64>,
}

impl Index {
    /// Reads what came since the last time.
    pub async fn refresh(&mut self, log: &dyn EventLog) -> Result<(), LogError> {
        for topic in [Topic::DeadLetters, Topic::Parked] {
            for partition in 0..log.partitions() {
                loop {
                    let at = self.positions.entry((topic, partition)).or_default();
                    let records = log.read(topic, partition, *at, CHUNK).await?;
                    let Some(last) = records.last() else { break };
                    *at = last.offset + 1;
                    records.iter().for_each(|record| self.note(record));
                }
            }
        }
        Ok(())
    }

    /// Forgets what the log does not keep any longer.
    pub async fn forget(&mut self, log: &dyn EventLog) -> Result<(), LogError> {
        let places = self.letters.values().map(|letter| letter.place);
        let dead = places.filter(|(topic, ..)| *topic == Topic::DeadLetters);
        let partitions: BTreeSet<Partition> = dead.map(|(_, partition, _)| partition).collect();
        let mut firsts = HashMap::new();
        for partition in partitions {
            let first = log.read(Topic::DeadLetters, partition, 0, 1).await?;
            let first = first.first().map_or(u64::MAX, |record| record.offset);
            firsts.insert((Topic::DeadLetters, partition), first);
        }
        let is_gone = |letter: &&Letter| {
            let (topic, partition, offset) = letter.place;
            firsts
                .get(&(topic, partition))
                .is_some_and(|first| offset < *first)
        };
        let gone = self.letters.values().filter(is_gone);
        let gone: Vec<Uuid> = gone.map(|letter| letter.id).collect();
        for id in gone {
            self.remove(id);
        }
        Ok(())
    }

    /// A letter by its id.
    pub fn get(&self, id: Uuid) -> Option<&Letter> {
        self.letters.get(self.by_id.get(&id)?)
    }

    /// The letters, the newest first.
    pub fn newest(&self, with_replayed: bool) -> impl Iterator<Item = &Letter> {
        let is_wanted = move |letter: &&Letter| with_replayed || !letter.replayed;
        self.letters.values().rev().filter(is_wanted)
    }

    /// How many dead letters were not replayed.
    pub fn open(&self) -> usize {
        self.open
    }

    fn note(&mut self, record: &Record) {
        let Ok(event) = record.event.as_deref() else {
            return;
        };
        let place = (record.topic, record.partition, record.offset);
        let header = event.header();
        let (id, group_id) = (header.event_id, header.group_id.clone());
        match event {
            Event::DeadLettered(dead) => self.add(Letter {
                id,
                group_id,
                kind: dead.kind.clone(),
                stage: dead.stage.clone(),
                source_topic: dead.source_topic.clone(),
                source_partition: dead.source_partition,
                source_offset: dead.source_offset,
                attempts: dead.attempts,
                version: dead.version.clone(),
                schema_id: dead.schema_id,
                received_at: header.recorded_at,
                reason: dead.reason.clone(),
                replayed: false,
                place,
                held: None,
            }),
            Event::DeadLetterReplayed(_) => self.mark_replayed(header.cause),
            Event::RecordParked(parked) => {
                let held = (parked.stage.clone(), header.cause.unwrap_or_default());
                self.add(Letter {
                    id,
                    group_id,
                    kind: parked.kind().to_owned(),
                    stage: parked.stage.clone(),
                    source_topic: Topic::input_of(&parked.stage)
                        .map_or("", Topic::name)
                        .to_owned(),
                    source_partition: i32::try_from(record.partition).ok(),
                    source_offset: parked.source_offset,
                    attempts: None,
                    version: None,
                    schema_id: None,
                    received_at: header.recorded_at,
                    reason: parked.reason.clone(),
                    replayed: false,
                    place,
                    held: Some(held),
                });
            }
            Event::RecordReleased(released) => {
                let held = (released.stage.clone(), header.cause.unwrap_or_default());
                if let Some(&id) = self.held.get(&held) {
                    self.remove(id);
                }
            }
            _ => {}
        }
    }

    /// Adds a letter, or what is told anew of one.
    fn add(&mut self, letter: Letter) {
        let known = self.remove(letter.id);
        if let Some(held) = &letter.held {
            self.held.insert(held.clone(), letter.id);
        }
        let replayed = known.is_some_and(|known| known.replayed);
        self.open += usize::from(!letter.is_held() && !replayed);
        let place = (letter.received_at, self.read);
        self.read += 1;
        self.by_id.insert(letter.id, place);
        self.letters.insert(place, Letter { replayed, ..letter });
        if self.letters.len() > MOST_LETTERS
            && let Some(oldest) = self.letters.values().next().map(|letter| letter.id)
        {
            self.remove(oldest);
        }
    }

    fn mark_replayed(&mut self, letter: Option<Uuid>) {
        let place = letter.and_then(|id| self.by_id.get(&id));
        if let Some(letter) = place.and_then(|place| self.letters.get_mut(place))
            && !letter.replayed
        {
            letter.replayed = true;
            self.open -= 1;
        }
    }

    fn remove(&mut self, id: Uuid) -> Option<Letter> {
        let letter = self.letters.remove(&self.by_id.remove(&id)?)?;
        if let Some(held) = &letter.held {
            self.held.remove(held);
        }
        self.open -= usize::from(!letter.is_held() && !letter.replayed);
        Some(letter)
    }
}
