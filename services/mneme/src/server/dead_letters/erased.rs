//! Whether what a letter is of was erased: a letter outlives that, and what it would bring back is what
//! somebody asked to be forgotten.

use mneme_api::Problem;
use mneme_events::{Event, Topic};
use mneme_log::{EventLog, Partition};
use mneme_model::{EpisodeId, GroupId, Instant};

use crate::server::problems::of_log;

/// How many records are looked through at once.
const CHUNK: usize = 1_000;

/// Looks for erasures of an episode, or of its group, from a place of the log on.
pub struct Erasures<'l> {
    pub log: &'l dyn EventLog,
    pub group: &'l GroupId,
    /// Only those of the group where it is not known.
    pub episode: Option<&'l EpisodeId>,
    /// Those until then are of what was there before.
    pub since: Instant,
    /// Where to look next.
    pub next: u64,
}

impl Erasures<'_> {
    /// Looks on to the end, and refuses where there is one.
    pub async fn refuse(&mut self) -> Result<(), Problem> {
        match self.found(u64::MAX).await? {
            true => Err(Problem::conflict("it was erased since")),
            false => Ok(()),
        }
    }

    /// Looks on up to an offset, and tells whether there is one.
    pub async fn found(&mut self, until: u64) -> Result<bool, Problem> {
        let partition: Partition = self.log.partition_of(self.group);
        loop {
            let read = self.log.read(Topic::Episodes, partition, self.next, CHUNK);
            let mut records = read.await.map_err(of_log)?;
            records.retain(|record| record.offset < until);
            let Some(last) = records.last() else {
                return Ok(false);
            };
            self.next = last.offset + 1;
            let mut events = records
                .iter()
                .filter_map(|record| record.event.as_deref().ok());
            if events.any(|event| self.is_one(event)) {
                return Ok(true);
            }
        }
    }

    fn is_one(&self, event: &Event) -> bool {
        let header = event.header();
        let is_meant = match event {
            Event::GroupErased(_) => true,
            Event::EpisodeErased(erased) => self.is_of(&erased.episode_id),
            _ => false,
        };
        is_meant && header.group_id == *self.group && header.recorded_at > self.since
    }

    /// Whether an id is that of the episode, or of a part of its text.
    fn is_of(&self, id: &EpisodeId) -> bool {
        let episode = self.episode.map(EpisodeId::as_str);
        let rest = episode.and_then(|episode| id.as_str().strip_prefix(episode));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    }
}
