use mneme_model::GroupId;
use mneme_stage::{GroupRows, Row, RowChanges};
use tempfile::TempDir;

use super::*;

mod property;

fn group(name: &str) -> GroupId {
    GroupId::new(name).unwrap()
}

fn open() -> (TempDir, StateStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path()).unwrap();
    (folder, store)
}

fn changes(erased_before: bool, rows: &[(&str, Option<&str>)]) -> RowChanges {
    let bytes = |text: &str| text.as_bytes().to_vec();
    RowChanges {
        rows: rows
            .iter()
            .map(|(key, value)| (bytes(key), value.map(bytes)))
            .collect(),
        erased_before,
    }
}

fn rows(state: &StageState, name: &str) -> Vec<Row> {
    let rows = state.rows(&group(name));
    let all = rows.range(b"", &[0xff; 8]).collect();
    assert!(rows.take_error().is_none());
    all
}

fn row(key: &str, value: &str) -> Row {
    (key.as_bytes().to_vec(), value.as_bytes().to_vec())
}

#[test]
fn rows_and_positions_are_there_when_opened_again() {
    let (folder, store) = open();
    let resolver = store.stage("resolver").unwrap();
    assert_eq!(resolver.position(0).unwrap(), 0);
    let one = changes(false, &[("a", Some("1")), ("b", Some("2"))]);
    resolver
        .commit(vec![(group("g"), one)], &[(0, 7), (3, 9)])
        .unwrap();
    drop((resolver, store));
    let store = StateStore::open(folder.path()).unwrap();
    let resolver = store.stage("resolver").unwrap();
    assert_eq!(resolver.position(0).unwrap(), 7);
    assert_eq!(resolver.position(3).unwrap(), 9);
    assert_eq!(rows(&resolver, "g"), [row("a", "1"), row("b", "2")]);
    assert!(rows(&store.stage("extractor").unwrap(), "g").is_empty());
}

#[test]
fn clearing_takes_rows_and_positions_of_one_stage_for_good() {
    let (folder, store) = open();
    for name in ["resolver", "extractor"] {
        let one = changes(false, &[("a", Some("1"))]);
        let state = store.stage(name).unwrap();
        state.commit(vec![(group("g"), one)], &[(0, 7)]).unwrap();
    }
    let resolver = store.stage("resolver").unwrap();
    resolver.clear().unwrap();
    assert_eq!(resolver.position(0).unwrap(), 0);
    assert!(rows(&resolver, "g").is_empty());
    let two = changes(false, &[("b", Some("2"))]);
    resolver.commit(vec![(group("g"), two)], &[(0, 1)]).unwrap();
    drop((resolver, store));
    let store = StateStore::open(folder.path()).unwrap();
    let resolver = store.stage("resolver").unwrap();
    assert_eq!(resolver.position(0).unwrap(), 1);
    assert_eq!(rows(&resolver, "g"), [row("b", "2")]);
    assert_eq!(store.stage("extractor").unwrap().position(0).unwrap(), 7);
}

#[test]
fn a_group_whose_name_begins_another_has_rows_of_its_own() {
    let (_folder, store) = open();
    let state = store.stage("resolver").unwrap();
    for name in ["g", "g1", "g.a"] {
        let one = changes(false, &[("key", Some(name))]);
        state.commit(vec![(group(name), one)], &[]).unwrap();
    }
    state
        .commit(vec![(group("g"), changes(true, &[]))], &[])
        .unwrap();
    assert!(rows(&state, "g").is_empty());
    assert_eq!(rows(&state, "g1"), [row("key", "g1")]);
    assert_eq!(rows(&state, "g.a"), [row("key", "g.a")]);
}

