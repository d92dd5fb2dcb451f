//! Walks: each fact once, at its least distance, within depth, limit and view.

use mneme_model::TimePoint;

use super::case::Case;
use super::samples::*;
use crate::{TimeView, Walk};

/// From where, how many steps, how many facts, which versions; what is met at which distance.
type Expected = (
    &'static [&'static str],
    u32,
    usize,
    TimeView,
    &'static [(&'static str, u32)],
);

pub(super) async fn suite(case: Case<'_>) {
    // ann - bob - cid - dan in a row, a way back from cid to ann, a past one from ann to dan, and
    // eve apart.
    let mut past = version("past", "ann", "dan", 1);
    past.invalid_at = Some(TimePoint::instant(at(2)));
    let mut value = version("value", "bob", "text", 9);
    value.object = literal("a value");
    case.apply(vec![
        put_version(version("ab", "ann", "bob", 5)),
        put_version(version("bc", "bob", "cid", 6)),
        put_version(version("cd", "cid", "dan", 7)),
        put_version(version("ca", "cid", "ann", 3)),
        put_version(version("self", "dan", "dan", 1)),
        put_version(version("ee", "eve", "fay", 1)),
        put_version(past),
        put_version(value),
    ])
    .await;
    let now = view(10, 1);
    let whole = TimeView {
        include_past: true,
        ..now
    };
    let walks: [Expected; 8] = [
        (&["ann"], 0, 9, now, &[]),
        (&["ann"], 1, 9, now, &[("ab", 1), ("ca", 1)]),
        (
            &["ann"],
            2,
            9,
            now,
            &[("ab", 1), ("ca", 1), ("value", 2), ("bc", 2), ("cd", 2)],
        ),
        (&["ann"], 9, 3, now, &[("ab", 1), ("ca", 1), ("value", 2)]),
        (&["ann"], 1, 9, whole, &[("ab", 1), ("ca", 1), ("past", 1)]),
        (&["ann"], 9, 9, view(4, 1), &[("ca", 1)]),
        (
            &["eve", "eve", "dan"],
            1,
            9,
            now,
            &[("ee", 1), ("cd", 1), ("self", 1)],
        ),
        (&["nobody"], 3, 9, now, &[]),
    ];
    for (from, depth, limit, time, expected) in walks {
        let walk = Walk {
            from: from.iter().map(|name| id(name)).collect(),
            depth,
            limit,
            time,
        };
        let found = case.store.walk(case.generation, &group("g"), &walk).await;
        let found: Vec<_> = found
            .unwrap()
            .into_iter()
            .map(|(row, distance)| (row.version_id, distance))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, distance)| (id(name), *distance))
            .collect();
        assert_eq!(found, expected, "from {from:?}, {depth} steps");
    }
    let walk = Walk {
        from: vec![id("ann")],
        depth: 3,
        limit: 9,
        time: now,
    };
    let found = case
        .store
        .walk(case.generation, &group("other"), &walk)
        .await;
    assert!(found.unwrap().is_empty(), "another group's facts");
    case.drop().await;
}
