//! Sees to it that every partition of a group's topics gets an owner.
//!
//! Partitions move in two rounds: in the first their owner gives them up, in the second others get them
//! (KIP-429). A static member that is started anew, or has lost its session, takes its place again
//! without a round (KIP-345): it is given what it had. Where that happens between both rounds, the second
//! never comes, and what was given up belongs to nobody, with all members well. So after each change
//! members look whether all partitions have an owner. Where some have had none for the time of a session,
//! a visitor joins and leaves, and the group assigns all anew.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use mneme_log::LogError;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::Consumer;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::groups::GroupInfo;

use crate::client::{Reader, reader};
use crate::config::PATIENCE;
use crate::group::{Change, Group};

/// How often it is looked, until all have an owner.
const LOOK: Duration = Duration::from_secs(2);
/// How long a visitor asks the broker at once.
const BRIEFLY: Duration = Duration::from_millis(20);
/// How long a visitor takes to leave.
const LEAVING: Duration = Duration::from_secs(1);

/// Has a thread of its own look, since an answer of the broker would wait behind what a member fetches.
pub(crate) struct Whole(Sender<()>);

impl Whole {
    /// For a member that has these settings. The thread ends when this goes.
    pub fn watch(
        session: Duration,
        settings: &ClientConfig,
        topics: &[String],
    ) -> Result<Self, LogError> {
        let mut visitors = settings.clone();
        visitors
            .remove("group.instance.id")
            .remove("statistics.interval.ms");
        let watch = Watch {
            visitors,
            topics: topics.to_vec(),
            patience: session,
        };
        let (changes, inbox) = channel();
        std::thread::Builder::new()
            .name("kafka-whole".to_owned())
            .spawn(move || while inbox.recv().is_ok() && watch.until_whole(&inbox) {})
            .map_err(|error| LogError::Broken(error.to_string()))?;
        Ok(Self(changes))
    }

    /// The group has changed.
    pub fn changed(&self) {
        // Without the thread the group is as whole as it makes itself.
        let _ = self.0.send(());
    }
}

/// Partitions that nobody has.
enum Ownerless {
    None,
    /// So many; and this member, the first by its name, is to see to it.
    Some(usize),
    /// Another member is to, or the group is not settled.
    ForOthers,
}

struct Watch {
    /// The settings of the member, without its name.
    visitors: ClientConfig,
    topics: Vec<String>,
    patience: Duration,
}

impl Watch {
    /// Looks until all partitions have an owner; false where the member has gone.
    fn until_whole(&self, changes: &Receiver<()>) -> bool {
        let client = match reader(&self.visitors) {
            Ok(client) => client,
            Err(error) => {
                tracing::warn!(%error, "partitions without an owner would not be seen");
                return true;
            }
        };
        let mut since: Option<Instant> = None;
        loop {
            match changes.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) => {
                    since = None;
                    continue;
                }
            }
            match self.ownerless(&client) {
                Ok(Ownerless::None) => return true,
                Ok(Ownerless::Some(partitions)) => {
                    if since.get_or_insert_with(Instant::now).elapsed() >= self.patience {
                        since = None;
                        self.invite(partitions);
                    }
                }
                Ok(Ownerless::ForOthers) => since = None,
                Err(error) => {
                    tracing::debug!(%error, "the group is looked at later");
                    since = None;
                }
            }
        }
    }

    fn ownerless(&self, client: &Reader) -> Result<Ownerless, KafkaError> {
        let name = self.visitors.get("group.id");
        let groups = client.fetch_group_list(name, PATIENCE)?;
        let mut groups = groups.groups().iter();
        let group = groups.find(|group| Some(group.name()) == name);
        let Some(group) = group.filter(|group| group.state() == "Stable") else {
            return Ok(Ownerless::ForOthers);
        };
        let Some(owned) = owned(group) else {
            return Ok(Ownerless::ForOthers);
        };
        let mut ownerless = 0;
        for topic in &self.topics {
            let partitions = partitions_of(client, topic)?.into_iter();
            let partitions = partitions.map(|partition| (topic.clone(), partition));
            ownerless += partitions.filter(|at| !owned.contains(at)).count();
        }
        let names = group.members().iter().map(|member| member.client_id());
        Ok(match ownerless {
            0 => Ownerless::None,
            partitions if names.min() == self.visitors.get("client.id") => {
                Ownerless::Some(partitions)
            }
            _ => Ownerless::ForOthers,
        })
    }

    fn invite(&self, partitions: usize) {
        let group = self.visitors.get("group.id");
        tracing::warn!(
            group,
            partitions,
            "partitions have no owner: the group is made to assign anew"
        );
        if let Err(error) = visit(&self.visitors, &self.topics) {
            tracing::warn!(%error, "the group could not be made to");
        }
    }
}

