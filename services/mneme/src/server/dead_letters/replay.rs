//! Taking again what was given up. The record is read where it came from and goes to the end of the
//! input, as if it had been sent now; so what came after it in its group stays before it.

use mneme_api::Problem;
use mneme_events::{
    DeadLetterReplayed, EpisodeErased, Event, EventHeader, GroupReleaseRequested, Topic,
};
use mneme_gateway::Taken;
use mneme_gateway::intake::read_record;
use mneme_log::{NewRecord, Partition};
use mneme_model::{Clock, GroupId, SystemClock, derived_id};
use uuid::Uuid;

use super::DeadLetters;
use super::index::Letter;
use crate::server::problems::of_log;

/// How many records are looked through at once for erasures.
const CHUNK: usize = 1_000;

impl DeadLetters {
    /// Takes the record of a letter again, or asks the stage that holds it to.
    pub(super) async fn replay(&self, id: Uuid) -> Result<(), Problem> {
        let index = &mut *self.index.lock().await;
        let letter = self.letter(index, id).await?;
        if letter.is_held() {
            return self
                .append(vec![release(letter.group_id, letter.stage)])
                .await;
        }
        if letter.replayed {
            return Err(Problem::conflict("it was replayed before"));
        }
        let is_source = |topic: &Topic| topic.name() == letter.source_topic;
        let mut records = match Topic::ALL.into_iter().find(is_source) {
            Some(Topic::Episodes) => self.episode(&letter).await?,
            Some(topic) => {
                let text = format!(
                    "only a stage writes {topic}, so nothing can be added to it; send the episode \
                     anew under another id"
                );
                return Err(Problem::conflict(text));
            }
            None => {
                self.take_raw(&letter).await?;
                Vec::new()
            }
        };
        let replayed = DeadLetterReplayed {
            header: EventHeader {
                cause: Some(letter.id),
                ..header(&letter, "replayed")
            },
        };
        records.push(NewRecord::new(Topic::DeadLetters, Event::from(replayed)));
        self.append(records).await
    }

    /// Asks a stage to take a paused group's records again.
    pub(super) async fn release_group(&self, group: GroupId, stage: String) -> Result<(), Problem> {
        let mut index = self.index.lock().await;
        index.refresh(self.log.as_ref()).await.map_err(of_log)?;
        let is_held =
            |letter: &Letter| letter.is_held() && letter.group_id == group && letter.stage == stage;
        if !index.newest(false).any(is_held) {
            let text = format!("nothing of '{group}' is held at '{stage}'");
            return Err(Problem::not_found(text));
        }
        self.append(vec![release(group, stage)]).await
    }

    /// The records that send an episode, or what else was on its topic, again.
    async fn episode(&self, letter: &Letter) -> Result<Vec<NewRecord>, Problem> {
        let Some(place) = place_of(letter) else {
            return Err(Problem::conflict(
                "an older version wrote the letter and did not say where the record is; send it anew",
            ));
        };
        let (partition, offset) = place;
        let found = self.log.read(Topic::Episodes, partition, offset, 1).await;
        let found = found.map_err(of_log)?;
        let Some(record) = found.into_iter().find(|record| record.offset == offset) else {
            return Err(Problem::conflict(
                "the log does not have the record any longer",
            ));
        };
        let event = record.event.map_err(|bad| {
            let text = format!("it still does not decode ({}); send it anew", bad.reason);
            Problem::conflict(text)
        })?;
        if self.is_erased(&event, place).await? {
            return Err(Problem::conflict("it was erased since"));
        }
        let mut again = Event::clone(&event);
        *again.header_mut() = header_for(&event, header(letter, "received"));
        let mut events = vec![again];
        // It counts as taken. So it is forgotten first.
        if letter.kind == "extraction"
            && let Some(episode_id) = event.episode_id()
        {
            let erased = EpisodeErased {
                header: header_for(&event, header(letter, "erased")),
                episode_id: episode_id.clone(),
            };
            events.insert(0, erased.into());
        }
        let record = |event| NewRecord::new(Topic::Episodes, event).within(record.trace);
        Ok(events.into_iter().map(record).collect())
    }

