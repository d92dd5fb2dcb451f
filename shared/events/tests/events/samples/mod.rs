//! One full and one bare sample of each event: in the first every optional field is set and every
//! list has members, in the second none.

mod chain;
mod input;
mod parts;
mod resolved;
mod side;

use mneme_events::{Event, EventKind};
use serde::Serialize;
use serde_json::Value;

/// The samples of one kind.
pub struct Sample {
    pub kind: EventKind,
    pub full: Event,
    pub bare: Event,
    /// The full one as serde shows it.
    pub full_json: Value,
    /// The bare one as serde shows it.
    pub bare_json: Value,
}

fn sample<T: Serialize + Into<Event>>(full: T, bare: T) -> Sample {
    let full_json = serde_json::to_value(&full).unwrap();
    let bare_json = serde_json::to_value(&bare).unwrap();
    let (full, bare) = (full.into(), bare.into());
    Sample {
        kind: full.kind(),
        full,
        bare,
        full_json,
        bare_json,
    }
}

/// Samples of all kinds, in their order.
pub fn samples() -> Vec<Sample> {
    let mut samples = input::samples();
    samples.extend(resolved::samples());
    samples.extend(chain::samples());
    samples.extend(side::samples());
    samples.sort_by_key(|sample| sample.kind);
    for kind in EventKind::ALL {
        let count = samples.iter().filter(|sample| sample.kind == *kind).count();
        assert_eq!(count, 1, "samples of {}", kind.name());
    }
    samples
}
