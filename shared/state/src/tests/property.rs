//! Rows on disk are indistinguishable from rows in memory.

use std::collections::HashMap;

use mneme_stage::{GroupRows, MemoryRows, OverlayRows, Row, prefix_end};
use proptest::prelude::*;

use super::{group, open};
use crate::StateStore;

/// One commit: for some groups, whether the group is erased and what is then put or removed.
type Commit = Vec<(usize, bool, Vec<(Vec<u8>, Option<u8>)>)>;

fn any_key() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop::sample::select(vec![0u8, 1, b'a', 0xfe, 0xff]);
    prop::collection::vec(byte, 0..4)
}

fn any_commit() -> impl Strategy<Value = Commit> {
    let change = (any_key(), prop::option::weighted(0.7, any::<u8>()));
    let of_group = (
        0..3usize,
        prop::bool::weighted(0.1),
        prop::collection::vec(change, 0..8),
    );
    prop::collection::vec(of_group, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_on_disk_behave_as_rows_in_memory(
        commits in prop::collection::vec(any_commit(), 1..8),
        (from, until) in (any_key(), any_key()),
        reopen in any::<bool>(),
    ) {
        let (folder, mut store) = open();
        let groups = [group("g"), group("g0"), group("h")];
        let mut state = store.stage("resolver").unwrap();
        let mut memory: HashMap<usize, MemoryRows> = HashMap::new();
        for (number, commit) in commits.into_iter().enumerate() {
            let mut written = Vec::new();
            for (index, erased, changes) in commit {
                let expected = memory.entry(index).or_default();
                if erased {
                    *expected = MemoryRows::default();
                }
                let disk = state.rows(&groups[index]);
                let mut overlay = OverlayRows::new(&disk);
                if erased {
                    overlay.erase_all();
                }
                for (key, value) in changes {
                    match value {
                        Some(value) => {
                            overlay.put(key.clone(), vec![value]);
                            expected.put(key, vec![value]);
                        }
                        None => {
                            overlay.delete(&key);
                            expected.delete(&key);
                        }
                    }
                }
                written.push((groups[index].clone(), overlay.into_changes()));
            }
            state.commit(written, &[(0, number as u64)]).unwrap();
            prop_assert_eq!(state.position(0).unwrap(), number as u64);
        }
        if reopen {
            drop((state, store));
            store = StateStore::open(folder.path()).unwrap();
            state = store.stage("resolver").unwrap();
        }
        for (index, group) in groups.iter().enumerate() {
            let expected = memory.entry(index).or_default();
            let disk = state.rows(group);
            let end = prefix_end(&[]);
            for (from, until) in [(&from, &until), (&Vec::new(), &end)] {
                let read: Vec<Row> = disk.range(from, until).collect();
                prop_assert_eq!(&read, &expected.range(from, until).collect::<Vec<_>>());
                let mut back: Vec<Row> = disk.range_back(from, until).collect();
                back.reverse();
                prop_assert_eq!(read, back);
            }
            for key in [&from, &until] {
                prop_assert_eq!(disk.get(key), expected.get(key));
            }
            prop_assert!(disk.take_error().is_none());
        }
    }
}
