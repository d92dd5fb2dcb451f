//! Taking again what was given up: it goes to the end of the input, as if it had been sent now; so what
//! came after it in its group stays before it. An episode is read where it came from; a producer's own
//! record, which its topic may have forgotten, is in the letter.

use std::sync::Arc;

use mneme_api::Problem;
use mneme_events::{
    DeadLetterReplayed, DeadLettered, EpisodeErased, EpisodeReceived, Event, EventHeader,
    GroupReleaseRequested, Topic,
};
use mneme_gateway::Taken;
use mneme_gateway::intake::read_record;
use mneme_log::{NewRecord, Record};
use mneme_model::{Clock, GroupId, Instant, SystemClock, derived_id};
use uuid::Uuid;

use super::DeadLetters;
use super::erased::Erasures;
use super::index::Letter;
use super::record_at;
use crate::server::problems::of_log;

impl DeadLetters {
    /// Takes the record of a letter again, or asks the stage that holds it to.
    pub(super) async fn replay(&self, id: Uuid) -> Result<(), Problem> {
        // Else two requests could both find that it was not replayed.
        let _alone = self.replaying.lock().await;
        let letter = self.letter(id).await?;
        if letter.is_held() {
            let record = release(letter.group_id, letter.stage);
            return self.append(vec![record]).await.map(|_| ());
        }
        if letter.replayed {
            return Err(Problem::conflict("it was replayed before"));
        }
        match Topic::named(&letter.source_topic) {
            Some(Topic::Episodes) => self.replay_episode(&letter).await,
            Some(topic) => Err(Problem::conflict(format!(
                "only a stage writes {topic}, so nothing can be added to it; send the episode anew \
                 under another id"
            ))),
            None => self.replay_raw(&letter).await,
        }
    }

    /// Asks a stage to take a paused group's records again.
    pub(super) async fn release_group(&self, group: GroupId, stage: String) -> Result<(), Problem> {
        let is_held =
            |letter: &Letter| letter.is_held() && letter.group_id == group && letter.stage == stage;
        let mut index = self.index.lock().await;
        index.refresh(self.log.as_ref()).await.map_err(of_log)?;
        if !index.newest(false).any(is_held) {
            let text = format!("nothing of '{group}' is held at '{stage}'");
            return Err(Problem::not_found(text));
        }
        drop(index);
        self.append(vec![release(group, stage)]).await.map(|_| ())
    }

    /// Sends an episode again.
    async fn replay_episode(&self, letter: &Letter) -> Result<(), Problem> {
        let record = self.source(letter).await?;
        let received = received(&record)?;
        let (group, episode) = (&received.header.group_id, &received.episode.episode_id);
        let mut erasures = Erasures {
            log: self.log.as_ref(),
            group,
            episode: Some(episode),
            // All that is behind it.
            since: Instant::from_micros(i64::MIN),
            next: record.offset + 1,
        };
        erasures.refuse().await?;
        let now = SystemClock::default().now();
        let header = |what| EventHeader {
            group_id: group.clone(),
            // What is erased first is not erased later.
            recorded_at: now,
            ..header(letter, what)
        };
        let erased = || EpisodeErased {
            header: header("erased"),
            episode_id: episode.clone(),
        };
        let again = EpisodeReceived {
            header: header("received"),
            episode: received.episode.clone(),
        };
        let new = |event: Event| NewRecord::new(Topic::Episodes, event).within(record.trace);
        let mut records = vec![new(again.into()), replayed(letter)];
        // One that could not be extracted counts as taken. So it is forgotten first.
        if letter.kind == "extraction" {
            records.insert(0, new(erased().into()));
        }
        let offsets = self.append(records).await?;
        // The erasure that came while this was decided is the last word.
        if let Some(first) = offsets.first()
            && erasures.found(*first).await?
        {
            let late = EpisodeErased {
                header: header("erased late"),
                ..erased()
            };
            self.append(vec![new(late.into())]).await?;
            return Err(Problem::conflict("it was erased at the same time"));
        }
        Ok(())
    }