/// The partitions of a topic; none where there is no such topic.
fn partitions_of(client: &Reader, topic: &str) -> Result<Vec<i32>, KafkaError> {
    let found = client.fetch_metadata(Some(topic), PATIENCE)?;
    let Some(found) = found.topics().iter().find(|found| found.name() == topic) else {
        return Ok(Vec::new());
    };
    match found.error().map(RDKafkaErrorCode::from) {
        None => Ok(found.partitions().iter().map(|each| each.id()).collect()),
        Some(RDKafkaErrorCode::UnknownTopic | RDKafkaErrorCode::UnknownTopicOrPartition) => {
            Ok(Vec::new())
        }
        Some(code) => Err(KafkaError::MetadataFetch(code)),
    }
}

/// All partitions that members of a group have; none where that can't be read.
fn owned(group: &GroupInfo) -> Option<BTreeSet<(String, i32)>> {
    let mut owned = BTreeSet::new();
    for member in group.members() {
        owned.extend(assigned(member.assignment().unwrap_or_default())?);
    }
    Some(owned)
}

/// What an assignment of Kafka's consumer protocol holds: a version, then topics with partitions.
fn assigned(bytes: &[u8]) -> Option<Vec<(String, i32)>> {
    let mut assigned = Vec::new();
    // A member that has just joined.
    if bytes.is_empty() {
        return Some(assigned);
    }
    let (_version, mut rest) = bytes.split_at_checked(2)?;
    for _ in 0..number(&mut rest)? {
        let (length, text) = rest.split_first_chunk()?;
        let (topic, after) = text.split_at_checked(i16::from_be_bytes(*length).try_into().ok()?)?;
        let topic = std::str::from_utf8(topic).ok()?;
        rest = after;
        for _ in 0..number(&mut rest)? {
            assigned.push((topic.to_owned(), number(&mut rest)?));
        }
    }
    Some(assigned)
}

fn number(rest: &mut &[u8]) -> Option<i32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(i32::from_be_bytes(*number))
}

/// Joins without a name, stays until the group has reckoned with it, or it has come in vain, and leaves.
/// What it reads meanwhile, if it was given anything, it forgets: it never commits.
fn visit(settings: &ClientConfig, topics: &[String]) -> Result<(), LogError> {
    let consumer = Group::default().join(settings, topics)?;
    let came = Instant::now();
    while came.elapsed() < PATIENCE {
        consumer.poll(BRIEFLY);
        if let Some(Change::Given(list)) = consumer.context().next() {
            // The group waits for that, and one that has not done it can't leave.
            if let Err(error) = consumer.incremental_assign(&list) {
                tracing::debug!(%error, "a visitor could not take what it was given");
            }
            break;
        }
    }
    consumer.unsubscribe();
    let leaves = Instant::now();
    while leaves.elapsed() < LEAVING {
        consumer.poll(BRIEFLY);
    }
    consumer.context().close();
    drop(consumer);
    tracing::debug!("the visitor has left");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_is_read_or_is_none() {
        let bytes = b"\0\x01\0\0\0\x01\0\x04read\0\0\0\x02\0\0\0\x03\0\0\0\x05\0\0\0\0";
        let wanted = [("read".to_owned(), 3), ("read".to_owned(), 5)];
        assert_eq!(assigned(bytes).unwrap(), wanted);
        assert_eq!(assigned(b"").unwrap(), []);
        for cut in 1..bytes.len() - 4 {
            assert_eq!(assigned(&bytes[..cut]), None, "{cut}");
        }
    }
}
