//! The versions of facts that are or were believed, and the fold of the events that say so.

use mneme_events::FactVersionCreated;
use mneme_model::{FactId, Instant, Interval, derived_id};
use mneme_stage::{GroupRows, Row, StageError, decode_row, prefix_end, read_row, write_row};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::keys;

/// A version and the slots that its fact had when it was created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// The event that created it, with `expired_at` as it is now.
    pub created: FactVersionCreated,
    /// The slots.
    pub slots: Vec<Uuid>,
}

impl Version {
    /// When it holds.
    pub fn interval(&self) -> Interval {
        interval_of(&self.created)
    }
}

/// When a version holds.
pub fn interval_of(created: &FactVersionCreated) -> Interval {
    Interval::new(created.valid_at.at, created.invalid_at.map(|end| end.at))
}

/// The id of a version follows from what it says, so that a history derived anew keeps the rows
/// that did not change.
pub fn version_id(fact: FactId, interval: &Interval, created_at: Instant) -> Uuid {
    let end = interval.end.map(Instant::to_key);
    let end: &[u8] = end.as_ref().map_or(&[], |end| end);
    derived_id(fact, &[&interval.start.to_key(), end, &created_at.to_key()])
}

/// A version is believed from now on (or was, where `expired_at` is set).
pub fn create(rows: &mut dyn GroupRows, created: &FactVersionCreated) -> Result<(), StageError> {
    let slots: Vec<Uuid> = read_row(rows, &keys::fact_slots(created.fact_id))?.unwrap_or_default();
    if created.expired_at.is_none() {
        let start = created.valid_at.at;
        rows.put(
            keys::current(created.fact_id, start, created.version_id),
            Vec::new(),
        );
        for &slot in &slots {
            let key = keys::current_in_slot(slot, start, created.version_id);
            write_row(rows, key, &created.fact_id)?;
        }
    }
    let version = Version {
        created: created.clone(),
        slots,
    };
    write_row(
        rows,
        keys::version(created.fact_id, created.version_id),
        &version,
    )
}

/// A version is believed no longer.
pub fn expire(
    rows: &mut dyn GroupRows,
    fact: FactId,
    version_id: Uuid,
    expired_at: Instant,
) -> Result<(), StageError> {
    let Some(mut version) = version_by_id(rows, fact, version_id)? else {
        return Ok(());
    };
    remove_current(rows, &version);
    version.created.expired_at = Some(expired_at);
    write_row(rows, keys::version(fact, version_id), &version)
}

/// A version was never believed.
pub fn erase(rows: &mut dyn GroupRows, fact: FactId, version_id: Uuid) -> Result<(), StageError> {
    if let Some(version) = version_by_id(rows, fact, version_id)? {
        remove_current(rows, &version);
        rows.delete(&keys::version(fact, version_id));
    }
    Ok(())
}

fn remove_current(rows: &mut dyn GroupRows, version: &Version) {
    let FactVersionCreated {
        fact_id,
        version_id,
        valid_at,
        ..
    } = version.created;
    rows.delete(&keys::current(fact_id, valid_at.at, version_id));
    for &slot in &version.slots {
        rows.delete(&keys::current_in_slot(slot, valid_at.at, version_id));
    }
}

/// A version by its id.
pub fn version_by_id(
    rows: &dyn GroupRows,
    fact: FactId,
    version: Uuid,
) -> Result<Option<Version>, StageError> {
    read_row(rows, &keys::version(fact, version))
}

/// All versions that a fact has ever had.
pub fn versions_of(rows: &dyn GroupRows, fact: FactId) -> Result<Vec<Version>, StageError> {
    let prefix = keys::key(b'v', &[fact.as_bytes()]);
    rows.range(&prefix, &prefix_end(&prefix))
        .map(|(_, value)| decode_row(&value))
        .collect()
}

/// The versions of a fact that are believed now and overlap or touch a window, by start. They are
/// disjoint, so of those that begin before the window only the last can reach it.
pub fn current_near(
    rows: &dyn GroupRows,
    fact: FactId,
    window: &Interval,
) -> Result<Vec<Version>, StageError> {
    let found = near(rows, &keys::key(b'c', &[fact.as_bytes()]), window);
    let ids = found.iter().filter_map(|(key, _)| keys::last_id(key));
    let versions = ids.filter_map(|id| version_by_id(rows, fact, id).transpose());
    versions
        .filter(|found| {
            found
                .as_ref()
                .map_or(true, |v| v.interval().touches(window))
        })
        .collect()
}

/// The facts with a version that is believed now and may overlap or touch a window of a slot.
pub fn facts_near(
    rows: &dyn GroupRows,
    slot: Uuid,
    window: &Interval,
) -> Result<Vec<FactId>, StageError> {
    let found = near(rows, &keys::key(b'i', &[slot.as_bytes()]), window);
    found.iter().map(|(_, value)| decode_row(value)).collect()
}

/// The last version of a slot that began before an instant.
pub fn current_before(
    rows: &dyn GroupRows,
    slot: Uuid,
    at: Instant,
) -> Result<Option<Version>, StageError> {
    let prefix = keys::key(b'i', &[slot.as_bytes()]);
    let until = keys::current_in_slot(slot, at, Uuid::nil());
    let Some((key, value)) = rows.range_back(&prefix, &until).next() else {
        return Ok(None);
    };
    let fact = decode_row(&value)?;
    keys::last_id(&key).map_or(Ok(None), |id| version_by_id(rows, fact, id))
}

/// The rows under a prefix whose start lies in the window (its end included), and the one before.
fn near(rows: &dyn GroupRows, prefix: &[u8], window: &Interval) -> Vec<Row> {
    let at = |instant: Instant| [prefix, &instant.to_key()].concat();
    let from = at(window.start);
    let until = window
        .end
        .map_or_else(|| prefix_end(prefix), |end| prefix_end(&at(end)));
    let before = rows.range_back(prefix, &from).next();
    before
        .into_iter()
        .chain(rows.range(&from, &until))
        .collect()
}