    /// The record that a letter is of, as the log has it.
    async fn source(&self, letter: &Letter) -> Result<Record, Problem> {
        let partition = letter
            .source_partition
            .and_then(|at| u32::try_from(at).ok());
        let Some(partition) = partition else {
            return Err(Problem::conflict(
                "an older version wrote the letter and did not say where the record is; send it anew",
            ));
        };
        let offset = u64::try_from(letter.source_offset).unwrap_or_default();
        let found = record_at(self.log.as_ref(), (Topic::Episodes, partition, offset));
        found
            .await?
            .ok_or_else(|| Problem::conflict("the log does not have the record any longer"))
    }

    /// Takes a producer's own record again, by the mapping as it is now.
    async fn replay_raw(&self, letter: &Letter) -> Result<(), Problem> {
        let topic = &letter.source_topic;
        let mapping = self.gateway.mapping(topic).ok_or_else(|| {
            let text = format!("this server has no mapping of the topic '{topic}'");
            Problem::conflict(text)
        })?;
        let still = |reason: &str| {
            let reason = DeadLettered::bounded(reason);
            Problem::conflict(format!("it still can't be taken: {reason}"))
        };
        let record = self.payload(letter).await?;
        let record = read_record(&record).map_err(|problem| still(&problem.detail))?;
        let body = mapping.apply(&record);
        let body = body.map_err(|error| still(&error.to_string()))?;
        let episode = body
            .episode_id
            .ok_or_else(|| still("the mapping gives it no episode_id"))?;
        let mut erasures = Erasures {
            log: self.log.as_ref(),
            group: &body.group_id,
            episode: Some(&episode),
            since: letter.received_at,
            next: 0,
        };
        erasures.refuse().await?;
        match self.gateway.take(mapping, &[record]).await.pop() {
            Some(Taken::Accepted | Taken::Duplicate) => {}
            Some(Taken::Refused { problem, .. }) => return Err(still(&problem.detail)),
            Some(Taken::NotNow(problem)) => return Err(problem),
            None => return Err(Problem::internal()),
        }
        self.append(vec![replayed(letter)]).await?;
        if erasures.found(u64::MAX).await? {
            // It may have come before; an erasure of what is erased does no harm.
            let _ = self.gateway.erase(&body.group_id, &episode).await;
            return Err(Problem::conflict("it was erased at the same time"));
        }
        Ok(())
    }

    async fn payload(&self, letter: &Letter) -> Result<Vec<u8>, Problem> {
        let record = record_at(self.log.as_ref(), letter.place).await?;
        let event = record.and_then(|record| record.event.ok());
        match event.as_deref() {
            Some(Event::DeadLettered(dead)) if dead.payload.is_empty() => Err(Problem::conflict(
                "its content is not in the letter, only on its own topic: send it anew",
            )),
            Some(Event::DeadLettered(dead)) => Ok(dead.payload.clone()),
            _ => Err(Problem::not_found("the log does not keep it any longer")),
        }
    }

    async fn append(&self, records: Vec<NewRecord>) -> Result<Vec<u64>, Problem> {
        self.log.append(records).await.map_err(of_log)
    }
}

/// The episode that a record brought. What else is on its topic is not sent again: what it asked for
/// may be the opposite of what is wanted by now.
fn received(record: &Record) -> Result<EpisodeReceived, Problem> {
    match record.event.as_deref() {
        Ok(Event::EpisodeReceived(received)) => Ok(received.clone()),
        Ok(other) => Err(Problem::conflict(format!(
            "it is {}, and only episodes are taken again: ask for it anew over the API",
            other.kind().name()
        ))),
        Err(bad) => Err(Problem::conflict(format!(
            "it still does not decode ({}); send it anew",
            bad.reason
        ))),
    }
}

/// The record that says that a letter was replayed.
fn replayed(letter: &Letter) -> NewRecord {
    let header = EventHeader {
        cause: Some(letter.id),
        ..header(letter, "replayed")
    };
    NewRecord::new(
        Topic::DeadLetters,
        Arc::new(DeadLetterReplayed { header }.into()),
    )
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
