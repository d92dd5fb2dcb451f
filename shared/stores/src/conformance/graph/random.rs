//! Random changes against the model: every read and every digest equal, in whatever order the
//! topics came and however they were cut into batches.

use mneme_events::{STILL_ANSWERING, Topic};
use mneme_model::{GroupId, Polarity, TimePoint};

use super::GraphModel;
use super::case::Case;
use super::compare::{ENTITIES, EPISODES, FACTS, GROUPS, NAMES, THREADS, compare};
use super::samples::*;
use crate::{Change, Generation, GraphStore, HoldRow};

const CHANGES_OF_A_TOPIC: usize = 120;

pub(super) async fn suite(store: &dyn GraphStore, seed: u64) {
    let mut random = Random(seed);
    let topics: Vec<Vec<(GroupId, Change)>> = Topic::PROJECTED
        .into_iter()
        .map(|topic| {
            (0..CHANGES_OF_A_TOPIC)
                .map(|position| random.change(topic, position as u64))
                .collect()
        })
        .collect();
    let mut digests = Vec::new();
    for order in 0..3 {
        let case = Case {
            store,
            generation: 1 + order as Generation,
        };
        let mut model = GraphModel::default();
        let mut at = vec![0; topics.len()];
        while let Some(batch) = random.next_batch(&topics, &mut at) {
            // As after a crash, where the store can't do all or nothing: a part, then all.
            if random.below(4) == 0 {
                let part = random.below(batch.len() as u64) as usize;
                case.apply_all(&batch[..part]).await;
            }
            case.apply_all(&batch).await;
            if random.below(4) == 0 {
                case.apply_all(&batch).await;
            }
            model.apply(&batch);
            let digests = store.digests(case.generation).await.unwrap();
            assert_eq!(digests, model.digests().unwrap(), "digests, seed {seed}");
        }
        compare(case, &model, seed).await;
        digests.push(model.digests().unwrap());
    }
    digests.dedup();
    assert_eq!(digests.len(), 1, "the order of topics, seed {seed}");
    for order in 0..3 {
        store.drop_generation(1 + order).await.unwrap();
    }
}

/// Numbers that follow from a seed (SplitMix64, Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn time(&mut self) -> i64 {
        self.below(10) as i64
    }

    fn of(&mut self, names: &[&'static str]) -> &'static str {
        names[self.below(names.len() as u64) as usize]
    }

    /// The next changes of some topics, each topic in its own order; none at the end.
    fn next_batch(
        &mut self,
        topics: &[Vec<(GroupId, Change)>],
        at: &mut [usize],
    ) -> Option<Vec<(GroupId, Change)>> {
        let mut batch = Vec::new();
        let size = 1 + self.below(40) as usize;
        while batch.len() < size {
            let open: Vec<usize> = (0..topics.len())
                .filter(|&topic| at[topic] < topics[topic].len())
                .collect();
            if open.is_empty() {
                break;
            }
            let topic = open[self.below(open.len() as u64) as usize];
            let end = (at[topic] + 1 + self.below(20) as usize).min(topics[topic].len());
            batch.extend_from_slice(&topics[topic][at[topic]..end]);
            at[topic] = end;
        }
        (!batch.is_empty()).then_some(batch)
    }

    fn change(&mut self, topic: Topic, position: u64) -> (GroupId, Change) {
        let g = group(self.of(&GROUPS));
        let change = match (topic, self.below(40)) {
            // No erasure is on it: what is held of an erased group is released there.
            (Topic::Parked, roll) => self.change_of_holds(roll),
            (_, 0) => Change::EraseGroup { topic },
            (_, 1..5) => erase_episode(topic, self.of(&EPISODES)),
            (Topic::Episodes, 5) => Change::PutOntology(Box::default()),
            (Topic::Episodes, _) => {
                let thread = (self.below(3) > 0).then(|| self.of(&THREADS));
                put_episode(episode(self.of(&EPISODES), thread, self.time(), position))
            }
            (Topic::Resolutions, 5..8) => Change::EraseEntity(id(self.of(&ENTITIES))),
            (Topic::Resolutions, 8..12) => Change::MergeEntity {
                from: id(self.of(&ENTITIES)),
                into: id(self.of(&ENTITIES)),
            },
            (Topic::Resolutions, 12..25) => {
                let aliases = [self.of(&NAMES)];
                let mut row = entity(self.of(&ENTITIES), self.of(&NAMES), &aliases);
                row.created_at = at(position as i64);
                put_entity(row)
            }
            (Topic::Resolutions, _) => {
                let ordinal = self.below(3) as i32;
                let (episode, entity) = (self.of(&EPISODES), self.of(&ENTITIES));
                Change::PutMention(mention(episode, ordinal, entity))
            }
            (Topic::Communities, 5..20) => {
                let text = self.of(&["", "some text", "other text"]);
                put_summary(id(self.of(&ENTITIES)), text)
            }
            (Topic::Communities, 20..25) => Change::RemoveCommunity(id(self.of(&ENTITIES))),
            (Topic::Communities, _) => {
                let members = [self.of(&ENTITIES)];
                Change::PutCommunity(Box::new(community(self.of(&ENTITIES), &members)))
            }
            (_, roll) => self.change_of_facts(roll),
        };
        (g, change)
    }

    fn change_of_holds(&mut self, roll: u64) -> Change {
        let episode_id = (self.below(8) > 0).then(|| episode_id(self.of(&EPISODES)));
        let stage = self.of(&["extractor", "resolver"]).to_owned();
        let source_offset = self.below(3) as i64;
        match roll {
            0..15 => Change::RemoveHold {
                episode_id,
                stage,
                source_offset,
            },
            _ => Change::PutHold(HoldRow {
                episode_id,
                stage,
                source_offset,
                waiting: roll.is_multiple_of(2),
                reason: self.of(&["no answer", STILL_ANSWERING]).to_owned(),
            }),
        }
    }

    fn change_of_facts(&mut self, roll: u64) -> Change {
        let name = format!("{}", self.below(12));
        let fact_id = id(self.of(&FACTS));
        match roll {
            5..10 => Change::ExpireFactVersion {
                version_id: id(&name),
                fact_id,
                expired_at: at(self.time()),
            },
            10..13 => Change::EraseFactVersion {
                version_id: id(&name),
                fact_id,
            },
            13..16 => Change::RemoveSupport {
                statement_id: id(&name),
                fact_id,
            },
            16..25 => {
                let mut row = support(&name, fact_id, self.of(&EPISODES), self.time());
                row.invalid_at = self.end();
                if self.below(4) == 0 {
                    row.polarity = Polarity::Ended;
                }
                Change::PutSupport(row)
            }
            25..28 => put_status(self.of(&EPISODES), &[self.of(&NAMES)]),
            _ => {
                let (subject, object) = (self.of(&ENTITIES), self.of(&ENTITIES));
                let mut row = version(&name, subject, object, self.time());
                row.fact_id = fact_id;
                row.episode_id = episode_id(self.of(&EPISODES));
                row.invalid_at = self.end();
                row.created_at = at(self.time());
                row.support_since = (self.below(3) == 0).then(|| at(self.time()));
                if self.below(3) == 0 {
                    row.object = literal(self.of(&NAMES));
                }
                put_version(row)
            }
        }
    }

    fn end(&mut self) -> Option<TimePoint> {
        (self.below(2) == 0).then(|| TimePoint::instant(at(self.time())))
    }
}
