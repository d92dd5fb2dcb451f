//! Episodes: by time and position, in threads, the first of an id counts.

use mneme_events::{STILL_ANSWERING, Topic};

use super::case::Case;
use super::samples::*;
use crate::{Change, EpisodeRow, EpisodeState, HoldRow};

pub(super) async fn suite(case: Case<'_>) {
    rows_are_read_as_written(case).await;
    the_latest_come_first(case).await;
    neighbours_are_of_the_thread(case).await;
    the_first_of_an_id_counts(case).await;
    where_it_lies_in_the_log_does_not_count_in_the_digest(case).await;
    what_is_held_shows_until_it_is_released_or_done(case).await;
}

async fn what_is_held_shows_until_it_is_released_or_done(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let hold_for = |offset, waiting, reason: &str| {
        Change::PutHold(HoldRow {
            episode_id: Some(episode_id("e1")),
            stage: "extractor".to_owned(),
            source_offset: offset,
            waiting,
            reason: reason.to_owned(),
        })
    };
    let hold = |offset, waiting| hold_for(offset, waiting, "no answer");
    let release = |offset| Change::RemoveHold {
        episode_id: Some(episode_id("e1")),
        stage: "extractor".to_owned(),
        source_offset: offset,
    };
    let state = async || {
        let found = store.status(generation, &g, &episode_id("e1")).await;
        found.unwrap().map(|status| (status.state, status.reason))
    };
    let is_held = async |position| store.is_held(generation, &g, position).await.unwrap();
    let reason = || Some("no answer".to_owned());
    assert!(!is_held(99).await);
    case.apply(vec![hold_for(7, true, STILL_ANSWERING)]).await;
    let on_its_way = (EpisodeState::Accepted, Some(STILL_ANSWERING.to_owned()));
    assert_eq!(state().await, Some(on_its_way));
    assert_eq!((is_held(6).await, is_held(7).await), (false, true));
    case.apply(vec![hold(7, true), hold(9, false)]).await;
    assert_eq!(state().await, Some((EpisodeState::Waiting, reason())));
    case.apply(vec![release(7)]).await;
    assert_eq!(state().await, Some((EpisodeState::Parked, reason())));
    case.apply(vec![put_status("e1", &[])]).await;
    assert_eq!(
        state().await,
        Some((EpisodeState::Done, None)),
        "what is concluded counts"
    );
    case.apply(vec![
        release(9),
        Change::EraseEpisode {
            topic: Topic::Facts,
            episode_id: episode_id("e1"),
        },
    ])
    .await;
    assert_eq!(state().await, None);
    assert!(!is_held(99).await);
    let elsewhere = HoldRow {
        episode_id: None,
        stage: "resolver".to_owned(),
        source_offset: 5,
        waiting: false,
        reason: "a bug".to_owned(),
    };
    case.apply(vec![Change::PutHold(elsewhere)]).await;
    assert!(
        is_held(1).await,
        "positions of another topic do not compare"
    );
    case.drop().await;
}

fn names(rows: &[EpisodeRow]) -> Vec<&str> {
    rows.iter()
        .map(|row| row.episode.episode_id.as_str())
        .collect()
}

async fn rows_are_read_as_written(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let ontology = serde_json::from_str(
        r#"{"relations": {"owns": {"cardinality": "one_per_object"}}, "entities": {"Deal": {}}}"#,
    );
    let ontology: mneme_model::Ontology = ontology.unwrap();
    case.apply(vec![
        put_episode(episode("e1", Some("t"), 5, 7)),
        put_status("e1", &["left out"]),
        crate::Change::PutOntology(Box::new(ontology.clone())),
    ])
    .await;
    let found = store.episode(generation, &g, &episode_id("e1")).await;
    assert_eq!(found.unwrap(), Some(episode("e1", Some("t"), 5, 7)));
    let found = store.status(generation, &g, &episode_id("e1")).await;
    assert_eq!(found.unwrap(), Some(status(&["left out"])));
    let found = store.ontology(generation, &g).await;
    assert_eq!(found.unwrap(), Some(ontology));
    let found = store.status(generation, &g, &episode_id("e")).await;
    assert_eq!(found.unwrap(), None);
    case.drop().await;
}

