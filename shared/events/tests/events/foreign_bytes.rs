//! Whatever bytes come, decoding gives an event or an error, never a panic, and nothing is guessed.

use mneme_events::{DecodeError, decode, encode};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::samples::samples;

#[test]
fn truncated_events_are_errors() {
    for sample in samples() {
        let bytes = encode(&sample.full).unwrap();
        for length in 0..bytes.len() {
            assert!(
                decode(&bytes[..length]).is_err(),
                "{} of {}",
                length,
                bytes.len()
            );
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(
            decode(&longer),
            Err(DecodeError::Malformed { .. })
        ));
    }
}

#[test]
fn the_error_says_what_is_wrong() {
    let bytes = encode(&samples()[0].full).unwrap();
    assert!(matches!(decode(b"{}"), Err(DecodeError::NotSingleObject)));
    assert!(matches!(
        decode(&[0; 64]),
        Err(DecodeError::NotSingleObject)
    ));
    let mut bad_id = bytes.clone();
    let group = samples()[0].full.group_id().as_str().to_owned();
    let is_group = |window: &[u8]| window == group.as_bytes();
    let at = bad_id.windows(group.len()).position(is_group).unwrap();
    bad_id[at] = b'-';
    let error = decode(&bad_id).unwrap_err().to_string();
    assert!(
        error.contains("a field must be 1 to 128 characters"),
        "{error}"
    );
    let mut unknown = bytes.clone();
    unknown[2..10].copy_from_slice(&[0xab; 8]);
    let error = decode(&unknown).unwrap_err().to_string();
    assert_eq!(error, "no schema has the fingerprint abababababababab");
    let error = decode(&bytes[..20]).unwrap_err().to_string();
    assert_eq!(error, "malformed EpisodeReceived: the bytes don't fit");
}

proptest! {
    #[test]
    fn foreign_bytes_are_errors(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn changed_events_are_events_or_errors(
        which in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..8),
    ) {
        let samples = samples();
        let mut bytes = encode(&which.get(&samples).full).unwrap();
        for (place, byte) in changes {
            // The fingerprint stays, so that the datum is what is read.
            let place = 10 + place.index(bytes.len() - 10);
            bytes[place] = byte;
        }
        if let Ok(event) = decode(&bytes) {
            prop_assert_eq!(decode(&encode(&event).unwrap()).unwrap(), event);
        }
    }

    #[test]
    fn a_known_schema_with_foreign_content(
        which in any::<Index>(),
        content in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let samples = samples();
        let header = encode(&which.get(&samples).bare).unwrap();
        let _ = decode(&[&header[..10], &content].concat());
    }
}
