//! What was once written keeps decoding: the golden bytes of every event of every version.
//!
//! `UPDATE_GOLDEN=1 cargo test -p mneme-events golden` writes the bytes of the current
//! version anew. Once a version is published its files never change: a changed schema is a new
//! version, whose old text goes to the codec's earlier ones.

use std::fs;
use std::path::PathBuf;

use mneme_events::{Event, EventKind, decode, encode, schema_texts};

use crate::samples::samples;

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// `episode_received.v1.bin` for the full sample, `episode_received.bare.v1.bin` for the bare one.
fn file(kind: EventKind, bare: bool, version: usize) -> PathBuf {
    let mut name = String::new();
    for letter in kind.name().chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    let bare = if bare { ".bare" } else { "" };
    golden().join(format!("{name}{bare}.v{version}.bin"))
}

/// What an earlier version could say of an event.
fn as_of_version(event: &Event, version: usize) -> Event {
    let mut event = event.clone();
    if let Event::DeadLettered(letter) = &mut event
        && version == 1
    {
        letter.source_partition = None;
        letter.source_key = None;
        letter.version = None;
        letter.attempts = None;
        letter.schema_id = None;
    }
    event
}

/// Writing is as stable as reading: the current version gives the same bytes again.
#[test]
fn golden_bytes_decode_to_the_samples() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut expected_files = 0;
    for sample in samples() {
        let newest = schema_texts(sample.kind).len();
        for (bare, event) in [(false, &sample.full), (true, &sample.bare)] {
            for version in 1..=newest {
                let path = file(sample.kind, bare, version);
                if update && version == newest {
                    fs::write(&path, encode(event).unwrap()).unwrap();
                }
                let event = as_of_version(event, version);
                let bytes = fs::read(&path).unwrap_or_else(|error| {
                    panic!("{}: {error}; write it with UPDATE_GOLDEN=1", path.display())
                });
                let decoded = decode(&bytes);
                let name = path.display();
                assert_eq!(decoded.as_ref().ok(), Some(&event), "{name}: {decoded:?}");
                let same = version < newest || encode(&event).unwrap() == bytes;
                assert!(same, "{name}: other bytes are written now");
                expected_files += 1;
            }
        }
    }
    let files = fs::read_dir(golden()).unwrap().count();
    assert_eq!(files, expected_files, "a golden file belongs to no event");
}
