//! Facts: the two axes of time, order and pages, names as they are now, sources.

use mneme_model::{Polarity, TimePoint};

use super::case::{Case, sentences};
use super::samples::*;
use crate::{Change, FactObject, StoreError, TimeView};

pub(super) async fn suite(case: Case<'_>) {
    intervals_are_half_open(case).await;
    pages_follow_the_order(case).await;
    ends_show_their_current_names(case).await;
    versions_are_replaced_and_erased(case).await;
    an_episode_gives_what_it_supports(case).await;
    support_moves_with_its_statement(case).await;
}

async fn intervals_are_half_open(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let mut row = version("v", "ann", "bob", 10);
    row.invalid_at = Some(TimePoint::instant(at(20)));
    row.created_at = at(100);
    case.apply(vec![put_version(row.clone())]).await;
    case.apply(vec![expire(&row, 200)]).await;
    for (time, seen) in [
        (view(10, 100), true),
        (view(9, 100), false),
        (view(19, 199), true),
        (view(20, 199), false),
        (view(10, 99), false),
        (view(10, 200), false),
        (all_known(100), true),
        (all_known(199), true),
        (all_known(200), false),
        (all_known(99), false),
    ] {
        let count = usize::from(seen);
        let of = |found: Result<Vec<_>, StoreError>| found.unwrap().len();
        let facts = store.facts(generation, &g, &time, None, 9).await;
        assert_eq!(of(facts), count, "facts at {time:?}");
        for entity in ["ann", "bob"] {
            let facts = store.facts_of(generation, &g, id(entity), &time, 9).await;
            assert_eq!(of(facts), count, "facts of {entity} at {time:?}");
        }
        let facts = store
            .facts_from(generation, &g, &episode_id("e1"), &time, 9)
            .await;
        assert_eq!(of(facts), count, "facts from e1 at {time:?}");
    }
    let history = store.history(generation, &g, row.fact_id).await.unwrap();
    assert_eq!(
        history.len(),
        1,
        "the history shows what is no longer believed"
    );
    assert_eq!(history[0].expired_at, Some(at(200)));
    case.drop().await;
}

