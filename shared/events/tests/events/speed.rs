//! Prints how long writing and reading take; run it with `--release -- speed --ignored --nocapture`.

use std::hint::black_box;
use std::time::Instant;

use mneme_events::{EventKind, decode, encode};

use crate::samples::samples;

#[test]
#[ignore = "a measurement"]
fn speed() {
    const ROUNDS: u32 = 20_000;
    for sample in samples() {
        if !matches!(
            sample.kind,
            EventKind::EpisodeReceived
                | EventKind::EpisodeExtracted
                | EventKind::FactVersionCreated
        ) {
            continue;
        }
        let bytes = encode(&sample.full).unwrap();
        let started = Instant::now();
        for _ in 0..ROUNDS {
            black_box(encode(black_box(&sample.full)).unwrap());
        }
        let written = started.elapsed() / ROUNDS;
        let started = Instant::now();
        for _ in 0..ROUNDS {
            black_box(decode(black_box(&bytes)).unwrap());
        }
        let read = started.elapsed() / ROUNDS;
        let (name, length) = (sample.kind.name(), bytes.len());
        println!("{name}: {length} bytes, written in {written:?}, read in {read:?}");
    }
}
