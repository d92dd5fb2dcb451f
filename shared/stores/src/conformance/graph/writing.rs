//! Batches: idempotent, in order, apart by group and generation, with their checkpoints.

use mneme_events::Topic;
use mneme_model::GroupScope;

use super::case::Case;
use super::samples::*;
use crate::{Change, Generation};

pub(super) async fn suite(case: Case<'_>) {
    nothing_is_in_an_empty_generation(case).await;
    a_batch_applied_twice_is_one(case).await;
    checkpoints_move_with_changes(case).await;
    groups_are_apart(case).await;
    generations_are_apart(case).await;
    a_row_may_refer_to_one_not_there_yet(case).await;
}

fn one_of_each() -> Vec<Change> {
    let fact = version("v1", "ann", "bob", 5);
    vec![
        put_episode(episode("e1", Some("t"), 5, 0)),
        Change::PutOntology(Box::default()),
        put_entity(entity("ann", "Ann", &["Annie"])),
        Change::PutMention(mention("e1", 0, "ann")),
        put_version(fact.clone()),
        Change::PutSupport(support("s1", fact.fact_id, "e1", 5)),
        put_status("e1", &["note"]),
        put_summary(id("ann"), "Ann knows Bob."),
        Change::PutCommunity(Box::new(community("c", &["ann"]))),
        expire(&fact, 9),
    ]
}

async fn nothing_is_in_an_empty_generation(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    assert!(store.groups(generation).await.unwrap().is_empty());
    assert!(store.digests(generation).await.unwrap().is_empty());
    assert_eq!(case.checkpoint(Topic::Facts, 0).await, 0);
    let found = store.episode(generation, &g, &episode_id("e1")).await;
    assert_eq!(found.unwrap(), None);
    let found = store.facts(generation, &g, &all_known(1), None, 9).await;
    assert!(found.unwrap().is_empty());
    case.drop().await;
}

async fn a_batch_applied_twice_is_one(case: Case<'_>) {
    let g = group("g");
    case.apply(one_of_each()).await;
    let once = case.digest(&g).await;
    assert!(once.is_some());
    case.apply(one_of_each()).await;
    assert_eq!(case.digest(&g).await, once, "a batch applied twice");
    for change in one_of_each() {
        case.apply(vec![change]).await;
    }
    assert_eq!(case.digest(&g).await, once, "the batch again, one by one");
    assert_eq!(case.store.groups(case.generation).await.unwrap(), [g]);
    case.drop().await;
}

async fn checkpoints_move_with_changes(case: Case<'_>) {
    case.set_checkpoint(Topic::Facts, 3, 17).await;
    case.set_checkpoint(Topic::Facts, 4, 1).await;
    case.set_checkpoint(Topic::Episodes, 3, 300).await;
    case.set_checkpoint(Topic::Facts, 3, 18).await;
    assert_eq!(case.checkpoint(Topic::Facts, 3).await, 18);
    assert_eq!(case.checkpoint(Topic::Facts, 4).await, 1);
    assert_eq!(case.checkpoint(Topic::Episodes, 3).await, 300);
    assert_eq!(case.checkpoint(Topic::Resolutions, 3).await, 0);
    assert!(
        case.store.groups(case.generation).await.unwrap().is_empty(),
        "a checkpoint is no group's"
    );
    case.drop().await;
}

async fn groups_are_apart(case: Case<'_>) {
    let (store, generation) = (case.store, case.generation);
    // One id begins like the other, and what follows in it sorts before and after letters.
    let names = ["g", "g-1", "g.1", "ga", "g:"];
    for name in names {
        case.apply_to(&group(name), one_of_each()).await;
    }
    let digest = case.digest(&group("g")).await;
    for name in names {
        let name = group(name);
        assert_eq!(case.digest(&name).await, digest, "same rows, same digest");
        let episodes = store.episodes(generation, &name, None, None, 99).await;
        assert_eq!(episodes.unwrap().len(), 1);
        let facts = store
            .facts_of(generation, &name, id("ann"), &all_known(1), 99)
            .await;
        assert_eq!(facts.unwrap().len(), 1);
        let facts = store
            .facts(generation, &name, &all_known(1), None, 99)
            .await;
        assert_eq!(facts.unwrap().len(), 1);
        let entities = store.entities(generation, &name, None, 99).await;
        assert_eq!(entities.unwrap().len(), 1);
    }
    for topic in Topic::PROJECTED {
        case.apply(vec![Change::EraseGroup { topic }]).await;
    }
    assert_eq!(case.digest(&group("g")).await, None);
    for name in names.into_iter().skip(1) {
        assert_eq!(case.digest(&group(name)).await, digest);
    }
    let scope = GroupScope::new(names.into_iter().skip(1).map(group).collect()).unwrap();
    let mut others = scope.groups().to_vec();
    others.sort();
    assert_eq!(store.groups(generation).await.unwrap(), others);
    case.drop().await;
}

async fn generations_are_apart(case: Case<'_>) {
    let next = Case {
        generation: case.generation + 1 as Generation,
        ..case
    };
    let g = group("g");
    case.apply(one_of_each()).await;
    assert_eq!(next.digest(&g).await, None);
    next.apply(vec![put_episode(episode("e2", None, 1, 0))])
        .await;
    next.set_checkpoint(Topic::Episodes, 0, 5).await;
    let found = case
        .store
        .episode(case.generation, &g, &episode_id("e2"))
        .await;
    assert_eq!(found.unwrap(), None);
    let kept = next.digest(&g).await;
    case.drop().await;
    case.drop().await;
    assert_eq!(case.digest(&g).await, None);
    assert_eq!(
        next.digest(&g).await,
        kept,
        "another generation was dropped"
    );
    assert_eq!(next.checkpoint(Topic::Episodes, 0).await, 5);
    case.apply(one_of_each()).await;
    assert!(case.digest(&g).await.is_some(), "a dropped number is free");
    case.drop().await;
    next.drop().await;
    assert_eq!(next.checkpoint(Topic::Episodes, 0).await, 0);
}

async fn a_row_may_refer_to_one_not_there_yet(case: Case<'_>) {
    let g = group("g");
    let mut backwards = one_of_each();
    backwards.pop();
    let mut forwards = backwards.clone();
    backwards.reverse();
    case.apply(backwards).await;
    let digest = case.digest(&g).await;
    let found = case
        .store
        .entity(case.generation, &g, id("ann"))
        .await
        .unwrap();
    assert_eq!(found.unwrap().summary.as_deref(), Some("Ann knows Bob."));
    case.drop().await;
    forwards.sort_by_key(|change| matches!(change, Change::PutEntity(_)));
    case.apply(forwards).await;
    assert_eq!(case.digest(&g).await, digest);
    case.drop().await;
}
