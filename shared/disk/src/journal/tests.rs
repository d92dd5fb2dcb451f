use fjall::{Database, KeyspaceCreateOptions, PersistMode};
use tempfile::TempDir;

use super::*;

const LONG: usize = 20_000;

/// A database with three batches and a journal of which nothing was cut; and where they end.
fn made() -> (TempDir, Vec<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::builder(folder.path()).open().unwrap();
    let words = database
        .keyspace("words", KeyspaceCreateOptions::default)
        .unwrap();
    let mut ends = vec![0];
    for number in 0..3u8 {
        let mut batch = database.batch().durability(Some(PersistMode::SyncData));
        for key in 0..5u8 {
            // The first is compressed, the others can't be.
            let mut noise = u32::from(number) + 1;
            let value: Vec<u8> = match key {
                0 => vec![number; LONG],
                _ => std::iter::repeat_with(|| {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (noise >> 24) as u8
                })
                .take(LONG)
                .collect(),
            };
            batch.insert(&words, [number, key], value);
        }
        batch.commit().unwrap();
        ends.push(journal(&folder).1.len() as u64);
    }
    drop((words, database));
    (folder, ends)
}

fn journal(folder: &TempDir) -> (PathBuf, Vec<u8>) {
    let path = active_journal(folder.path()).unwrap().unwrap();
    let bytes = written(&mut File::open(&path).unwrap()).unwrap();
    (path, bytes)
}

/// The numbers of the batches that are found whole; `None` if the database can't be opened.
fn found(folder: &TempDir) -> Option<Vec<u8>> {
    let database = Database::builder(folder.path()).open().ok()?;
    let words = database
        .keyspace("words", KeyspaceCreateOptions::default)
        .ok()?;
    let keys: Vec<_> = words
        .iter()
        .map(|row| row.key().unwrap().to_vec())
        .collect();
    let whole = (0..3u8).filter(|number| {
        let count = keys.iter().filter(|key| key[0] == *number).count();
        assert!(count == 0 || count == 5, "a torn batch");
        count == 5
    });
    Some(whole.collect())
}

#[test]
fn whole_batches_stay() {
    let (folder, ends) = made();
    assert_eq!(mend(folder.path(), true).unwrap(), JournalEnd::Whole);
    assert_eq!(journal(&folder).1.len() as u64, ends[3]);
    assert_eq!(found(&folder).unwrap(), [0, 1, 2]);
}

#[test]
fn a_batch_that_is_torn_in_its_midst_is_cut_off() {
    for hole in [0..16, 16..30, 3000..7096, 60_000..60_001] {
        let (folder, ends) = made();
        let (path, mut bytes) = journal(&folder);
        let start = ends[2] as usize;
        for byte in &mut bytes[start + hole.start..start + hole.end] {
            *byte = !*byte;
        }
        fs::write(&path, &bytes).unwrap();
        let end = mend(folder.path(), true).unwrap();
        assert_eq!(end, JournalEnd::Cut(ends[3] - ends[2]), "{hole:?}");
        assert_eq!(found(&folder).unwrap(), [0, 1]);
    }
}

#[test]
fn a_batch_that_is_cut_short_is_cut_off_wherever() {
    let (folder, ends) = made();
    let (path, bytes) = journal(&folder);
    for cut in (ends[2] + 1..ends[3]).step_by(577).chain([ends[3] - 1]) {
        let mut torn = bytes[..cut as usize].to_vec();
        torn.resize(bytes.len() + 1000, 0);
        fs::write(&path, &torn).unwrap();
        let end = mend(folder.path(), true).unwrap();
        assert!(matches!(end, JournalEnd::Cut(_)), "{cut}: {end:?}");
        assert_eq!(fs::metadata(&path).unwrap().len(), ends[2]);
    }
    assert_eq!(found(&folder).unwrap(), [0, 1]);
}

#[test]
fn damage_before_whole_batches_is_not_cut_off_where_they_were_promised() {
    let (folder, ends) = made();
    let (path, mut bytes) = journal(&folder);
    let start = ends[1] as usize;
    bytes[start..start + 4096].fill(0);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(
        mend(folder.path(), true).unwrap(),
        JournalEnd::Damaged(ends[1])
    );
    assert_eq!(journal(&folder).1, bytes);
    let cut = mend(folder.path(), false).unwrap();
    assert_eq!(cut, JournalEnd::Cut(ends[3] - ends[1]));
    assert_eq!(found(&folder).unwrap(), [0]);
}

#[test]
fn an_unknown_format_is_left_alone() {
    let (folder, _) = made();
    let (path, mut bytes) = journal(&folder);
    bytes.truncate(bytes.len() - 1);
    fs::write(&path, &bytes).unwrap();
    fs::write(folder.path().join(VERSION), b"FJL\x04").unwrap();
    assert_eq!(mend(folder.path(), true).unwrap(), JournalEnd::Whole);
    assert_eq!(journal(&folder).1, bytes);
}
