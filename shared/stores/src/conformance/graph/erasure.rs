//! Erasures: of the rows of their topic, so that no order between topics brings anything back.

use mneme_events::Topic;

use super::case::Case;
use super::samples::*;
use crate::Change;

pub(super) async fn suite(case: Case<'_>) {
    an_episode_is_forgotten_topic_by_topic(case).await;
    a_group_is_forgotten_topic_by_topic(case).await;
    lagging_topics_bring_nothing_back(case).await;
}

fn rows_of(name: &str) -> Vec<(Topic, Vec<Change>)> {
    let fact = version(name, "ann", "bob", 1);
    vec![
        (
            Topic::Episodes,
            vec![put_episode(episode(name, Some("t"), 1, 1))],
        ),
        (
            Topic::Resolutions,
            vec![
                put_entity(entity("ann", "Ann", &[])),
                Change::PutMention(mention(name, 0, "ann")),
                Change::PutMention(mention(name, 1, "bob")),
            ],
        ),
        (
            Topic::Facts,
            vec![
                put_version(fact.clone()),
                Change::PutSupport(support(name, fact.fact_id, name, 1)),
                put_status(name, &[]),
            ],
        ),
        (
            Topic::Communities,
            vec![
                put_summary(id("ann"), "Ann knows Bob."),
                Change::PutCommunity(Box::new(community("c", &["ann"]))),
            ],
        ),
    ]
}

async fn put_all(case: Case<'_>, name: &str) {
    for (_, changes) in rows_of(name) {
        case.apply(changes).await;
    }
}

/// Which of the rows of an episode are there: itself, mentions of Ann and in it, its status, its
/// support.
async fn found(case: Case<'_>, name: &str) -> (bool, usize, usize, bool, usize) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let episode = episode_id(name);
    let fact = version(name, "ann", "bob", 1).fact_id;
    (
        store
            .episode(generation, &g, &episode)
            .await
            .unwrap()
            .is_some(),
        store
            .mentions_of(generation, &g, id("ann"), 9)
            .await
            .unwrap()
            .len(),
        store
            .mentions_in(generation, &g, &episode)
            .await
            .unwrap()
            .len(),
        store
            .status(generation, &g, &episode)
            .await
            .unwrap()
            .is_some(),
        store.support(generation, &g, fact, 9).await.unwrap().len(),
    )
}

async fn an_episode_is_forgotten_topic_by_topic(case: Case<'_>) {
    put_all(case, "e1").await;
    put_all(case, "e12").await;
    assert_eq!(found(case, "e1").await, (true, 2, 2, true, 2));
    for (topic, expected) in [
        (Topic::Extractions, (true, 2, 2, true, 2)),
        (Topic::Communities, (true, 2, 2, true, 2)),
        (Topic::Facts, (true, 2, 2, false, 1)),
        (Topic::Episodes, (false, 2, 2, false, 1)),
        (Topic::Resolutions, (false, 1, 0, false, 1)),
    ] {
        case.apply(vec![erase_episode(topic, "e1")]).await;
        assert_eq!(found(case, "e1").await, expected, "erased from {topic}");
    }
    assert_eq!(found(case, "e12").await, (true, 1, 2, true, 1));
    let (store, generation) = (case.store, case.generation);
    let facts = store
        .facts(generation, &group("g"), &all_known(1), None, 9)
        .await;
    assert_eq!(
        facts.unwrap().len(),
        2,
        "versions are erased by their own events"
    );
    case.drop().await;
}

async fn a_group_is_forgotten_topic_by_topic(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let seen = async || {
        (
            store
                .episodes(generation, &g, None, None, 9)
                .await
                .unwrap()
                .len(),
            store.entities(generation, &g, None, 9).await.unwrap().len(),
            store
                .facts(generation, &g, &all_known(1), None, 9)
                .await
                .unwrap()
                .len(),
            store.communities(generation, &g, 9).await.unwrap().len(),
        )
    };
    put_all(case, "e1").await;
    for (topic, expected) in [
        (Topic::Parked, (1, 1, 1, 1)),
        (Topic::Facts, (1, 1, 0, 1)),
        (Topic::Communities, (1, 1, 0, 0)),
        (Topic::Resolutions, (1, 0, 0, 0)),
        (Topic::Episodes, (0, 0, 0, 0)),
    ] {
        case.apply(vec![Change::EraseGroup { topic }]).await;
        assert_eq!(seen().await, expected, "erased from {topic}");
    }
    assert!(store.groups(generation).await.unwrap().is_empty());
    assert!(store.digests(generation).await.unwrap().is_empty());

    // Within one batch an erasure takes what came before and leaves what comes after.
    let mut batch = Vec::new();
    for (topic, changes) in rows_of("before") {
        batch.extend(changes);
        batch.push(Change::EraseGroup { topic });
    }
    batch.push(put_episode(episode("after", None, 1, 2)));
    case.apply(batch).await;
    assert_eq!(seen().await, (1, 0, 0, 0));
    case.drop().await;
}

async fn lagging_topics_bring_nothing_back(case: Case<'_>) {
    let g = group("g");
    // The episode is erased and sent again; each topic says so in its own time.
    let topics: Vec<(Topic, Vec<Change>)> = rows_of("e1")
        .into_iter()
        .map(|(topic, rows)| {
            let mut changes = rows.clone();
            changes.push(erase_episode(topic, "e1"));
            changes.extend(rows);
            (topic, changes)
        })
        .collect();
    let mut digests = Vec::new();
    for first in 0..topics.len() {
        for (_, changes) in topics.iter().cycle().skip(first).take(topics.len()) {
            case.apply(changes.clone()).await;
        }
        assert_eq!(found(case, "e1").await, (true, 1, 2, true, 1));
        digests.push(case.digest(&g).await);
        case.drop().await;
    }
    digests.dedup();
    assert_eq!(digests.len(), 1, "the order of topics does not matter");
}