#[test]
fn changes_of_one_commit_take_effect_in_order() {
    let (_folder, store) = open();
    let state = store.stage("resolver").unwrap();
    let before = changes(false, &[("old", Some("0")), ("kept", Some("0"))]);
    state.commit(vec![(group("g"), before)], &[]).unwrap();
    let commit = vec![
        (
            group("g"),
            changes(false, &[("gone", Some("1")), ("new", Some("1"))]),
        ),
        (
            group("g"),
            changes(true, &[("kept", Some("2")), ("new", Some("2"))]),
        ),
        (
            group("g"),
            changes(false, &[("new", Some("3")), ("kept", None)]),
        ),
    ];
    state.commit(commit, &[]).unwrap();
    assert_eq!(rows(&state, "g"), [row("new", "3")]);
}

#[test]
fn a_change_without_a_commit_is_an_error_and_changes_nothing() {
    let (_folder, store) = open();
    let state = store.stage("resolver").unwrap();
    let one = changes(false, &[("a", Some("1"))]);
    state.commit(vec![(group("g"), one)], &[]).unwrap();
    let mut disk = state.rows(&group("g"));
    disk.put(b"b".to_vec(), b"2".to_vec());
    assert_eq!(disk.get(b"a"), None);
    assert_eq!(disk.range(b"a", b"z").count(), 0);
    assert!(matches!(disk.take_error(), Some(StateError::WithoutCommit)));
    assert_eq!(disk.get(b"a").as_deref(), Some(&b"1"[..]));
    assert_eq!(rows(&state, "g"), [row("a", "1")]);
}

#[test]
fn a_key_that_does_not_fit_is_refused_with_its_commit() {
    let (_folder, store) = open();
    let state = store.stage("resolver").unwrap();
    let long = "k".repeat(65_530);
    state
        .commit(
            vec![(group("g"), changes(false, &[(&long, Some("1"))]))],
            &[],
        )
        .unwrap();
    let longer = "k".repeat(65_536);
    let refused = changes(false, &[("a", Some("1")), (&longer, Some("1"))]);
    let refused = state.commit(vec![(group("h"), refused)], &[(0, 1)]);
    assert!(matches!(refused, Err(StateError::KeyTooLong(_))));
    assert!(rows(&state, "h").is_empty());
    assert_eq!(rows(&state, "g").len(), 1);
    assert_eq!(state.position(0).unwrap(), 0);
}

#[test]
fn a_second_process_is_refused() {
    let (folder, _store) = open();
    let second = StateStore::open(folder.path()).map(|_| ());
    assert!(matches!(second, Err(StateError::Locked(_))));
}

/// Prints what the state does on this machine; run it with `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    const GROUPS: u64 = 1_000;
    const ROWS: u64 = 200_000;
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let store = StateStore::open(folder.path()).unwrap();
    let state = store.stage("resolver").unwrap();
    let place = |row: u64| {
        let scattered = row.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let group = group(&format!("group-{}", scattered % GROUPS));
        (group, (scattered >> 20).to_be_bytes().to_vec())
    };
    let started = std::time::Instant::now();
    for batch in 0..ROWS / 200 {
        let changes = (0..200).map(|row| {
            let (group, key) = place(batch * 200 + row);
            let rows = [(key, Some(vec![batch as u8; 200]))].into();
            let erased_before = false;
            (
                group,
                RowChanges {
                    rows,
                    erased_before,
                },
            )
        });
        state.commit(changes.collect(), &[(0, batch)]).unwrap();
    }
    println!("{ROWS} rows in commits of 200: {:?}", started.elapsed());
    let started = std::time::Instant::now();
    for row in 0..ROWS {
        let (group, key) = place(row);
        assert!(state.rows(&group).get(&key).is_some());
        assert!(state.rows(&group).get(b"no such key").is_none());
    }
    println!(
        "one that is there and one that is not: {:?}",
        started.elapsed() / ROWS as u32
    );
    let started = std::time::Instant::now();
    for row in 0..10_000 {
        let (group, key) = place(row);
        assert_eq!(
            state.rows(&group).range(&key, &[0xff; 9]).take(1).count(),
            1
        );
    }
    println!("the first of a range: {:?}", started.elapsed() / 10_000);
    println!("{} bytes on disk", store.disk_bytes().unwrap());
}
