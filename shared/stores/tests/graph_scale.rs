//! What the embedded graph costs at the size of one large group. It prints figures and holds them
//! to bounds that only another order of growth would break:
//! `cargo test --release -p mneme-stores --test graph_scale -- --ignored --nocapture`

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by a panic; helpers of tests are not known as such to the lint"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant as Stopwatch};

use mneme_events::{Episode, ResolvedEntity};
use mneme_model::{EpisodeId, GroupId, Instant, Polarity, Source, ThreadId, TimePoint, derived_id};
use mneme_stores::embedded::graph::EmbeddedGraph;
use mneme_stores::{
    Change, EntityRow, EpisodeRow, EpisodeState, FactObject, FactVersionRow, GraphStore,
    MentionRow, Projection, StatusRow, SupportRow, TimeView, Walk,
};
use uuid::Uuid;

const EPISODES: u64 = 100_000;
const ENTITIES: u64 = 10_000;
/// Every fifth fact is of this entity.
const HUB: u64 = 0;

fn id(kind: &str, number: u64) -> Uuid {
    derived_id(
        Uuid::NAMESPACE_OID,
        &[kind.as_bytes(), &number.to_be_bytes()],
    )
}

fn at(number: u64) -> Instant {
    Instant::from_micros(number as i64 * 60_000_000)
}

fn end(entity: u64) -> ResolvedEntity {
    ResolvedEntity {
        entity_id: id("entity", entity),
        name: format!("Entity {entity}"),
        entity_type: Some("Thing".to_owned()),
    }
}

/// What an episode with one new fact changes; every second one ends an earlier fact.
fn changes_of(group: &GroupId, number: u64) -> Vec<Change> {
    let episode_id = EpisodeId::new(format!("episode-{number}")).unwrap();
    let subject = if number.is_multiple_of(5) {
        HUB
    } else {
        number % ENTITIES
    };
    let object = (number * 7 + 1) % ENTITIES;
    let fact_id = id("fact", number);
    let fact = format!("Entity {subject} works with entity {object} on project {number}");
    let mut changes = vec![Change::PutEpisode(Box::new(EpisodeRow {
        group_id: group.clone(),
        episode: Episode {
            episode_id: episode_id.clone(),
            thread_id: Some(ThreadId::new(format!("thread-{}", number / 50)).unwrap()),
            source: Source::Message,
            author: None,
            body: fact.repeat(3),
            facts: Vec::new(),
            reference_time: at(number),
            source_description: None,
            metadata: BTreeMap::new(),
            digest: String::new(),
        },
        recorded_at: at(number),
        position: number,
    }))];
    for (ordinal, entity) in [(0, subject), (1, object)] {
        if number < ENTITIES {
            changes.push(Change::PutEntity(Box::new(EntityRow {
                group_id: group.clone(),
                entity_id: id("entity", entity),
                name: format!("Entity {entity}"),
                entity_type: Some("Thing".to_owned()),
                aliases: vec![format!("E{entity}")],
                external_ids: Vec::new(),
                possible_same_as: Vec::new(),
                merged_into: None,
                summary: None,
                created_at: at(number),
            })));
        }
        changes.push(Change::PutMention(MentionRow {
            episode_id: episode_id.clone(),
            ordinal,
            entity_id: id("entity", entity),
            name: format!("Entity {entity}"),
            rule: "same key".to_owned(),
            score: 1.0,
        }));
    }
    changes.push(Change::PutSupport(SupportRow {
        fact_id,
        statement_id: id("statement", number),
        episode_id: episode_id.clone(),
        thread_id: None,
        reference_time: at(number),
        fact: fact.clone(),
        valid_at: TimePoint::instant(at(number)),
        invalid_at: None,
        polarity: Polarity::Holds,
    }));
    changes.push(Change::PutFactVersion(Box::new(FactVersionRow {
        group_id: group.clone(),
        version_id: id("version", number),
        fact_id,
        subject: end(subject),
        relation: "works with".to_owned(),
        object: FactObject::Entity(end(object)),
        fact,
        valid_at: TimePoint::instant(at(number)),
        invalid_at: None,
        created_at: at(number),
        expired_at: None,
        support_since: None,
        episode_id: episode_id.clone(),
        reference_time: at(number),
    })));
    if number % 2 == 1 {
        changes.push(Change::ExpireFactVersion {
            version_id: id("version", number / 2),
            fact_id: id("fact", number / 2),
            expired_at: at(number),
        });
    }
    changes.push(Change::PutStatus {
        episode_id,
        status: StatusRow {
            state: EpisodeState::Done,
            reason: None,
            notes: Vec::new(),
            created: 1,
            expired: 0,
        },
    });
    changes
}