async fn pages_follow_the_order(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let mut rows = Vec::new();
    for subject in ["ann", "bob", "cid"] {
        for start in [3, -4, 70] {
            rows.push(version(
                &format!("{subject} dan {start}"),
                subject,
                "dan",
                start,
            ));
            let mut row = version(&format!("{subject} text {start}"), subject, "text", start);
            row.object = literal(if start == 3 { "a b" } else { "a" });
            rows.push(row);
            let mut row = version(&format!("{subject} owns {start}"), subject, "dan", start);
            row.relation = "knows of".to_owned();
            rows.push(row);
        }
    }
    let mut expired = version("expired", "ann", "dan", 5);
    expired.expired_at = Some(at(1));
    let mut changes: Vec<Change> = rows.iter().cloned().map(put_version).collect();
    changes.push(put_version(expired));
    case.apply(changes).await;
    rows.sort_by_key(|row| {
        let literal = row.object.entity_id().is_none();
        let object = (
            literal,
            row.object.entity_id(),
            row.object.text().to_owned(),
        );
        (
            row.subject.entity_id,
            row.relation.clone(),
            object,
            row.valid_at.at,
        )
    });
    let time = all_known(10);
    let all = store.facts(generation, &g, &time, None, 99).await.unwrap();
    assert_eq!(all, rows);
    let mut paged = Vec::new();
    loop {
        let after = paged
            .last()
            .map(|row: &crate::FactVersionRow| row.version_id);
        let page = store.facts(generation, &g, &time, after, 4).await.unwrap();
        assert!(page.len() <= 4);
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!(paged, rows);
    let gone = store
        .facts(generation, &g, &time, Some(id("never was")), 4)
        .await;
    assert!(
        matches!(gone, Err(StoreError::Refused(_))),
        "a page that is lost says so"
    );

    let of_ann = store
        .facts_of(generation, &g, id("ann"), &time, 99)
        .await
        .unwrap();
    let starts: Vec<_> = of_ann.iter().map(|row| row.valid_at.at).collect();
    assert_eq!(of_ann.len(), 9);
    assert!(
        starts.is_sorted_by(|a, b| a >= b),
        "the latest start comes first"
    );
    let some = store
        .facts_of(generation, &g, id("ann"), &time, 2)
        .await
        .unwrap();
    assert_eq!(some, of_ann[..2]);
    case.drop().await;
}

async fn ends_show_their_current_names(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let row = version("v", "ann", "bob", 1);
    case.apply(vec![put_version(row.clone())]).await;
    let read = async || {
        let found = store.fact_version(generation, &g, row.version_id).await;
        let row = found.unwrap().unwrap();
        let FactObject::Entity(object) = row.object else {
            panic!("the object is an entity");
        };
        (row.subject.name, row.subject.entity_type, object.name)
    };
    let snapshot = ("ann as it was".to_owned(), None, "bob as it was".to_owned());
    assert_eq!(read().await, snapshot, "not known yet: as the event says");
    let before = case.digest(&g).await;

    case.apply(vec![put_entity(entity("ann", "Ann Berg", &[]))])
        .await;
    let person = Some("Person".to_owned());
    let renamed = ("Ann Berg".to_owned(), person, "bob as it was".to_owned());
    assert_eq!(read().await, renamed);
    let facts = store
        .facts(generation, &g, &all_known(1), None, 9)
        .await
        .unwrap();
    assert_eq!(facts[0].subject.name, "Ann Berg");
    assert_eq!(
        sentences(&facts),
        ["ann knows bob"],
        "the sentence stays as said"
    );

    case.apply(vec![Change::EraseEntity(id("ann"))]).await;
    assert_eq!(read().await, snapshot);
    assert_eq!(
        case.digest(&g).await,
        before,
        "the row is as it was written"
    );
    case.drop().await;
}

async fn versions_are_replaced_and_erased(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let mut moved = version("v", "ann", "cid", 7);
    moved.episode_id = episode_id("e2");
    let old = version("v", "ann", "bob", 5);
    case.apply(vec![put_version(old.clone()), put_version(moved.clone())])
        .await;
    let time = all_known(1);
    assert_eq!(
        store.facts(generation, &g, &time, None, 9).await.unwrap(),
        [moved.clone()]
    );
    for (entity, count) in [("ann", 1), ("bob", 0), ("cid", 1)] {
        let found = store.facts_of(generation, &g, id(entity), &time, 9).await;
        assert_eq!(found.unwrap().len(), count, "{entity}");
    }
    assert!(
        store
            .history(generation, &g, old.fact_id)
            .await
            .unwrap()
            .is_empty()
    );
    let found = store
        .facts_from(generation, &g, &episode_id("e1"), &time, 9)
        .await;
    assert!(found.unwrap().is_empty());

    let erase = Change::EraseFactVersion {
        version_id: moved.version_id,
        fact_id: moved.fact_id,
    };
    case.apply(vec![erase.clone(), erase, expire(&moved, 5)])
        .await;
    assert!(store.groups(generation).await.unwrap().is_empty());
    let found = store.fact_version(generation, &g, moved.version_id).await;
    assert_eq!(found.unwrap(), None);
    case.drop().await;
}

async fn an_episode_gives_what_it_supports(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    // Two periods of one fact; the sentence of both is from e1.
    let mut first = version("first", "ann", "bob", 10);
    first.invalid_at = Some(TimePoint::instant(at(20)));
    let mut second = version("second", "ann", "bob", 30);
    second.support_since = Some(at(30));
    let fact = first.fact_id;
    let mut ended = support("ended", fact, "e5", 20);
    ended.polarity = Polarity::Ended;
    let mut closed = support("closed", fact, "e4", 3);
    closed.invalid_at = Some(TimePoint::instant(at(10)));
    case.apply(vec![
        put_version(first),
        put_version(second),
        Change::PutSupport(support("a", fact, "e1", 10)),
        Change::PutSupport(support("b", fact, "e2", 15)),
        Change::PutSupport(support("c", fact, "e3", 30)),
        Change::PutSupport(closed),
        Change::PutSupport(ended),
    ])
    .await;
    let all = all_known(1);
    for (episode, time, starts) in [
        ("e1", all, vec![10, 30]),
        ("e2", all, vec![10]),
        ("e2", view(35, 1), vec![]),
        ("e3", all, vec![30]),
        ("e4", all, vec![]),
        ("e5", all, vec![]),
        ("e9", all, vec![]),
    ] {
        let found = store
            .facts_from(generation, &g, &episode_id(episode), &time, 9)
            .await;
        let found: Vec<_> = found.unwrap().iter().map(|row| row.valid_at.at).collect();
        let starts: Vec<_> = starts.into_iter().map(at).collect();
        assert_eq!(found, starts, "from {episode}");
    }
    let found = store.support(generation, &g, fact, 9).await.unwrap();
    let starts: Vec<_> = found.iter().map(|row| row.valid_at.at).collect();
    assert_eq!(starts, [at(3), at(10), at(15), at(20), at(30)]);
    assert_eq!(
        store.support(generation, &g, fact, 2).await.unwrap(),
        found[..2]
    );
    case.drop().await;
}

async fn support_moves_with_its_statement(case: Case<'_>) {
    let (store, generation, g) = (case.store, case.generation, group("g"));
    let (old, new) = (id("old"), id("new"));
    let remove = |fact_id| Change::RemoveSupport {
        statement_id: id("s"),
        fact_id,
    };
    case.apply(vec![
        Change::PutSupport(support("s", old, "e1", 1)),
        Change::PutSupport(support("s", new, "e1", 2)),
        remove(old),
    ])
    .await;
    let of = async |fact| store.support(generation, &g, fact, 9).await.unwrap().len();
    assert_eq!((of(old).await, of(new).await), (0, 1));
    case.apply(vec![remove(new), remove(new)]).await;
    assert_eq!(of(new).await, 0);
    assert!(store.groups(generation).await.unwrap().is_empty());
    let unused: TimeView = all_known(1);
    let found = store
        .facts_from(generation, &g, &episode_id("e1"), &unused, 9)
        .await;
    assert!(found.unwrap().is_empty());
    case.drop().await;
}
