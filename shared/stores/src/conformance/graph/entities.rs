//! Entities: by name, merged and restored; mentions, summaries, communities.

use mneme_model::NameKey;

use super::case::Case;
use super::samples::*;
use crate::{Change, EntityRow};

pub(super) async fn suite(case: Case<'_>) {
    names_find_the_living(case).await;
    a_merge_can_be_undone(case).await;
    the_first_creation_stays(case).await;
    mentions_follow_their_entity(case).await;
    summaries_are_joined(case).await;
    communities_come_and_go(case).await;
}

async fn named(case: Case<'_>, name: &str) -> Vec<EntityRow> {
    let key = NameKey::of(name);
    let found = case
        .store
        .entities_named(case.generation, &group("g"), &key)
        .await;
    found.unwrap()
}

async fn names_find_the_living(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let ann = entity("ann", "Ann Lee", &["Annie", "ann lee"]);
    case.apply(vec![
        put_entity(ann.clone()),
        put_entity(entity("other", "ANN LEE", &[])),
    ])
    .await;
    assert_eq!(named(case, "annie").await, [ann]);
    assert_eq!(named(case, "Ann  Lee").await.len(), 2);
    assert!(named(case, "Ann").await.is_empty());

    case.apply(vec![put_entity(entity("ann", "Ann Berg", &["Annie"]))])
        .await;
    assert_eq!(
        named(case, "Ann Lee").await.len(),
        1,
        "a name that was given up"
    );
    assert_eq!(named(case, "Ann Berg").await.len(), 1);

    let page = store.entities(generation, &g, None, 1).await.unwrap();
    let rest = store
        .entities(generation, &g, Some(page[0].entity_id), 9)
        .await;
    let rest = rest.unwrap();
    assert_eq!((page.len(), rest.len()), (1, 1));
    assert!(page[0].entity_id < rest[0].entity_id);

    case.apply(vec![Change::EraseEntity(id("ann"))]).await;
    assert!(named(case, "Ann Berg").await.is_empty());
    assert_eq!(store.entity(generation, &g, id("ann")).await.unwrap(), None);
    assert_eq!(
        store.entities(generation, &g, None, 9).await.unwrap().len(),
        1
    );
    case.drop().await;
}

async fn a_merge_can_be_undone(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let put = || put_entity(entity("bob", "Bob", &["Robert"]));
    let merge = Change::MergeEntity {
        from: id("bob"),
        into: id("rob"),
    };
    case.apply(vec![put(), put_entity(entity("rob", "Rob", &[]))])
        .await;
    let before = case.digest(&g).await;
    case.apply(vec![merge]).await;
    let bob = store
        .entity(generation, &g, id("bob"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(bob.merged_into, Some(id("rob")));
    assert!(named(case, "robert").await.is_empty());
    let living = store.entities(generation, &g, None, 9).await.unwrap();
    assert_eq!(living.len(), 1);
    assert_eq!(living[0].entity_id, id("rob"));

    case.apply(vec![put()]).await;
    assert_eq!(named(case, "robert").await.len(), 1);
    assert_eq!(case.digest(&g).await, before);

    let unknown = Change::MergeEntity {
        from: id("nobody"),
        into: id("rob"),
    };
    case.apply(vec![unknown]).await;
    assert_eq!(case.digest(&g).await, before);
    case.drop().await;
}

async fn the_first_creation_stays(case: Case<'_>) {
    let mut later = entity("ann", "Ann Berg", &[]);
    later.created_at = at(50);
    later.summary = Some("not from here".to_owned());
    later.merged_into = Some(id("bob"));
    case.apply(vec![
        put_entity(entity("ann", "Ann", &[])),
        put_entity(later),
    ])
    .await;
    let found = case
        .store
        .entity(case.generation, &group("g"), id("ann"))
        .await;
    let found = found.unwrap().unwrap();
    assert_eq!(found.name, "Ann Berg");
    assert_eq!(found.created_at, at(1));
    assert_eq!((found.summary, found.merged_into), (None, None));
    case.drop().await;
}

async fn mentions_follow_their_entity(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    case.apply(vec![
        Change::PutMention(mention("e2", 0, "ann")),
        Change::PutMention(mention("e1", 10, "ann")),
        Change::PutMention(mention("e1", 2, "ann")),
        Change::PutMention(mention("e1", 3, "bob")),
        Change::PutMention(mention("e1x", 0, "bob")),
    ])
    .await;
    let of = async |entity, limit| store.mentions_of(generation, &g, id(entity), limit).await;
    let expected = [
        mention("e1", 2, "ann"),
        mention("e1", 10, "ann"),
        mention("e2", 0, "ann"),
    ];
    assert_eq!(of("ann", 9).await.unwrap(), expected);
    assert_eq!(of("ann", 1).await.unwrap(), expected[..1]);
    let found = store
        .mentions_in(generation, &g, &episode_id("e1"))
        .await
        .unwrap();
    let ordinals: Vec<i32> = found.iter().map(|row| row.ordinal).collect();
    assert_eq!(ordinals, [2, 3, 10]);

    case.apply(vec![Change::PutMention(mention("e1", 2, "bob"))])
        .await;
    assert_eq!(of("ann", 9).await.unwrap(), expected[1..]);
    assert_eq!(of("bob", 9).await.unwrap().len(), 3);
    case.drop().await;
}

async fn summaries_are_joined(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    case.apply(vec![
        put_summary(id("ann"), "old"),
        put_summary(id("ann"), "new"),
    ])
    .await;
    assert_eq!(store.entity(generation, &g, id("ann")).await.unwrap(), None);
    case.apply(vec![put_entity(entity("ann", "Ann", &[]))])
        .await;
    for row in [
        store
            .entity(generation, &g, id("ann"))
            .await
            .unwrap()
            .unwrap(),
        named(case, "Ann").await.remove(0),
        store
            .entities(generation, &g, None, 1)
            .await
            .unwrap()
            .remove(0),
    ] {
        assert_eq!(row.summary.as_deref(), Some("new"));
    }
    case.apply(vec![put_summary(id("ann"), "")]).await;
    let found = store
        .entity(generation, &g, id("ann"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found.summary, None);
    case.drop().await;
}

async fn communities_come_and_go(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let put = |name, members: &[&str]| Change::PutCommunity(Box::new(community(name, members)));
    case.apply(vec![
        put("c", &["ann"]),
        put("d", &["bob"]),
        put("c", &["ann", "bob"]),
    ])
    .await;
    let found = store.community(generation, &g, id("c")).await.unwrap();
    assert_eq!(found, Some(community("c", &["ann", "bob"])));
    let mut expected = vec![community("c", &["ann", "bob"]), community("d", &["bob"])];
    expected.sort_by_key(|row| row.community_id);
    assert_eq!(
        store.communities(generation, &g, 9).await.unwrap(),
        expected
    );
    assert_eq!(
        store.communities(generation, &g, 1).await.unwrap(),
        expected[..1]
    );
    case.apply(vec![
        Change::RemoveCommunity(id("c")),
        Change::RemoveCommunity(id("d")),
    ])
    .await;
    assert!(store.groups(generation).await.unwrap().is_empty());
    case.drop().await;
}