#[tokio::test]
#[ignore = "takes a minute and measures"]
#[allow(clippy::print_stdout, reason = "the figures are what it is for")]
async fn a_group_of_a_hundred_thousand_facts() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedGraph::open(folder.path(), 64 << 20).unwrap();
    let group = GroupId::new("large").unwrap();
    let changes: Vec<(GroupId, Change)> = (0..EPISODES)
        .flat_map(|number| changes_of(&group, number))
        .map(|change| (group.clone(), change))
        .collect();
    let mut times = Vec::new();
    for batch in changes.chunks(1_000) {
        let begun = Stopwatch::now();
        store.apply(1, batch, &[]).await.unwrap();
        times.push(begun.elapsed());
    }
    let early = median(&mut times[..50].to_vec());
    times.reverse();
    let late = median(&mut times[..50].to_vec());
    let all = median(&mut times);
    let most = times.last().copied().unwrap_or_default();
    println!(
        "apply of 1,000 changes: median {all:?} (first {early:?}, last {late:?}), most {most:?}"
    );
    assert!(
        late < early * 5 + Duration::from_millis(20),
        "apply grows with the group"
    );

    let now = TimeView::now(at(EPISODES));
    let middle = store
        .facts(1, &group, &now, None, EPISODES as usize)
        .await
        .unwrap();
    let middle = middle[middle.len() / 2].version_id;
    let page = measure("facts, a page of 1,000 from the middle", 20, async || {
        let rows = store
            .facts(1, &group, &now, Some(middle), 1_000)
            .await
            .unwrap();
        assert_eq!(rows.len(), 1_000);
    })
    .await;
    assert!(page < Duration::from_millis(300));
    let hub = measure("facts of the hub, 20 of 20,000", 100, async || {
        let rows = store.facts_of(1, &group, id("entity", HUB), &now, 20).await;
        assert_eq!(rows.unwrap().len(), 20);
    })
    .await;
    assert!(hub < Duration::from_millis(20));
    let early = TimeView {
        as_of: at(500),
        ..now
    };
    measure("facts of the hub as of early", 100, async || {
        let rows = store
            .facts_of(1, &group, id("entity", HUB), &early, 20)
            .await;
        assert!(rows.unwrap().len() <= 20);
    })
    .await;
    let walk = Walk {
        from: vec![id("entity", HUB), id("entity", 77)],
        depth: 3,
        limit: 100,
        time: now,
    };
    measure("walk, 3 steps, 100 facts", 100, async || {
        assert_eq!(store.walk(1, &group, &walk).await.unwrap().len(), 100);
    })
    .await;
    measure("an episode", 1_000, async || {
        let name = EpisodeId::new("episode-4711").unwrap();
        assert!(store.episode(1, &group, &name).await.unwrap().is_some());
    })
    .await;
    measure("neighbours, one on each side", 1_000, async || {
        let name = EpisodeId::new("episode-4711").unwrap();
        assert_eq!(
            store.neighbours(1, &group, &name, 1).await.unwrap().len(),
            2
        );
    })
    .await;
    measure("facts from an episode", 1_000, async || {
        let name = EpisodeId::new("episode-99999").unwrap();
        let rows = store.facts_from(1, &group, &name, &now, 9).await.unwrap();
        assert_eq!(rows.len(), 1);
    })
    .await;
    measure("digests", 100, async || {
        assert_eq!(store.digests(1).await.unwrap().len(), 1);
    })
    .await;
    let begun = Stopwatch::now();
    assert_eq!(
        store.digests_by_scan(1).unwrap(),
        store.digests(1).await.unwrap()
    );
    println!("digests by scan: {:?}", begun.elapsed());
    let begun = Stopwatch::now();
    for topic in mneme_events::Topic::PROJECTED {
        let erase = [(group.clone(), Change::EraseGroup { topic })];
        store.apply(1, &erase, &[]).await.unwrap();
    }
    println!("erasing the group: {:?}", begun.elapsed());
    assert!(store.groups(1).await.unwrap().is_empty());
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[allow(clippy::print_stdout, reason = "the figures are what it is for")]
async fn measure(what: &str, rounds: usize, work: impl AsyncFn()) -> Duration {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let begun = Stopwatch::now();
        work().await;
        times.push(begun.elapsed());
    }
    let median = median(&mut times);
    println!(
        "{what}: median {median:?}, most {:?}",
        times[times.len() - 1]
    );
    median
}
