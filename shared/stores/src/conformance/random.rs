//! Random changes for the suites of text and vectors.

use mneme_events::Topic;
use mneme_model::GroupId;

use super::documents::*;
use crate::Change;

/// Numbers that follow from a seed (SplitMix64, Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// One of some.
    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Random changes, a list for each projected topic, in the order of its log.
pub(crate) fn random_topics(random: &mut Random, groups: &[&str]) -> Vec<Vec<(GroupId, Change)>> {
    const CHANGES: u64 = 80;
    let topics = Topic::PROJECTED.into_iter();
    let mut lists = Vec::new();
    for topic in topics {
        let mut list = Vec::new();
        for position in 0..CHANGES {
            let name = random.one(groups);
            list.push((group(name), random_change(random, topic, position)));
        }
        lists.push(list);
    }
    lists
}

fn random_change(random: &mut Random, topic: Topic, position: u64) -> Change {
    if random.below(60) == 0 {
        return Change::EraseGroup { topic };
    }
    let name = random.one(&["a", "b", "c", "d", "e", "f", "g", "h"]);
    let sentence = random_text(random);
    match topic {
        Topic::Episodes if random.below(8) == 0 => erase_episode(topic, name),
        Topic::Episodes => {
            let thread = random.one(&[Some("t"), Some("t2"), None]);
            let mut row = episode(name, thread, random.below(30) as i64, &sentence);
            row.position = position;
            put(with_metadata(row, "channel", random.one(&["\"web\"", "3"])))
        }
        Topic::Resolutions => match random.below(6) {
            0 => Change::EraseEntity(id(name)),
            1 => merge(name, "somebody"),
            _ => entity(
                name,
                &sentence,
                &["alias"],
                random.one(&["Person", "Place"]),
            ),
        },
        Topic::Facts => {
            let row = version(name, random.below(9) as i64, &sentence);
            match random.below(8) {
                0 => erase_version(&row),
                1 | 2 => expire(&row, 20),
                3 => support(random.one(&["s1", "s2", "s3"]), &row, name, 3),
                4 => Change::RemoveSupport {
                    statement_id: id("s1"),
                    fact_id: row.fact_id,
                },
                5 => erase_episode(topic, name),
                _ => put_version(row),
            }
        }
        Topic::Communities => match random.below(5) {
            0 => Change::RemoveCommunity(id(name)),
            1 => community(name, &["alpha"], &sentence),
            2 => summary(name, ""),
            _ => summary(name, &sentence),
        },
        // Nothing of it is searched.
        _ => release(name, position),
    }
}

/// Some words of a few, each the stem of itself.
pub(crate) fn random_text(random: &mut Random) -> String {
    const WORDS: [&str; 9] = [
        "lamp", "boat", "tree", "milk", "moon", "sand", "wolf", "coin", "drum",
    ];
    let count = 1 + random.below(6);
    let words: Vec<&str> = (0..count).map(|_| random.one(&WORDS)).collect();
    words.join(" ")
}

/// The topics' next changes as one batch, from one topic or more; none at the end.
pub(crate) fn next_batch(
    random: &mut Random,
    topics: &[Vec<(GroupId, Change)>],
    taken: &mut [usize],
) -> Option<Vec<(GroupId, Change)>> {
    if topics
        .iter()
        .zip(&*taken)
        .all(|(topic, at)| *at == topic.len())
    {
        return None;
    }
    let mut batch = Vec::new();
    for _ in 0..=random.below(2) {
        let chosen = random.below(topics.len() as u64) as usize;
        let rest = &topics[chosen][taken[chosen]..];
        let count = (1 + random.below(12) as usize).min(rest.len());
        batch.extend_from_slice(&rest[..count]);
        taken[chosen] += count;
    }
    Some(batch)
}