async fn the_latest_come_first(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    case.apply(vec![
        put_episode(episode("b", Some("t"), 5, 2)),
        put_episode(episode("a", Some("t"), 5, 3)),
        put_episode(episode("late", Some("t2"), 1, 4)),
        put_episode(episode("old", None, -70, 5)),
        put_episode(episode("new", Some("t"), 6, 1)),
    ])
    .await;
    let thread = thread_id("t");
    for (thread, before, limit, expected) in [
        (None, None, 9, vec!["new", "a", "b", "late", "old"]),
        (None, None, 2, vec!["new", "a"]),
        (None, Some(5), 9, vec!["late", "old"]),
        (Some(&thread), None, 9, vec!["new", "a", "b"]),
        (Some(&thread), Some(6), 1, vec!["a"]),
        (Some(&thread), Some(5), 9, vec![]),
    ] {
        let found = store.episodes(generation, &g, thread, before.map(at), limit);
        assert_eq!(names(&found.await.unwrap()), expected);
    }
    case.drop().await;
}

async fn neighbours_are_of_the_thread(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let in_thread = |name, time, position| put_episode(episode(name, Some("t"), time, position));
    case.apply(vec![
        in_thread("1", 1, 9),
        in_thread("2", 2, 8),
        in_thread("3", 2, 10),
        in_thread("4", 3, 4),
        put_episode(episode("other", Some("t0"), 2, 9)),
        put_episode(episode("alone", None, 2, 9)),
    ])
    .await;
    for (name, each_side, expected) in [
        ("3", 1, vec!["2", "4"]),
        ("3", 9, vec!["1", "2", "4"]),
        ("1", 1, vec!["2"]),
        ("4", 2, vec!["2", "3"]),
        ("2", 0, vec![]),
        ("other", 3, vec![]),
        ("alone", 3, vec![]),
        ("unknown", 3, vec![]),
    ] {
        let found = store
            .neighbours(generation, &g, &episode_id(name), each_side)
            .await;
        assert_eq!(names(&found.unwrap()), expected, "around {name}");
    }
    case.drop().await;
}

async fn the_first_of_an_id_counts(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let first = episode("e", Some("t"), 5, 2);
    let second = episode("e", Some("t2"), 6, 3);
    case.apply(vec![
        put_episode(first.clone()),
        put_episode(second.clone()),
    ])
    .await;
    let found = store.episode(generation, &g, &episode_id("e")).await;
    assert_eq!(found.unwrap(), Some(first));
    let found = store
        .episodes(generation, &g, Some(&thread_id("t2")), None, 9)
        .await;
    assert!(found.unwrap().is_empty());

    // Once erased, the id is free.
    case.apply(vec![
        erase_episode(Topic::Episodes, "e"),
        put_episode(second.clone()),
    ])
    .await;
    let found = store.episodes(generation, &g, None, None, 9).await;
    assert_eq!(found.unwrap(), [second]);
    let found = store
        .episodes(generation, &g, Some(&thread_id("t")), None, 9)
        .await;
    assert!(found.unwrap().is_empty());
    case.drop().await;
}

/// The same input has other positions on another log.
async fn where_it_lies_in_the_log_does_not_count_in_the_digest(case: Case<'_>) {
    let mut digests = Vec::new();
    for (time, position) in [(1, 5), (1, 900), (2, 5)] {
        let row = episode("e", Some("t"), time, position);
        case.apply(vec![put_episode(row)]).await;
        digests.push(case.digest(&group("g")).await.expect("a digest"));
        case.drop().await;
    }
    assert_eq!(digests[0], digests[1]);
    assert_ne!(digests[0], digests[2]);
}