    /// Whether the episode, or its group, was erased after a place in the log.
    async fn is_erased(
        &self,
        event: &Event,
        (partition, offset): (Partition, u64),
    ) -> Result<bool, Problem> {
        let mut next = offset + 1;
        loop {
            let read = self.log.read(Topic::Episodes, partition, next, CHUNK).await;
            let records = read.map_err(of_log)?;
            let Some(last) = records.last() else {
                return Ok(false);
            };
            next = last.offset + 1;
            let erases = |later: &Event| match later {
                Event::GroupErased(_) => true,
                Event::EpisodeErased(erased) => event.episode_id() == Some(&erased.episode_id),
                _ => false,
            };
            let mut later = records
                .iter()
                .filter_map(|record| record.event.as_deref().ok())
                .filter(|later| later.group_id() == event.group_id());
            if later.any(erases) {
                return Ok(true);
            }
        }
    }

    /// Takes a producer's own record again, by the mapping as it is now.
    async fn take_raw(&self, letter: &Letter) -> Result<(), Problem> {
        let topic = &letter.source_topic;
        let mapping = self.gateway.mapping(topic).ok_or_else(|| {
            let text = format!("this server has no mapping of the topic '{topic}'");
            Problem::conflict(text)
        })?;
        let payload = self.payload(letter).await?;
        let still = |reason: &str| Problem::conflict(format!("it still can't be taken: {reason}"));
        let record = read_record(&payload).map_err(|problem| still(&problem.detail))?;
        match self.gateway.take(mapping, &[record]).await.pop() {
            Some(Taken::Accepted | Taken::Duplicate) => Ok(()),
            Some(Taken::Refused { problem, .. }) => Err(still(&problem.detail)),
            Some(Taken::NotNow(problem)) => Err(problem),
            None => Err(Problem::internal()),
        }
    }

    async fn payload(&self, letter: &Letter) -> Result<Vec<u8>, Problem> {
        let (topic, partition, offset) = letter.place;
        let read = self.log.read(topic, partition, offset, 1).await;
        let records = read.map_err(of_log)?;
        match records
            .first()
            .and_then(|record| record.event.as_deref().ok())
        {
            Some(Event::DeadLettered(dead)) => Ok(dead.payload.clone()),
            _ => Err(Problem::not_found("the log does not keep it any longer")),
        }
    }

    async fn append(&self, records: Vec<NewRecord>) -> Result<(), Problem> {
        let appended = self.log.append(records).await;
        appended.map(|_| ()).map_err(of_log)
    }
}

fn place_of(letter: &Letter) -> Option<(Partition, u64)> {
    let partition = Partition::try_from(letter.source_partition?).ok()?;
    Some((partition, u64::try_from(letter.source_offset).ok()?))
}

/// The header of an event that replays a letter: the same however often it is tried.
fn header(letter: &Letter, what: &str) -> EventHeader {
    EventHeader {
        event_id: derived_id(letter.id, &[what.as_bytes()]),
        group_id: letter.group_id.clone(),
        seq: 0,
        cause: None,
        recorded_at: SystemClock::default().now(),
    }
}

/// The same for an event whose group the letter may not have known.
fn header_for(event: &Event, header: EventHeader) -> EventHeader {
    EventHeader {
        group_id: event.group_id().clone(),
        ..header
    }
}

fn release(group_id: GroupId, stage: String) -> NewRecord {
    let event = GroupReleaseRequested {
        header: EventHeader {
            event_id: Uuid::new_v4(),
            group_id,
            seq: 0,
            cause: None,
            recorded_at: SystemClock::default().now(),
        },
        stage,
    };
    NewRecord::new(Topic::Parked, Event::from(event))
}
